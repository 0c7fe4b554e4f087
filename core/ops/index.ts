/** The operators' listener of a host. */
export { startOps, type OpsConfig, type OpsSetup } from './start-ops.ts';
export { createAdapterReads } from './console/adapter-reads.ts';
export { createResends } from './console/resends.ts';
export { createReplays, type RunReplay } from './console/replays.ts';
