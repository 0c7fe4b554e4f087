import * as v from 'valibot';

/** What only the process of the operators' listener gets. */
export const OpsExtra = v.object({
  port: v.number(),
  /** Its supervisor runs the API. */
  hasApis: v.boolean(),
  /** Its supervisor runs workers. */
  hasWorkers: v.boolean(),
});
export type OpsExtra = v.InferOutput<typeof OpsExtra>;
