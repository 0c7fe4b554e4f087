/** Giving money back: the refund is stored before the provider is asked, and asked for again until it is known. */
import {
  addDecimals,
  compareDecimals,
  decimalsOf,
  fitsCurrency,
  formatAmount,
  JsonNumber,
  subtractDecimals,
  trimDecimal,
  type FailedOutcome,
  type Money,
} from '@gateway/contract';
import { GatewayError, invalidField } from '../../errors.ts';
import { notPayable } from '../submit/answer.ts';
import { toStoredPayment } from '../submit/attempt.ts';
import { foldFacts } from '../ask.ts';
import type { PaymentsDeps } from '../deps.ts';
import { refundedSum } from '../state/derive-status.ts';
import { status, type Attempt, type PaymentRecord, type Refund } from '../facts.ts';
import type { Caller } from '../service.ts';
import { GRACE_MS } from '../submit/submit.ts';
import { withEffect, withLease } from '../submit/three-ds-step.ts';

export interface Refunds {
  /** Refunds the amount, or what is left; gives the payment as it then stands. */
  refund(caller: Caller, record: PaymentRecord, amount: string | undefined): Promise<PaymentRecord>;
}

/** One provider is asked to give this back of one attempt. */
interface Part {
  readonly attempt: Attempt;
  readonly amount: string;
}

interface Opened {
  readonly next: PaymentRecord;
  readonly asks: readonly { readonly refund: Refund; readonly attempt: Attempt }[];
}

export function createRefunds({ store, calls, registry, feeOf, config, now, log }: PaymentsDeps): Refunds {
  /** Who gives back how much. Only a payment that was charged twice may need more than one provider. */
  function planParts(record: PaymentRecord, asked: string | undefined): readonly Part[] {
    if (record.statusId !== status.paid) throw notPayable(record, 'only a paid payment can be refunded');
    const charged = record.attempts.filter((one) => one.outcome === 'succeeded' && isMore(leftOf(record, one), '0'));
    if (!charged.length) throw notPayable(record, 'nothing is left to refund: refunds under way count');
    // Who refused before is asked last.
    const refusals = ({ n }: Attempt): number =>
      record.refunds.filter(({ attempt, state }) => attempt === n && state === 'failed').length;
    const all = charged
      .filter(canRefund)
      .toSorted((one, other) => refusals(one) - refusals(other))
      .map((attempt) => ({ attempt, amount: leftOf(record, attempt) }));
    const [first] = all;
    const unable = charged.find((attempt) => !canRefund(attempt));
    if (unable && (!first || asked === undefined)) throw notPayable(record, whyNot(unable));
    if (!first || asked === undefined) return all;

    const amount = trimDecimal(asked);
    const refuse = (message: string): GatewayError => invalidField('amount', new JsonNumber(asked), message);
    if (!isMore(amount, '0')) throw refuse('must be more than 0');
    const { currency } = first.attempt;
    if (!fitsCurrency({ amount, currency })) throw refuse(`${currency} has ${decimalsOf(currency)} decimals`);
    const same = all.filter(({ attempt }) => attempt.currency === currency);
    const whole = same.find(({ amount: left }) => !isMore(amount, left));
    if (whole) return [{ ...whole, amount }];
    const left = addDecimals(...same.map((part) => part.amount));
    if (isMore(amount, left)) throw refuse(`more than is left to refund: ${left} ${currency}`);
    return spread(same, amount);
  }

  function canRefund({ adapter }: Attempt): boolean {
    return registry.byName(adapter)?.adapter.refund !== undefined;
  }

  function whyNot({ adapter, providerCode }: Attempt): string {
    const isOff = registry.byName(adapter) === undefined;
    return isOff
      ? `provider ${providerCode} is off here: it can refund once it is on or draining`
      : `provider ${providerCode} cannot refund`;
  }

  function openRefunds(record: PaymentRecord, asked: string | undefined): Opened {
    const refunds = [...record.refunds];
    const asks = planParts(record, asked).map(({ attempt, amount }) => {
      const ofAttempt = refunds.filter((one) => one.attempt === attempt.n).length;
      const refund: Refund = {
        n: refunds.length + 1,
        attempt: attempt.n,
        reference: `${attempt.reference}-R${ofAttempt + 1}`,
        amount,
        state: 'asking',
        answeredSucceeded: false,
        providerReference: null,
        requestedAt: now(),
        asked: 0,
        askedAt: null,
      };
      refunds.push(refund);
      return { refund, attempt };
    });
    const until = new Date(now().getTime() + asks.length * config.callTimeoutMs + GRACE_MS);
    return { next: withLease({ ...record, refunds }, until), asks };
  }

  return {
    async refund(caller, known, asked) {
      planParts(known, asked); // Refused here, the idempotency key is not bound to anything yet.
      await caller.attach?.(known._id);
      let opened: Opened | undefined;
      let { record } = await store.change(known._id, caller.requestId, (current) => {
        opened = openRefunds(withEffect(current, caller), asked);
        return { next: opened.next };
      });
      const { asks } = opened!;
      const failures: (Failure | undefined)[] = [];
      for (const [at, { refund, attempt }] of asks.entries()) {
        const { requestId } = caller;
        const payment = toStoredPayment(record, attempt, null);
        const { reference } = refund;
        const money = { amount: refund.amount, currency: attempt.currency };
        const outcome = await calls.refund(attempt.adapter, payment, { reference, money, note: null });
        const fact = { type: 'refund_answer', refund: refund.n, outcome, at: now() } as const;
        const endsAsk = at === asks.length - 1;
        ({ record } = await store.change(record._id, requestId, (current) => {
          return { ...(foldFacts(current, [fact], feeOf) ?? { next: current }), endsAsk };
        }));
        const told = { requestId, paymentRequestId: record._id, refund: reference, outcome: outcome.outcome };
        log.info(told, 'refund answered');
        // A callback, or a worker that repeated it, may have told otherwise.
        const isFailed = outcome.outcome === 'failed' && record.refunds[refund.n - 1]?.state === 'failed';
        failures.push(isFailed ? { outcome, money } : undefined);
      }
      throwIfFailed(record._id, failures);
      return record;
    },
  };
}

/** A provider that gave nothing back. */
interface Failure {
  readonly outcome: FailedOutcome;
  readonly money: Money;
}

/** PAY005 where none was reached; PAY004 where one refused, and then the rest is said too. */
function throwIfFailed(paymentRequestId: number, failures: readonly (Failure | undefined)[]): void {
  const failed = failures.filter((failure) => failure !== undefined);
  if (failed.length === 0) return;
  if (failed.length === failures.length && failed.every(({ outcome }) => outcome.neverSent)) {
    const message = 'the provider could not be reached; nothing was refunded';
    throw new GatewayError('PROVIDER_UNAVAILABLE', message, { paymentRequestId });
  }
  const [{ outcome, money }] = failed as [Failure];
  const reason = outcome.neverSent ? 'it could not be reached' : (outcome.reason ?? 'no reason given');
  const message =
    failures.length === 1
      ? `the provider refused the refund: ${reason}`
      : `the provider refused to give back ${formatAmount(money)} ${money.currency}: ${reason}; the rest of the refund goes its way`;
  throw new GatewayError('PAYMENT_NOT_PAYABLE', message, { paymentRequestId, isProvidersWord: true });
}

/** The amount over the parts, each as far as it goes; they hold it. */
function spread(parts: readonly Part[], amount: string): Part[] {
  let rest = amount;
  return parts.flatMap(({ attempt, amount: left }) => {
    const taken = isMore(rest, left) ? left : rest;
    rest = subtractDecimals(rest, taken);
    return isMore(taken, '0') ? [{ attempt, amount: taken }] : [];
  });
}

/** What may still be given back of one attempt: refunds under way count as given. */
function leftOf(record: PaymentRecord, attempt: Attempt): string {
  const open = record.refunds.filter(
    ({ attempt: n, state }) => n === attempt.n && state !== 'succeeded' && state !== 'failed',
  );
  return subtractDecimals(
    attempt.amount,
    addDecimals(refundedSum(record, attempt.n), ...open.map(({ amount }) => amount)),
  );
}

function isMore(left: string, right: string): boolean {
  return compareDecimals(left, right) > 0;
}
