import { noLease } from '../../database/lease.ts';

/** In an update pipeline: the row is worked on as if it had just come, and due at once. */
export const waitingAgain = {
  state: 'waiting',
  dueAt: '$$NOW',
  lease: noLease,
  tries: 0,
  faults: 0,
  doneAt: '$$REMOVE',
} as const;
