/** The test values that all sandboxes share: which card number and which amount cause which behaviour. */
import { decimalsOf } from '../money/currencies.ts';
import { formatAmount, type Money } from '../money/money.ts';
import { declineReasons, type DeclineCode } from '../statuses/decline-codes.ts';
import type { TestValue } from './sandbox-contract.ts';

/** The behaviour that a card number causes. */
export interface CardBehaviour {
  readonly kind:
    | 'approved'
    | 'declined'
    /** 3D Secure; approved if the provider has none. */
    | 'challenge'
    /** Pending, settled by callback after the sandbox delay. */
    | 'pending_approved'
    | 'pending_declined'
    | 'pending_forever'
    /** Charged, but the connection is closed without an answer. */
    | 'silent'
    | 'refunded_later'
    | 'charged_back_later';
  /** With `declined` and `pending_declined`. */
  readonly decline?: DeclineCode;
}

const cards: Readonly<Record<string, CardBehaviour>> = {
  '4000000000000002': { kind: 'declined', decline: '05' },
  '4000000000009995': { kind: 'declined', decline: '51' },
  '4000000000000069': { kind: 'declined', decline: '54' },
  '4000000000000127': { kind: 'declined', decline: '57' },
  '4000000000000259': { kind: 'declined', decline: '61' },
  '4000000000003220': { kind: 'challenge' },
  '4000000000003063': { kind: 'pending_approved' },
  '4000000000003089': { kind: 'pending_declined', decline: '05' },
  '4000000000003097': { kind: 'pending_forever' },
  '4000000000006975': { kind: 'silent' },
  '4000000000000341': { kind: 'refunded_later' },
  '4000000000000440': { kind: 'charged_back_later' },
};

const approvedCards = ['4111111111111111', '5555555555554444'];

const resultOf: Readonly<Record<CardBehaviour['kind'], string>> = {
  approved: 'paid',
  declined: 'declined',
  challenge: 'challenge by 3D Secure; paid if the provider has none',
  pending_approved: 'pending, then paid',
  pending_declined: 'pending, then declined',
  pending_forever: 'pending forever',
  silent: 'pending: charged, but the answer never arrives; then paid',
  refunded_later: 'paid, refunded in full later',
  charged_back_later: 'paid, charged back later, and the dispute is lost',
};

/** The cards of every sandbox that takes cards. Any expiry in the future and any CVV are accepted. */
export const testCards: readonly TestValue[] = [
  ...approvedCards.map((value): TestValue => ({ member: 'number', value, result: resultOf.approved })),
  ...Object.entries(cards).map(([value, { kind, decline }]): TestValue => {
    const reason = decline && `${decline}: ${declineReasons[decline]}`;
    return { member: 'number', value, result: [resultOf[kind], reason].filter(Boolean).join(' ') };
  }),
];

/** The amounts of every sandbox, by their last two digits. */
export const testAmounts: readonly TestValue[] = [
  { member: 'amount', value: '.50', result: 'refused: the provider fails before any charge (PAY005)' },
  { member: 'amount', value: '.51', result: 'paid: the provider answers 429 once, and the gateway repeats the call' },
  {
    member: 'amount',
    value: '.52',
    result: 'pending: a proxy answers instead of the provider; nothing is charged, and the payment fails later',
  },
  { member: 'amount', value: '.53', result: 'pending: charged, but the answer cannot be read; then paid' },
  { member: 'amount', value: '.54', result: 'paid: each callback of the provider arrives three times' },
  { member: 'amount', value: '.55', result: 'paid: the first callback arrives before the answer' },
  { member: 'amount', value: '.56', result: 'paid: callbacks arrive in the wrong order' },
  { member: 'amount', value: '.57', result: 'paid: a callback with a wrong signature arrives first' },
];

/** The behaviour of a card. A number without a behaviour of its own is approved (call `isCardNumber` first). */
export function cardBehaviour(number: string): CardBehaviour {
  return Object.hasOwn(cards, number) ? cards[number]! : { kind: 'approved' };
}

/** True for 8 to 19 digits with a valid check digit. */
export function isCardNumber(number: string): boolean {
  if (!/^\d{8,19}$/.test(number)) return false;
  let sum = 0;
  for (let place = 0; place < number.length; place += 1) {
    const digit = Number(number[number.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/**
 * The behaviour that an amount causes, by the two digits after the point:
 * - `.50` an error 500 before any charge
 * - `.51` 429 once
 * - `.52` a proxy's HTML page, nothing charged
 * - `.53` charged, but the answer is cut
 * - `.54` each callback three times
 * - `.55` the callback before the answer
 * - `.56` callbacks out of order
 * - `.57` the first callback signed with a wrong secret, then rightly
 * - `.58`, `.59` refunds, as the provider's own README says
 * - `.60` underpaid
 * - `.61` overpaid
 * - `.62` paid late
 * - `.63` never paid
 * - `.64` seen, then invalid
 */
export type AmountRule =
  `.5${'0' | '1' | '2' | '3' | '4' | '5' | '6' | '7' | '8' | '9'}` | `.6${'0' | '1' | '2' | '3' | '4'}`;

/**
 * The rule of an amount in major units; undefined if it has none. A currency without decimals has no rules; `.500` KWD
 * is `.50`.
 */
export function amountRule({ amount, currency }: Money): AmountRule | undefined {
  if (decimalsOf(currency) === 0) return undefined;
  const rule = `.${formatAmount({ amount, currency }).split('.')[1]!.slice(0, 2)}`;
  return /^\.(5\d|6[0-4])$/.test(rule) ? (rule as AmountRule) : undefined;
}

/**
 * How a refund ends, by the rule of its own amount, unless the provider's sandbox says otherwise: `.58` fails, `.59` is
 * done and then reversed, any other is done.
 */
export function refundEnds(rule: AmountRule | undefined): readonly ('done' | 'failed' | 'reversed')[] {
  if (rule === '.58') return ['failed'];
  return rule === '.59' ? ['done', 'reversed'] : ['done'];
}
