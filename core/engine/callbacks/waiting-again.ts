import { noLease } from '../../database/lease.ts';

/** For an update pipeline: the row is processed as if it had just arrived, and is due immediately. */
export const waitingAgain = {
  state: 'waiting',
  dueAt: '$$NOW',
  lease: noLease,
  tries: 0,
  faults: 0,
  doneAt: '$$REMOVE',
} as const;
