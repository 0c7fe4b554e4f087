/**
 * Cancels a payment request: immediately if no order is open at a provider, otherwise by closing that order or by
 * releasing the reserved money.
 */
import type { Logger } from 'pino';
import { latestAttempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { takenOver } from '../../../base/errors.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import type { Replacing } from '../reconcile/replacing.ts';
import { notPayable, throwIfRefused, type Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { leaseExpired, leaseFor } from '../record/call-lease.ts';
import { withOperation } from '../record/operations.ts';
import { isBeingClosed } from '../state/apply-close.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { authorisedAttempt } from '../state/authorised-attempt.ts';
import { toVoidRequest } from '../submit/capture-request.ts';
import { GRACE_MS, settlesUntil } from '../submit/settle.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface CancelDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'void'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly encrypter: Encrypter;
  readonly answers: Pick<Answers, 'current' | 'withoutAction'>;
  readonly replacing: Replacing;
  readonly load: LoadForCaller;
  readonly feeOf: FeeOf;
  readonly config: { readonly callTimeoutMs: number };
  readonly now: () => Date;
  readonly log: Logger;
}

export type CancelCommand = (caller: Caller, id: number) => Promise<PaymentAnswer>;

export interface CancelCheck {
  /** Throws PAY004 if the payment request cannot be cancelled now. */
  readonly throwIfNotCancellable: (record: PaymentRecord) => void;
  /** The provider can release the reserved money. */
  readonly isReleasable: (record: PaymentRecord) => boolean;
}

/** The command and the pages that offer it decide by the same check. */
export function createCancelCheck({ registry, replacing }: Pick<CancelDeps, 'registry' | 'replacing'>): CancelCheck {
  function throwIfNotCancellable(record: PaymentRecord): void {
    const isOpen = record.statusId === status.created || (record.statusId === status.failed && !record.cancelledAt);
    if (isOpen || isReleasable(record) || replacing.mayReplace(record)) return;
    throw notPayable(
      record,
      'only a payment request that is created, failed or authorised, or that waits for its payer, can be cancelled',
    );
  }

  function isReleasable(record: PaymentRecord): boolean {
    const attempt = authorisedAttempt(record);
    return attempt !== undefined && registry.byName(accountRefOf(attempt))?.adapter.void !== undefined;
  }

  return { throwIfNotCancellable, isReleasable };
}

export function createCancelCommand(deps: CancelDeps): CancelCommand {
  const { store, calls, encrypter, answers, replacing, load, feeOf, config, now, log } = deps;
  const { throwIfNotCancellable, isReleasable } = createCancelCheck(deps);

  async function release(caller: Caller, opened: PaymentRecord): Promise<PaymentRecord> {
    const { requestId } = caller;
    const attempt = latestAttempt(opened)!;
    const { n } = attempt;
    const payment = toStoredPayment(encrypter, opened, attempt);
    const outcome = await calls.void(accountRefOf(attempt), payment, toVoidRequest(attempt), {
      deadlinePassed: leaseExpired(opened, now),
    });
    const fact = { type: 'void_outcome', attempt: n, outcome, at: now() } as const;
    const settled = (current: PaymentRecord): Change => {
      const { next, notify = [] } = applyFacts(current, [fact], feeOf) ?? { next: current };
      return { next: keepAdapterState(encrypter, next, n, outcome), notify, endsLease: true };
    };
    const { record } = await store.change(opened._id, requestId, settled, settlesUntil(now()));
    log.info({ requestId, paymentRequestId: opened._id, attempt: n, outcome: outcome.outcome }, 'release answered');
    if (latestAttempt(record)?.outcome === 'open') throwIfRefused(opened._id, outcome, 'release');
    return record;
  }

  return async function cancel(caller, id) {
    const known = await load(caller, id);
    throwIfBeingClosed(known, caller);
    throwIfNotCancellable(known);
    await caller.operation?.bindPayment(id);
    const ready = isReleasable(known)
      ? { record: known, ends: null, isClosed: false }
      : await replacing.prepare(known, caller.requestId, {
          purpose: 'cancel',
          operation: caller.operation?.id,
        });
    let releases = false;
    const changing = async () =>
      store.change(id, caller.requestId, (current) => {
        // A worker that repeated the request to close the order has cancelled the payment.
        if (ready.isClosed && current.cancelledAt) return undefined;
        const marked = withOperation(current, caller);
        releases = !ready.isClosed && isReleasable(current);
        const ended = releases ? undefined : replacing.confirm(current, ready);
        if (!ended) throwIfNotCancellable(current);
        if (!releases) {
          const fact = {
            type: 'cancel',
            at: now(),
            ...(ended && { ends: ended.n, isClosed: ended.isClosed }),
          } as const;
          const cancelled = applyFacts(marked, [fact], feeOf);
          return cancelled && { ...cancelled, endsLease: ended?.isClosed ?? false };
        }
        const { n } = latestAttempt(current)!;
        const attempts = current.attempts.map((one) => (one.n === n ? { ...one, voidRequestedAt: now() } : one));
        return { next: leaseFor({ ...marked, attempts }, config.callTimeoutMs + GRACE_MS, now()) };
      });
    const { record } = await replacing.finish(ready, caller.requestId, changing);
    if (releases) return answers.current(await release(caller, record));
    return answers.withoutAction(record);
  };
}

/** IDEM001 if an earlier run of this request asked the provider to close the order, and a worker has to finish it. */
function throwIfBeingClosed(record: PaymentRecord, { operation }: Pick<Caller, 'operation'>): void {
  const attempt = latestAttempt(record);
  if (!operation || !attempt || !isBeingClosed(attempt) || attempt.close?.operation !== operation.id) return;
  throw takenOver({ paymentRequestId: record._id });
}
