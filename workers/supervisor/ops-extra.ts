import * as v from 'valibot';

/** What only the process of the operators' listener gets. */
export const OpsExtra = v.object({ port: v.number() });
export type OpsExtra = v.InferOutput<typeof OpsExtra>;
