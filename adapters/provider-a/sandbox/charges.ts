/** A's charges: the result for each card and amount, and the callbacks that follow. */
import { fromMinor, type DeclineCode } from '@paywright/contract';
import {
  amountRule,
  cardBehaviour,
  newId,
  type AmountRule,
  type CardBehaviour,
  type Message,
} from '@paywright/contract/sandbox';
import type { Sum } from '../wire.ts';
import { toJson, type About, type Callbacks, type RefundFacts } from './callbacks.ts';
import type { ChargeRequest } from './requests.ts';

export interface Charge extends About {
  readonly sum: Sum;
  readonly card: CardBehaviour;
  readonly rule: AmountRule | undefined;
  readonly delayed: boolean;
  /** The payer must pass 3D Secure first. */
  readonly challenged: boolean;
  readonly backUrl: string;
  state: 'OK' | 'HOLD' | 'NO' | 'WAIT' | 'STEP_UP' | 'VOID' | 'EXPIRED';
  /** The reason for the state `NO`. */
  why?: string;
  whyText?: string;
  /** The button that the payer pressed on the challenge page. */
  pressed?: 'pass' | 'fail';
  /** Requested refunds and completed refunds, in minor units. */
  asked: bigint;
  returned: bigint;
  disputed: boolean;
  /** The ids of refunds that were reported on demand. */
  readonly onDemand: Set<string>;
}

const refusals: Readonly<Partial<Record<DeclineCode, readonly [why: string, text: string]>>> = {
  '05': ['REFUSED', 'Refused by the issuer'],
  '51': ['FUNDS', 'Insufficient funds'],
  '54': ['EXPIRED_CARD', 'The card has expired'],
  '57': ['NOT_PERMITTED', 'Not permitted for this card'],
  '61': ['LIMIT', 'Over the limit of the card'],
};

/** Creates an undecided charge: `STEP_UP` if the payer must pass 3D Secure first. */
export function openCharge(request: ChargeRequest): Charge {
  const { ref, mode, sum, card, stepUp, wallet, capture, backUrl } = request;
  const behaviour = cardBehaviour(card.pan);
  const challenged = !wallet && (stepUp === 'force' || (stepUp === 'auto' && behaviour.kind === 'challenge'));
  return {
    txn: newId('A-', 8),
    ref,
    mode,
    sum,
    card: behaviour,
    rule: ruleOf(sum),
    delayed: capture.delayHours > 0,
    challenged,
    backUrl,
    state: challenged ? 'STEP_UP' : 'WAIT',
    asked: 0n,
    returned: 0n,
    disputed: false,
    onDemand: new Set(),
  };
}

export function ruleOf({ minor, cur }: Sum): AmountRule | undefined {
  return amountRule({ amount: fromMinor(minor, cur), currency: cur });
}

/** Decides the charge by its card or by a failed challenge. Returns the messages that A sends about it. */
export function decide(charge: Charge, callbacks: Callbacks): readonly Message[] {
  if (charge.pressed === 'fail') {
    refuse(charge, 'AUTH3DS', '3D Secure failed');
    return [authorisation(charge, callbacks, false)];
  }
  const { kind, decline = '05' } = charge.card;
  switch (kind) {
    case 'pending_forever':
      charge.state = 'WAIT';
      return [];
    case 'declined':
      refuse(charge, ...refusals[decline]!);
      return [authorisation(charge, callbacks, false)];
    case 'pending_declined':
      charge.state = 'WAIT';
      return [authorisation(charge, callbacks, false, () => refuse(charge, ...refusals[decline]!))];
    case 'pending_approved':
      charge.state = 'WAIT';
      return approval(charge, callbacks);
    case 'approved':
    case 'challenge':
    case 'silent':
    case 'refunded_later':
    case 'charged_back_later':
      charge.state = charge.delayed ? 'HOLD' : 'OK';
      return [...approval(charge, callbacks), ...aftermath(charge, callbacks)];
  }
}

function refuse(charge: Charge, why: string, whyText: string): void {
  Object.assign(charge, { state: 'NO', why, whyText });
}

function operation({ txn, sum, why }: Charge, what: string, good: boolean) {
  return { txn, parent: null, sum, what, good, why: good ? null : (why ?? null) };
}

function authorisation(charge: Charge, callbacks: Callbacks, good: boolean, happens?: () => void): Message {
  return callbacks.batch(charge, [operation(charge, 'AUTH', good)], { after: 1, ...(happens ? { happens } : {}) });
}

/** Sandbox delays until the capture. AUTH and CAPTURE are separate if the capture waits or comes out of order. */
function capturedAfter({ delayed, rule }: Charge): number {
  return delayed || rule === '.56' ? 2 : 1;
}

function approval(charge: Charge, callbacks: Callbacks): Message[] {
  const [auth, capture] = [operation(charge, 'AUTH', true), operation(charge, 'CAPTURE', true)];
  const captured = (): void => {
    charge.state = 'OK';
  };
  if (capturedAfter(charge) === 1) return [callbacks.batch(charge, [auth, capture], { after: 1, happens: captured })];
  const authorised = (): void => {
    if (charge.state === 'WAIT') charge.state = 'HOLD';
  };
  return [
    callbacks.batch(charge, [auth], { after: 1, happens: authorised }),
    callbacks.batch(charge, [capture], { after: 2, happens: captured }),
  ];
}

/** Later events of an approved charge that no request triggers. */
function aftermath(charge: Charge, callbacks: Callbacks): Message[] {
  const after = capturedAfter(charge) + 1;
  if (charge.card.kind === 'refunded_later') {
    charge.asked = BigInt(charge.sum.minor);
    return refundMessages(charge, { id: newId('AR-', 8), refundRef: null, sum: charge.sum }, callbacks, after);
  }
  if (charge.card.kind !== 'charged_back_later') return [];
  const caseId = newId('CASE-', 6);
  const opens = (): void => {
    charge.disputed = true;
  };
  return [
    callbacks.chargeback(charge, charge.sum, caseId, 'opened', { after, happens: opens }),
    callbacks.chargeback(charge, charge.sum, caseId, 'lost', { after: after + 1 }),
  ];
}

/** Reports `done` on the refund route, and the same refund in a batch one delay later. */
export function refundMessages(charge: Charge, refund: RefundFacts, callbacks: Callbacks, after: number): Message[] {
  const { id, sum } = refund;
  const done = (): void => {
    charge.returned += BigInt(sum.minor);
  };
  const entry = { txn: id, parent: charge.txn, sum, what: 'REFUND', good: true, why: null };
  return [
    callbacks.refund(charge, refund, 'done', { after, happens: done }),
    callbacks.batch(charge, [entry], { after: after + 1 }),
  ];
}

/** The charge answer. `stepUpUrl` is the address of the challenge. */
export function presentCharge(
  { txn, ref, state, sum, why, whyText }: Charge,
  stepUpUrl: string,
): Record<string, unknown> {
  return {
    txn,
    ref,
    state,
    sum: toJson(sum),
    ...(state === 'NO' ? { why, whyText } : {}),
    ...(state === 'STEP_UP' ? { stepUp: { url: stepUpUrl } } : {}),
  };
}

/** The status answer. */
export function presentStatus(charge: Charge, stepUpUrl: string): Record<string, unknown> {
  const { state, sum, returned, disputed, pressed } = charge;
  return {
    ...presentCharge(charge, stepUpUrl),
    ...(state === 'STEP_UP' ? { stepUp: { url: stepUpUrl, answered: pressed !== undefined } } : {}),
    returned: toJson({ minor: String(returned), cur: sum.cur }),
    disputed,
  };
}
