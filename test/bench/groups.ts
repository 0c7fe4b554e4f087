/** What is measured, by the names of `--only`. */
import { measureCallbacks, measureEndToEnd } from './cases/callbacks.ts';
import { measureMemory } from './cases/memory.ts';
import { measureReads } from './cases/reads.ts';
import { measureHangingReceiver, measureSlowReceiver } from './cases/receivers.ts';
import { measureSubmits } from './cases/submits.ts';
import { measureVerify } from './cases/verify.ts';
import type { Bench } from './measure.ts';

export interface Group {
  readonly measure: (bench: Bench) => Promise<void>;
  /** Not in every run: once is enough, and it takes long. */
  readonly isOnce?: boolean;
}

export const groups: Readonly<Record<string, Group>> = {
  callbacks: { measure: measureCallbacks },
  told: { measure: measureEndToEnd },
  submits: { measure: measureSubmits },
  reads: { measure: measureReads },
  slow: { measure: measureSlowReceiver },
  hanging: { measure: measureHangingReceiver },
  verify: { measure: measureVerify },
  memory: { measure: measureMemory, isOnce: true },
};
