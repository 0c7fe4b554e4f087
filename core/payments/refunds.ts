/** Giving money back: the refund is stored before the provider is asked, and asked for again until it is known. */
import {
  addDecimals,
  compareDecimals,
  decimalsOf,
  fitsCurrency,
  JsonNumber,
  subtractDecimals,
  trimDecimal,
} from '@gateway/contract';
import { GatewayError, invalidField } from '../errors.ts';
import { notPayable } from './answers.ts';
import { toStoredPayment } from './attempts.ts';
import { foldFacts } from './ask.ts';
import type { PaymentsDeps } from './deps.ts';
import { refundedSum } from './derive.ts';
import { status, type Attempt, type PaymentRecord, type Refund } from './facts.ts';
import type { Caller } from './service.ts';
import { withEffect, withLease } from './take-step.ts';

export interface Refunds {
  /** Refunds the amount, or what is left; gives the payment as it then stands. */
  refund(caller: Caller, record: PaymentRecord, amount: string | undefined): Promise<PaymentRecord>;
}

export function createRefunds({ store, calls, registry, feeOf, config, now, log }: PaymentsDeps): Refunds {
  function openRefund(
    record: PaymentRecord,
    asked: string | undefined,
  ): { next: PaymentRecord; refund: Refund; attempt: Attempt } {
    if (record.statusId !== status.paid) throw notPayable(record, 'only a paid payment can be refunded');
    const attempt = record.attempts.find((one) => one.outcome === 'succeeded' && isMore(leftOf(record, one), '0'));
    if (!attempt) throw notPayable(record, 'nothing is left to refund: refunds under way count');
    if (!registry.byName(attempt.adapter)?.adapter.refund) throw notPayable(record, 'this provider cannot refund');
    const left = leftOf(record, attempt);
    const amount = trimDecimal(asked ?? left);
    const refuse = (message: string): GatewayError =>
      invalidField('amount', asked === undefined ? null : new JsonNumber(asked), message);
    if (!isMore(amount, '0')) throw refuse('must be more than 0');
    if (!fitsCurrency({ amount, currency: attempt.currency })) {
      throw refuse(`${attempt.currency} has ${decimalsOf(attempt.currency)} decimals`);
    }
    if (isMore(amount, left)) throw refuse(`more than is left to refund: ${left} ${attempt.currency}`);
    const ofAttempt = record.refunds.filter((one) => one.attempt === attempt.n).length;
    const refund: Refund = {
      n: record.refunds.length + 1,
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
    const until = new Date(now().getTime() + config.callTimeoutMs + 10_000);
    return { next: withLease({ ...record, refunds: [...record.refunds, refund] }, until), refund, attempt };
  }

  return {
    async refund(caller, known, asked) {
      openRefund(known, asked); // Refused here, the idempotency key is not bound to anything yet.
      await caller.attach?.(known._id);
      let opened: ReturnType<typeof openRefund> | undefined;
      const { record } = await store.change(known._id, caller.requestId, (current) => {
        opened = openRefund(withEffect(current, caller), asked);
        return { next: opened.next };
      });
      const { refund, attempt } = opened!;
      const payment = toStoredPayment(record, attempt, null);
      const money = { amount: refund.amount, currency: attempt.currency };
      const outcome = await calls.refund(attempt.adapter, payment, { reference: refund.reference, money, note: null });
      const fact = { type: 'refund_answer', refund: refund.n, outcome, at: now() } as const;
      const { record: settled } = await store.change(record._id, caller.requestId, (current) => ({
        ...(foldFacts(current, [fact], feeOf) ?? { next: current }),
        endsAsk: true,
      }));
      log.info(
        {
          requestId: caller.requestId,
          paymentRequestId: record._id,
          refund: refund.reference,
          outcome: outcome.outcome,
        },
        'refund answered',
      );
      // A callback, or a worker that repeated it, may have told otherwise.
      if (outcome.outcome !== 'failed' || settled.refunds[refund.n - 1]?.state !== 'failed') return settled;
      if (outcome.neverSent) {
        throw new GatewayError('PROVIDER_UNAVAILABLE', 'the provider could not be reached; nothing was refunded', {
          paymentRequestId: record._id,
        });
      }
      throw new GatewayError(
        'PAYMENT_NOT_PAYABLE',
        `the provider refused the refund: ${outcome.reason ?? 'no reason given'}`,
        { paymentRequestId: record._id, isProvidersWord: true },
      );
    },
  };
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
