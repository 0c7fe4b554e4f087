import * as v from 'valibot';

/** What only a process of the API gets. */
export const ApiExtra = v.object({
  /** Its supervisor runs workers, too. */
  hasWorkers: v.boolean(),
});
export type ApiExtra = v.InferOutput<typeof ApiExtra>;
