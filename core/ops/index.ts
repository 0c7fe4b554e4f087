/** The operators' listener of a host. */
export { startOps, type OpsConfig, type OpsSetup } from './start-ops.ts';
