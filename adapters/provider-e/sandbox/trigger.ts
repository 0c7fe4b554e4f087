/** Callbacks on demand. The status of the payment shows the same afterwards. */
import type { CallbackReply, Trigger, TriggerCauses } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import { mapStatus, meanings } from '../statuses.ts';
import { isTranRef } from '../transaction.ts';
import { kindOf, openPayment, record, toStep, transactionsOf, type Payment, type Way } from './payments.ts';
import { refusalOf, vocabulary, type Notify } from './scenarios.ts';

/** Kinds of XML results, and `op/rc` of host-to-host transactions. */
export const events: readonly string[] = Object.values(mapStatus.statuses).flat();

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'SENT',
  'payment.authorised': 'AUTHORISED',
  'payment.succeeded': 'CAPTURED',
  'payment.failed': 'REFUSED',
  'payment.expired': 'EXPIRED',
  'payment.refunded': 'REFUNDED',
  'payment.refund_failed': 'REFUND_FAILED',
  'payment.refund_reversed': 'REFUND_RETURNED',
  'payment.charged_back': 'CHARGED_BACK',
  'payment.chargeback_reversed': 'CB_REVERSED',
};

/**
 * For a payment that this sandbox does not know, an earlier process may have sent reports. New reports are numbered by
 * the clock, and two within a second by their order, so that they repeat no identity.
 */
function createSeqNow(): () => number {
  /** More numbers than the reports of one payment within a second. */
  const perSecond = 8;
  let last = 0;
  return () => {
    last = Math.max(last + perSecond, 100_000 + (Math.floor(Date.now() / 1000) % 100_000) * perSecond);
    return last;
  };
}

export function createTrigger(
  payments: Map<string, Payment>,
  newNumber: (way: Way) => string,
  notify: Notify,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  const seqNow = createSeqNow();

  /** The payment that the facts name, or a new one created only from them. */
  function paymentOf({ event, reference, providerReference, money }: Trigger): Payment {
    const way = meanings.has(event) ? 'xml' : 'h2h';
    const known = payments.get(reference);
    if (known?.way === way && (providerReference === null || providerReference === known.number)) return known;
    if (way === 'h2h' && providerReference !== null && !isTranRef(providerReference)) {
      throw new RangeError(
        `${event} is reported only for host-to-host payments: for a payment that was sent as XML, report CAPTURED or another XML kind`,
      );
    }
    const opening = { way, reference, money, pan: '4111111111111111', delayHours: 0 } as const;
    const opened = openPayment(opening, providerReference ?? newNumber(way), seqNow());
    // A refunded or disputed payment was paid before.
    if (kindOf(event) !== 'payment') record(opened, vocabulary[way].captured);
    return opened;
  }

  /** A refund or dispute keeps the number with which it started. */
  function tranOf(payment: Payment, event: string): string {
    const { kind, status } = toStep(payment, event, { money: payment.money, tran: '' });
    if (kind === 'payment') return payment.number;
    const before = transactionsOf(payment).findLast((one) => one.kind === kind);
    const begins = kind === 'refund' ? status === 'pending' : status === 'opened';
    const openStatus = status === 'reversed' ? 'succeeded' : 'pending';
    const goesOn = !begins && (kind === 'chargeback' || before?.status === openStatus);
    return (goesOn ? before?.tran : undefined) ?? newNumber(payment.way);
  }

  return async (trigger) => {
    const { event, money, forge, times, reference } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const payment = paymentOf(trigger);
    const refusal = refusalOf(event);
    const facts = { money, tran: tranOf(payment, event), ...(refusal ? { refusal } : {}) };
    const step = forge ? toStep(payment, event, facts) : record(payment, event, facts);
    if (!forge && !payments.has(reference)) payments.set(reference, payment);
    const message = notify(payment, event, 0, () => step);
    return sendOnDemand(message, { times, forge });
  };
}
