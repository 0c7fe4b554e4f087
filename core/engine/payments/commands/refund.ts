/** Refunds a payment. A refund is stored before the provider is called, and checked until its outcome is known. */
import type { FailedOutcome, Money } from '@paywright/contract';
import type { Logger } from 'pino';
import type { Attempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { GatewayError } from '../../../base/errors.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import type { Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { leaseExpired, leaseFor } from '../record/call-lease.ts';
import { withOperation } from '../record/operations.ts';
import { newRefund } from '../refund/new-refund.ts';
import { applyFacts } from '../state/apply-facts.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { toRefundRequest } from '../submit/attempt.ts';
import { GRACE_MS, settlesUntil } from '../submit/settle.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';
import { createPlanRefund, type WantedRefund } from './plan-refund.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

export interface RefundDeps {
  readonly store: Pick<PaymentStore, 'change'>;
  readonly calls: Pick<ProviderCalls, 'refund'>;
  readonly registry: Pick<Registry, 'byName'>;
  readonly encrypter: Encrypter;
  readonly answers: Pick<Answers, 'withoutAction'>;
  readonly load: LoadForCaller;
  readonly feeOf: FeeOf;
  readonly config: { readonly callTimeoutMs: number };
  readonly now: () => Date;
  readonly log: Logger;
}

/**
 * `amount` undefined: what is left. `attempt`: the attempt whose charge is given back; undefined: if there are several,
 * the first that holds the amount.
 */
export type RefundCommand = (
  caller: Caller,
  id: number,
  amount: string | undefined,
  attempt?: number,
) => Promise<PaymentAnswer>;

interface Opened {
  readonly next: PaymentRecord;
  readonly requests: readonly { readonly refund: Refund; readonly attempt: Attempt }[];
}

export function createRefundCommand(deps: RefundDeps): RefundCommand {
  const { store, calls, encrypter, answers, load, feeOf, config, now, log } = deps;
  const planParts = createPlanRefund(deps);

  function openRefunds(record: PaymentRecord, wanted: WantedRefund): Opened {
    let opened = record;
    const requests = planParts(record, wanted).map(({ attempt, amount: part }) => {
      const refund = newRefund(opened, attempt, { amount: part, at: now(), sentAt: now() });
      opened = { ...opened, refunds: [...opened.refunds, refund] };
      return { refund, attempt };
    });
    const limitMs = requests.length * config.callTimeoutMs + GRACE_MS;
    return { next: leaseFor(opened, limitMs, now()), requests };
  }

  return async function refund(caller, id, amount, from) {
    const wanted = { amount, attempt: from };
    const known = await load(caller, id);
    // If this refuses, the idempotency key is not bound to anything yet.
    planParts(known, wanted);
    await caller.operation?.bindPayment(known._id);
    let opened: Opened | undefined;
    let { record } = await store.change(known._id, caller.requestId, (current) => {
      opened = openRefunds(withOperation(current, caller), wanted);
      return { next: opened.next };
    });
    const { requests } = opened!;
    const failures: (Failure | undefined)[] = [];
    for (const [at, { refund, attempt }] of requests.entries()) {
      const { requestId } = caller;
      const payment = toStoredPayment(encrypter, record, attempt);
      const { reference } = refund;
      const money = { amount: refund.amount, currency: attempt.currency };
      const request = toRefundRequest(record, refund, false);
      const outcome = await calls.refund(accountRefOf(attempt), payment, request, {
        deadlinePassed: leaseExpired(record, now),
      });
      const fact = { type: 'refund_outcome', refund: refund.n, outcome, at: now() } as const;
      const endsLease = at === requests.length - 1;
      const settled = (current: PaymentRecord): Change => {
        const { next, notify = [] } = applyFacts(current, [fact], feeOf) ?? { next: current };
        return { next: keepAdapterState(encrypter, next, attempt.n, outcome), notify, endsLease };
      };
      ({ record } = await store.change(record._id, requestId, settled, settlesUntil(now())));
      const fields = { requestId, paymentRequestId: record._id, refund: reference, outcome: outcome.outcome };
      log.info(fields, 'refund answered');
      // A callback, or a worker that repeated the refund, may have reported another result.
      const isFailed = outcome.outcome === 'failed' && record.refunds[refund.n - 1]?.state === 'failed';
      failures.push(isFailed ? { outcome, money } : undefined);
    }
    throwIfFailed(record._id, failures);
    return answers.withoutAction(record);
  };
}

/** The refusal of a provider that gave nothing back. */
interface Failure {
  readonly outcome: FailedOutcome;
  readonly money: Money;
}

/** Throws PAY005 if no provider was reached, PAY004 if one refused; that message also names the rest of the refund. */
function throwIfFailed(paymentRequestId: number, failures: readonly (Failure | undefined)[]): void {
  const failed = failures.filter((failure) => failure !== undefined);
  if (failed.length === 0) return;
  if (failed.length === failures.length && failed.every(({ outcome }) => outcome.notSent)) {
    const message = 'the provider could not be reached; nothing was refunded';
    throw new GatewayError('PROVIDER_UNAVAILABLE', message, { paymentRequestId });
  }
  const [{ outcome, money }] = failed as [Failure];
  const reason = outcome.notSent ? 'it could not be reached' : (outcome.reason ?? 'no reason given');
  const message =
    failures.length === 1
      ? `the provider refused the refund: ${reason}`
      : `the provider refused to give back ${moneyText(money.amount, money.currency)}: ${reason}; the rest of the refund continues`;
  throw new GatewayError('PAYMENT_NOT_PAYABLE', message, { paymentRequestId, isProviderAnswer: true });
}
