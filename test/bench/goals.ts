/** The goals, by the name of the case. */
import { roles } from './bench-gateway.ts';
import { accountNames } from './cases/accounts.ts';
import { idleNames } from './cases/idle.ts';
import { isConsole, isLarge, isLargeWait } from './cases/large.ts';
import { memoryNames, storageNames } from './cases/memory.ts';
import { readsAfterLoad } from './cases/reads-after-load.ts';
import { isVerify } from './cases/verify.ts';
import type { Goal } from './figures.ts';

interface Aim {
  readonly unit: string;
  readonly goal: Goal;
}

const memory: Aim = { unit: 'MB', goal: { atMost: 150, of: 'ours' } };
/** Memory stays flat: no more than this ratio once the heaps have grown to their size. */
const flat: Aim = { unit: 'MB', goal: { atMost: 1.1 } };
/** Limit for a page of the console. */
const page: Aim = { unit: 'ms', goal: { atMost: 100, of: 'ours' } };
/** Limit for work before a callback is verified. Longer work belongs off the event loop. */
const unproven: Aim = { unit: 'ms', goal: { atMost: 20 } };

const aims: Readonly<Record<string, Aim>> = {
  'ack, workers held': { unit: '/s', goal: { atLeast: 1.5 } },
  'ack, workers busy': { unit: '/s', goal: { atLeast: 1.2 } },
  'drain, 1 worker': { unit: '/s', goal: { atLeast: 3 } },
  'drain, 2 workers': { unit: '/s', goal: { atLeast: 3 } },
  'CPU per drained callback, 1 worker': { unit: 'ms', goal: { atMost: 2, of: 'ours' } },
  'CPU per drained callback, 2 workers': { unit: 'ms', goal: { atMost: 2, of: 'ours' } },
  'CPU per callback, applied and notified': { unit: 'ms', goal: { atMost: 3, of: 'ours' } },
  'held rate, stored to told': { unit: '/s', goal: { atLeast: 400 } },
  'stored to told at half of it, p50': { unit: 'ms', goal: { atMost: 25 } },
  'stored to told at half of it, p99': { unit: 'ms', goal: { atMost: 100 } },
  'ack p99 at the held rate': { unit: 'ms', goal: { atMost: 2 } },
  'told, one merchant who takes 200 ms': { unit: '/s', goal: { atLeast: 200 } },
  'told p99, one merchant in five never answers': { unit: 'ms', goal: { atMost: 1.5 } },
  submit: { unit: '/s', goal: { atLeast: 0.9 } },
  'submit with Idempotency-Key': { unit: '/s', goal: { atLeast: 0.8 } },
  'submit with notifyUrl': { unit: '/s', goal: { atLeast: 0.6 } },
  'CPU per submit': { unit: 'ms', goal: { atMost: 1.2 } },
  'CPU per charge, merchant notified': { unit: 'ms', goal: { atMost: 4, of: 'ours' } },
  'read by id': { unit: '/s', goal: { atLeast: 0.6 } },
  'read by id, client with 200,000 paid': { unit: '/s', goal: { atLeast: 0.9 } },
  'list of 50': { unit: '/s', goal: { atLeast: 200, of: 'ours' } },
  [readsAfterLoad.cpu]: { unit: 'ms', goal: { atMost: 1, of: 'ours' } },
  [readsAfterLoad.growth]: { unit: 'ms', goal: { atMost: 1.1 } },
  [accountNames.start]: { unit: 'ms', goal: { atMost: 1.2 } },
  [accountNames.memory]: { unit: 'MB', goal: { atMost: 1.2 } },
  [accountNames.own]: { unit: 'ms', goal: { atMost: 1.2 } },
  [accountNames.hinted]: { unit: 'ms', goal: { atMost: 1.2 } },
  'overload, ack p99': { unit: 'ms', goal: { atMost: 150, of: 'ours' } },
  'overload, until the backlog is gone': { unit: 's', goal: { atMost: 90, of: 'ours' } },
  'overload, callbacks lost': { unit: 'callbacks', goal: { atMost: 0, of: 'ours' } },
  [idleNames.cpu('supervisor')]: { unit: 'ms/s', goal: { atMost: 3, of: 'ours' } },
  [idleNames.cpu('api')]: { unit: 'ms/s', goal: { atMost: 4, of: 'ours' } },
  [idleNames.cpu('worker')]: { unit: 'ms/s', goal: { atMost: 4, of: 'ours' } },
  [idleNames.cpu('ops')]: { unit: 'ms/s', goal: { atMost: 2, of: 'ours' } },
  [idleNames.cpu('mongod')]: { unit: 'ms/s', goal: { atMost: 7, of: 'ours' } },
  [idleNames.total]: { unit: 'ms/s', goal: { atMost: 20, of: 'ours' } },
  [idleNames.memory]: { unit: 'MB', goal: { atMost: 300, of: 'ours' } },
  [storageNames.documents]: { unit: 'kB', goal: { atMost: 10, of: 'ours' } },
  [storageNames.disk]: { unit: 'kB', goal: { atMost: 5, of: 'ours' } },
  ...Object.fromEntries(
    roles.flatMap((role) => [
      [memoryNames.idle(role), memory],
      [memoryNames.connections(role), memory],
      [memoryNames.loaded(role), memory],
      [memoryNames.growth(role), flat],
      [memoryNames.after(role), memory],
    ]),
  ),
};

export function aimOf(name: string): Aim {
  const aim = groupAimOf(name) ?? aims[name];
  if (!aim) throw new Error(`The case "${name}" has no goal in test/bench/goals.ts.`);
  return aim;
}

/** The goal of a group whose cases have many names. */
function groupAimOf(name: string): Aim | undefined {
  if (isConsole(name)) return page;
  if (isLargeWait(name)) return { unit: 'ms', goal: { atMost: 1.1 } };
  if (isLarge(name)) return { unit: '/s', goal: { atLeast: 0.9 } };
  return isVerify(name) ? unproven : undefined;
}
