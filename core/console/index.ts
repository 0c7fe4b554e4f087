/** The operators' listener of a host. */
export { startOps, type OpsConfig, type OpsSetup } from './listener/start-ops.ts';
export { createAdapterReads } from './adapter-reads.ts';
export { createResends } from './resends.ts';
export { createReplays, type RunReplay } from './replays.ts';
export { createReplayRunner } from './run-replay.ts';
