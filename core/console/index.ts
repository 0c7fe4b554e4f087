/** Serves the operators of a host: metrics, health and the console. */
export { startOps, type OpsConfig, type OpsDeps } from './listener/start-ops.ts';
export { operations, type OperationName } from './api/operations.ts';
export type { ManagementServices } from './api/services.ts';
export { createAdapterReads } from './providers/adapter-reads.ts';
export { createResends } from './messages/resends.ts';
export { createSettlementUploads } from './system/settlement-uploads.ts';
export { createReplays, type RunReplay } from './providers/replays.ts';
export { createReplayRunner } from './providers/run-replay.ts';
