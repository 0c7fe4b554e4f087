/** Refunds a payment. A refund is stored before the provider is called, and checked until its outcome is known. */
import {
  addDecimals,
  decimalsOf,
  fitsCurrency,
  JsonNumber,
  subtractDecimals,
  trimDecimal,
  type FailedOutcome,
  type Money,
} from '@paywright/contract';
import type { Logger } from 'pino';
import { collectedAmount, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Refund } from '../../../database/collections/refund.ts';
import type { Encrypter } from '../../../base/crypto/encryption.ts';
import { GatewayError, invalidField } from '../../../base/errors.ts';
import { moneyText } from '../../../base/text/money-text.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { Registry } from '../../providers/registry.ts';
import { notPayable, type Answers } from '../present/answer.ts';
import type { LoadForCaller } from '../read/get.ts';
import { leaseExpired, leaseUntil } from '../record/call-lease.ts';
import { withOperation } from '../record/operations.ts';
import { chargedOf, isMore, leftOf } from '../state/left-to-refund.ts';
import { newRefund } from '../refund/new-refund.ts';
import { applyFacts } from '../state/apply-facts.ts';
import { disputesOf } from '../state/disputes.ts';
import { unconfirmedRefund } from '../state/refund-reports.ts';
import type { FeeOf } from '../state/fee.ts';
import type { Change, PaymentStore } from '../store/payment-store.ts';
import { toRefundRequest } from '../submit/attempt.ts';
import { GRACE_MS, settlesUntil } from '../submit/settle.ts';
import { keepAdapterState, toStoredPayment } from '../submit/stored-payment.ts';
import type { PaymentAnswer } from '../types/answer.ts';
import type { Caller } from '../types/caller.ts';

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

/** `amount` undefined: what is left. `attempt` undefined: of any attempt. */
interface Wanted {
  readonly amount: string | undefined;
  readonly attempt: number | undefined;
}

/** The part of a refund that one provider gives back, of one attempt. */
interface Part {
  readonly attempt: Attempt;
  readonly amount: string;
}

interface Opened {
  readonly next: PaymentRecord;
  readonly requests: readonly { readonly refund: Refund; readonly attempt: Attempt }[];
}

export function createRefundCommand(deps: RefundDeps): RefundCommand {
  const { store, calls, encrypter, registry, answers, load, feeOf, config, now, log } = deps;

  /**
   * Plans which provider gives back how much. Only a payment that was charged twice may need more than one provider.
   */
  function planParts(record: PaymentRecord, { amount: requested, attempt: only }: Wanted): readonly Part[] {
    const isPaid = record.statusId === status.paid;
    const isMeant = ({ n }: Attempt): boolean => only === undefined || n === only;
    const came = record.attempts.filter((one) => isMeant(one) && isMore(collectedAmount(one), '0'));
    if (!isPaid && !(came.length && record.statusId !== status.refunded))
      throw notPayable(record, 'only a paid payment, or the part that came in, can be refunded');
    // If more came in than was charged, the excess is refunded only if the merchant names the amount.
    const limitOf = requested === undefined && isPaid ? chargedOf : collectedAmount;
    const charged = came.filter((one) => isMore(leftOf(record, one, limitOf(one)), '0'));
    if (!charged.length) throw notPayable(record, `nothing is left to refund: ${whyNothing(record)}`);
    // A provider that refused a refund before comes last.
    const refusals = ({ n }: Attempt): number =>
      record.refunds.filter(({ attempt, state }) => attempt === n && state === 'failed').length;
    const all = charged
      .filter(canRefund)
      .toSorted((one, other) => refusals(one) - refusals(other))
      .map((attempt) => ({ attempt, amount: leftOf(record, attempt, limitOf(attempt)) }));
    const unconfirmed = all.map(({ attempt }) => waitsForFetch(record, attempt)).find((number) => number !== undefined);
    if (unconfirmed !== undefined)
      throw notPayable(
        record,
        `the provider reported refund ${unconfirmed} as succeeded and as failed; try again once its status is fetched`,
      );
    const [first] = all;
    const unable = charged.find((attempt) => !canRefund(attempt));
    if (unable && (!first || requested === undefined)) throw notPayable(record, whyNot(unable));
    if (!first || requested === undefined) return all;

    const amount = trimDecimal(requested);
    const refuse = (message: string): GatewayError => invalidField('amount', new JsonNumber(requested), message);
    if (!isMore(amount, '0')) throw refuse('must be more than 0');
    const { currency } = first.attempt;
    if (!fitsCurrency({ amount, currency })) throw refuse(`${currency} has ${decimalsOf(currency)} decimals`);
    const same = all.filter(({ attempt }) => attempt.currency === currency);
    const whole = same.find(({ amount: left }) => !isMore(amount, left));
    if (whole) return [{ ...whole, amount }];
    const left = addDecimals(...same.map((part) => part.amount));
    if (isMore(amount, left)) throw refuse(`more than is left to refund: ${moneyText(left, currency)}`);
    return spread(same, amount);
  }

  function canRefund({ adapter }: Attempt): boolean {
    return registry.byName(adapter)?.adapter.refund !== undefined;
  }

  function waitsForFetch(record: PaymentRecord, { adapter, n }: Attempt): string | undefined {
    const canFetch = registry.byName(adapter)?.adapter.fetchStatus !== undefined;
    return canFetch ? unconfirmedRefund(record, n) : undefined;
  }

  function whyNot({ adapter, providerCode }: Attempt): string {
    const isOff = registry.byName(adapter) === undefined;
    return isOff
      ? `provider ${providerCode} is off here: it can refund once it is on or draining`
      : `provider ${providerCode} cannot refund`;
  }

  function openRefunds(record: PaymentRecord, wanted: Wanted): Opened {
    let opened = record;
    const requests = planParts(record, wanted).map(({ attempt, amount: part }) => {
      const refund = newRefund(opened, attempt, { amount: part, at: now(), sentAt: now() });
      opened = { ...opened, refunds: [...opened.refunds, refund] };
      return { refund, attempt };
    });
    const until = new Date(now().getTime() + requests.length * config.callTimeoutMs + GRACE_MS);
    return { next: leaseUntil(opened, until, now()), requests };
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
      const outcome = await calls.refund(attempt.adapter, payment, request, {
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

/** Distributes the amount over the parts, in their order. Together they hold at least the amount. */
function spread(parts: readonly Part[], amount: string): Part[] {
  let rest = amount;
  return parts.flatMap(({ attempt, amount: left }) => {
    const taken = isMore(rest, left) ? left : rest;
    rest = subtractDecimals(rest, taken);
    return isMore(taken, '0') ? [{ attempt, amount: taken }] : [];
  });
}

function whyNothing(record: PaymentRecord): string {
  const disputes = record.attempts
    .filter(({ outcome }) => outcome === 'succeeded')
    .flatMap((attempt) => disputesOf(record, attempt).map((dispute) => ({ ...dispute, currency: attempt.currency })))
    .filter(({ isCounted }) => isCounted);
  if (!disputes.length) {
    const hasArrived = record.attempts.some((attempt) => isMore(collectedAmount(attempt), '0'));
    return hasArrived ? 'refunds in progress count as refunded' : 'the provider reports that nothing arrived';
  }
  return disputes
    .map(
      ({ number, stage, amount, currency }) =>
        `chargeback ${number ?? 'without number'} of ${moneyText(amount, currency)} is ${stage === 'lost' ? 'lost' : 'open'}`,
    )
    .join(', ');
}
