/** Looks up payment requests for a caller, who sees only the owner's payment requests of the key's environment. */
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { notFound } from '../../../base/errors.ts';
import type { Answers } from '../present/answer.ts';
import type { Views } from '../present/view.ts';
import { throwIfTakenOver } from '../record/operations.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { PaymentAnswer, PaymentRequestView } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';

/** Undefined if there is no such payment request or the caller may not see it. */
export type FindForCaller = (caller: Caller, id: number) => Promise<PaymentRecord | undefined>;

/**
 * Throws NF001 if the caller may not see it, IDEM001 if a repetition has carried out the caller's operation already.
 */
export type LoadForCaller = (caller: Caller, id: number) => Promise<PaymentRecord>;

export interface GetDeps {
  readonly store: Pick<PaymentStore, 'load'>;
  readonly views: Pick<Views, 'present'>;
  readonly answers: Pick<Answers, 'current'>;
}

export interface LookUps {
  readonly find: FindForCaller;
  readonly load: LoadForCaller;
  readonly get: (caller: Caller, id: number) => Promise<PaymentRequestView>;
  readonly exists: (caller: Caller, id: number) => Promise<boolean>;
  readonly answer: (caller: Caller, id: number) => Promise<PaymentAnswer>;
}

export function createLookUps({ store, views, answers }: GetDeps): LookUps {
  const find: FindForCaller = async (caller, id) => {
    const record = await store.load(id);
    if (!mayBeSeen(caller, record)) return undefined;
    caller.onPayment?.(id);
    return record;
  };
  const load: LoadForCaller = async (caller, id) => {
    const record = await find(caller, id);
    if (!record) throw notFound(`payment request ${id}`);
    // What the caller's operation has done already must not look like a reason to refuse it.
    throwIfTakenOver(record, caller);
    return record;
  };
  return {
    find,
    load,
    get: async (caller, id) => views.present(await load(caller, id)),
    exists: async (caller, id) => (await find(caller, id)) !== undefined,
    answer: async (caller, id) => answers.current(await load(caller, id)),
  };
}

/** A key sees its own environment. A live key also sees the test payment requests that live keys made. */
function mayBeSeen({ ownerId, environment }: Caller, record: PaymentRecord | undefined): record is PaymentRecord {
  if (record?.ownerId !== ownerId) return false;
  return record.environment === environment || (environment === 'live' && record.keyEnvironment === 'live');
}
