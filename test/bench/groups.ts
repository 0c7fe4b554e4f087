/** The groups of cases, by their names for `--only`. */
import { measureAccounts } from './cases/accounts.ts';
import { measureCallbacks } from './cases/callbacks.ts';
import { measureEndToEnd, measureOverload } from './cases/held-rate.ts';
import { measureIdle } from './cases/idle.ts';
import { measureMemory } from './cases/memory.ts';
import { measureReadsAfterLoad } from './cases/reads-after-load.ts';
import { measureReads } from './cases/reads.ts';
import { measureHangingReceiver, measureSlowReceiver } from './cases/receivers.ts';
import { measureSubmits } from './cases/submits.ts';
import { measureVerify } from './cases/verify.ts';
import type { Bench } from './measure.ts';

export interface Group {
  readonly measure: (bench: Bench) => Promise<void>;
  /** Runs once per benchmark instead of in every run: it takes long, or is compared only with its goal or itself. */
  readonly isOnce?: boolean;
}

export const groups: Readonly<Record<string, Group>> = {
  callbacks: { measure: measureCallbacks },
  told: { measure: measureEndToEnd },
  submits: { measure: measureSubmits },
  reads: { measure: measureReads },
  'reads-after-load': { measure: measureReadsAfterLoad },
  slow: { measure: measureSlowReceiver, isOnce: true },
  hanging: { measure: measureHangingReceiver, isOnce: true },
  verify: { measure: measureVerify, isOnce: true },
  idle: { measure: measureIdle, isOnce: true },
  memory: { measure: measureMemory, isOnce: true },
  accounts: { measure: measureAccounts, isOnce: true },
  overload: { measure: measureOverload, isOnce: true },
};
