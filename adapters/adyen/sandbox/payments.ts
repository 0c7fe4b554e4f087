/** Adyen's payments: how a card and an amount decide the result, and when webhooks report it. */
import { type DeclineCode } from '@paywright/contract';
import {
  amountRule,
  cardBehaviour,
  refundEnds,
  type AmountRule,
  type CardBehaviour,
  type Message,
} from '@paywright/contract/sandbox';
import { toMoney, type Amount } from '../wire.ts';
import type { PaymentRequest } from './requests.ts';
import { newPspReference, toJson, type Said, type Timing, type ToMessage } from './webhooks.ts';

export interface Payment {
  readonly pspReference: string;
  readonly merchantReference: string;
  readonly amount: Amount;
  readonly card: CardBehaviour;
  readonly rule: AmountRule | undefined;
  readonly isDelayed: boolean;
  readonly isChallenged: boolean;
  readonly returnUrl: string;
  state: 'open' | 'waiting' | 'held' | 'captured' | 'refused' | 'ended';
  /** The merchant requested a capture or a cancel, so Adyen no longer captures automatically. */
  isAsked?: true;
  /** The button that the payer pressed on the challenge page. */
  pressed?: 'pass' | 'fail';
  /** Refunds requested so far, in minor units. */
  returned: bigint;
  refusal?: readonly [code: string, text: string];
}

const refusals: Readonly<Partial<Record<DeclineCode, readonly [code: string, text: string]>>> = {
  '05': ['2', 'Refused'],
  '51': ['12', 'Not enough balance'],
  '54': ['6', 'Expired Card'],
  '57': ['23', 'Transaction Not Permitted'],
  '61': ['28', 'Withdrawal amount exceeded'],
};

export function openPayment({
  reference,
  amount,
  paymentMethod,
  captureDelayHours,
  authenticationData,
  returnUrl,
}: PaymentRequest): Payment {
  const card = cardBehaviour(paymentMethod.number);
  const { attemptAuthentication } = authenticationData;
  return {
    pspReference: newPspReference(),
    merchantReference: reference,
    amount,
    card,
    rule: ruleOf(amount),
    isDelayed: captureDelayHours > 0,
    isChallenged:
      attemptAuthentication === 'always' || (attemptAuthentication === undefined && card.kind === 'challenge'),
    returnUrl,
    state: 'open',
    returned: 0n,
  };
}

export function ruleOf(amount: Amount): AmountRule | undefined {
  return amountRule(toMoney(amount));
}

/** Decides the payment by its card, or by a failed challenge, and returns the webhooks that follow. */
export function decide(payment: Payment, say: ToMessage): readonly Message[] {
  if (payment.pressed === 'fail') return [refuse(payment, say, ['11', '3D Not Authenticated'])];
  const { kind, decline = '05' } = payment.card;
  switch (kind) {
    case 'pending_forever':
      payment.state = 'waiting';
      return [];
    case 'declined':
      return [refuse(payment, say, refusals[decline]!)];
    case 'pending_declined': {
      payment.state = 'waiting';
      const happens = (): void => void Object.assign(payment, { state: 'refused', refusal: refusals[decline] });
      return [authorisation(payment, say, false, { after: 1, happens })];
    }
    case 'pending_approved':
      payment.state = 'waiting';
      return approval(payment, say);
    case 'approved':
    case 'challenge':
    case 'silent':
    case 'refunded_later':
    case 'charged_back_later':
      payment.state = payment.isDelayed ? 'held' : 'captured';
      return [...approval(payment, say), ...aftermath(payment, say)];
  }
}

function refuse(payment: Payment, say: ToMessage, refusal: readonly [string, string]): Message {
  Object.assign(payment, { state: 'refused', refusal });
  return authorisation(payment, say, false, { after: 1 });
}

function authorisation(
  { pspReference, merchantReference, amount, refusal }: Payment,
  say: ToMessage,
  success: boolean,
  timing: Timing,
): Message {
  const reason = success ? '038851:1111:03/2031' : (refusal?.[1] ?? 'Refused');
  return say({ pspReference, merchantReference, amount, eventCode: 'AUTHORISATION', success, reason }, timing);
}

/** An automatic capture after a delay is reported; an immediate capture is not. */
function approval(payment: Payment, say: ToMessage): Message[] {
  const authorised = (): void => {
    if (payment.state === 'waiting') payment.state = payment.isDelayed ? 'held' : 'captured';
  };
  const first = authorisation(payment, say, true, { after: 1, happens: authorised });
  if (!payment.isDelayed) return [first];
  const captured = (): void => {
    if (payment.state === 'held') payment.state = 'captured';
  };
  const last = later(payment, say, { eventCode: 'CAPTURE' }, { after: 2, happens: captured });
  return [first, { ...last, request: (sending) => (payment.isAsked ? undefined : last.request(sending)) }];
}

/**
 * The webhooks for a capture or a cancel. One with an amount in `.58` is refused. The scheme refuses a capture in `.59`
 * after it was reported.
 */
export function collectionMessages(
  payment: Payment,
  what: 'captures' | 'cancels',
  say: ToMessage,
  own: Pick<Said, 'pspReference' | 'merchantReference' | 'amount'>,
): Message[] {
  const [end, next] = refundEnds(ruleOf(own.amount));
  const isPossible = payment.state === 'held' && BigInt(own.amount.value) <= BigInt(payment.amount.value);
  const success = isPossible && end === 'done';
  const eventCode = what === 'captures' ? 'CAPTURE' : 'CANCELLATION';
  payment.isAsked = true;
  if (success) payment.state = what === 'captures' ? 'captured' : 'ended';
  const reason = success ? {} : { reason: 'Insufficient balance on payment' };
  const first = later(payment, say, { ...own, eventCode, success, ...reason }, { after: 1 });
  if (!success || what !== 'captures' || next === undefined) return [first];
  const failed = {
    eventCode: 'CAPTURE_FAILED',
    reason: 'Capture rejected by card scheme because of a technical issue',
  };
  const happens = (): void => void (payment.state = 'ended');
  return [first, later(payment, say, { ...own, ...failed }, { after: 2, happens })];
}

/** A later item: it has its own reference, the payment's reference, and the reference that the request had. */
export function later(
  { pspReference, merchantReference, amount }: Payment,
  say: ToMessage,
  said: Partial<Said> & Pick<Said, 'eventCode'>,
  timing: Timing,
): Message {
  const own = { pspReference: newPspReference(), originalReference: pspReference, merchantReference, amount };
  return say({ ...own, success: true, ...said }, timing);
}

/** What happens later to an approved payment automatically. */
function aftermath(payment: Payment, say: ToMessage): Message[] {
  const after = payment.isDelayed ? 3 : 2;
  if (payment.card.kind === 'refunded_later') {
    payment.returned = BigInt(payment.amount.value);
    return [later(payment, say, { eventCode: 'REFUND' }, { after })];
  }
  if (payment.card.kind !== 'charged_back_later') return [];
  const dispute = {
    pspReference: newPspReference(),
    reason: 'Other Fraud-Card Absent Environment',
    additionalData: {
      chargebackReasonCode: '10.4',
      chargebackSchemeCode: 'visa',
      defensePeriodEndsAt: '2031-07-31T03:03:07+02:00',
      defendable: 'true',
    },
  };
  return [
    later(payment, say, { eventCode: 'NOTIFICATION_OF_CHARGEBACK', ...dispute }, { after }),
    later(payment, say, { eventCode: 'DISPUTE_DEFENSE_PERIOD_ENDED', ...dispute }, { after: after + 1 }),
  ];
}

/** The webhooks for a refund; its amount decides. */
export function refundMessages(
  payment: Payment,
  say: ToMessage,
  refund: Pick<Said, 'pspReference' | 'merchantReference' | 'amount'>,
): Message[] {
  const value = BigInt(refund.amount.value);
  return refundEnds(ruleOf(refund.amount)).map((end, at) => {
    const said = { done: ['REFUND', true], failed: ['REFUND', false], reversed: ['REFUNDED_REVERSED', true] } as const;
    const [eventCode, success] = said[end];
    const happens = (): void => void (payment.returned -= end === 'done' ? 0n : value);
    return later(payment, say, { ...refund, eventCode, success }, { after: at + 1, happens });
  });
}

/** The answer to a payment, and to its details. */
export function presentPayment(payment: Payment, redirectUrl: string): Record<string, unknown> {
  const { pspReference, merchantReference, amount, state, refusal, isChallenged, pressed } = payment;
  if (state === 'open') {
    const action = { paymentMethodType: 'scheme', url: redirectUrl, method: 'GET', type: 'redirect' };
    return { resultCode: 'RedirectShopper', action };
  }
  const about = { pspReference, merchantReference };
  if (state === 'waiting') return { ...about, resultCode: 'Received' };
  const shown = { threeDAuthenticated: String(pressed === 'pass'), threeDOffered: String(isChallenged) };
  if (refusal) {
    const [refusalReasonCode, refusalReason] = refusal;
    return { ...about, additionalData: shown, resultCode: 'Refused', refusalReason, refusalReasonCode };
  }
  return { ...about, additionalData: shown, resultCode: 'Authorised', amount: toJson(amount) };
}
