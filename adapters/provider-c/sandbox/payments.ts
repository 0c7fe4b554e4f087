/** C's payments: their states, the result for each card, and the callbacks that follow. */
import { hash, toMinor, type DeclineCode, type Money } from '@paywright/contract';
import {
  cardBehaviour,
  newId,
  type AmountRule,
  type CardBehaviour,
  type Message,
  type PageSummary,
} from '@paywright/contract/sandbox';
import type { Account } from '../options.ts';

/** The facts that the gateway sent and that every hash covers. */
export interface Order {
  readonly c_ref: string;
  /** The total in its original spelling. */
  readonly c_total: string;
  readonly c_item: string;
  readonly c_name: string;
  readonly c_mail: string;
  readonly x1: string;
  readonly x2: string;
  readonly x3: string;
  readonly x4: string;
  readonly x5: string;
}

export interface Payment {
  readonly id: string;
  readonly account: Account;
  readonly order: Order;
  readonly money: Money;
  readonly rule: AmountRule | undefined;
  readonly threeDsWish: 'auto' | 'must' | 'skip';
  /**
   * Addresses: of the server form, of the browser's return, and of the issuer's answer if the card came server to
   * server.
   */
  readonly note: string;
  readonly back: string;
  readonly issuerBack?: string;
  /** Names the 3D Secure transaction. */
  readonly tds: string;
  /** The expiry of an abandoned challenge or page, in Unix milliseconds. */
  readonly endsAt: number;
  state: 'pending' | 'challenge' | 'success' | 'failure' | 'usercancel' | 'lapsed';
  /** The reason for the state `failure`. */
  why?: string;
  msg?: string;
  auth?: string;
  /** The data of the hosted page. Undefined if the card came server to server. */
  page?: 'card' | 'challenge' | 'done';
  /** The payer's next step at the issuer, for the state `challenge`. */
  step?: 'method' | 'creq' | 'pareq';
  pressed?: 'pass' | 'fail';
  /** The masked card, never the number itself. */
  card?: { readonly print: string; readonly behaviour: CardBehaviour };
  /** Requested refunds that were not refused, and completed refunds, in minor units. */
  asked: bigint;
  returned: bigint;
  dispute: 'no' | 'open' | 'won' | 'lost' | 'back';
}

/** The members of one form in addition to the order. */
export interface Said {
  readonly state: string;
  /** The operation's amount, if it is not the payment's. */
  readonly total?: string;
  readonly extra?: string;
  readonly why?: string | undefined;
  readonly msg?: string | undefined;
  readonly auth?: string | undefined;
}

/** Posts a report to the payment's `c_note` after the given sandbox delays. `happens` runs at the moment of sending. */
export type Notify = (payment: Payment, said: Said, after: number, happens?: () => void) => Message;

const refusals: Readonly<Partial<Record<DeclineCode, readonly [why: string, msg: string]>>> = {
  '05': ['do_not_honour', 'Refused by the issuer'],
  '51': ['no_funds', 'Not enough money'],
  '54': ['card_expired', 'The card has expired'],
  '57': ['not_allowed', 'Not allowed for this card'],
  '61': ['over_limit', 'Over the limit of the card'],
};

export function printOf(pan: string): string {
  return hash('sha256', pan).toString('hex');
}

export function giveCard(payment: Payment, pan: string): void {
  payment.card = { print: printOf(pan), behaviour: cardBehaviour(pan) };
}

/** Whether the payer must pass 3D Secure with this card. */
export function isChallenged({ threeDsWish, card }: Payment): boolean {
  const kind = card?.behaviour.kind ?? 'approved';
  if (threeDsWish === 'skip') return false;
  if (kind === 'challenge') return true;
  const isApproved = ['approved', 'silent', 'refunded_later', 'charged_back_later'].includes(kind);
  return threeDsWish === 'must' && isApproved;
}

/** Whether the payer still has a step to do: a page or a challenge. */
export function awaitsPayer({ state, page }: Payment): boolean {
  return state === 'challenge' || page === 'card' || page === 'challenge';
}

/** The text about the payment on pages. */
export function summaryOf({ account, money, order }: Payment): PageSummary {
  return { money, shop: account.key, reference: order.c_ref };
}

/** The question of a challenge. */
export function isItYou({ order }: Payment): string {
  return `${order.c_item}: is it you who pays?`;
}

/** The payment's own fields. */
export function saidOf({ state, why, msg, auth }: Payment): Said {
  return state === 'failure' ? { state, why, msg, auth } : { state };
}

export function refuse(payment: Payment, why: string, msg: string, auth?: string): void {
  Object.assign(payment, { state: 'failure', why, msg, auth });
}

/** The reports of a payment in its current state. With `.56` a pending report follows. */
export function conclusion(payment: Payment, notify: Notify): Message[] {
  return reportedAs(payment, saidOf(payment), notify);
}

function reportedAs(payment: Payment, said: Said, notify: Notify, happens?: () => void): Message[] {
  // The rule swaps the first two reports.
  return payment.rule === '.56'
    ? [notify(payment, { state: 'pending' }, 1), notify(payment, said, 2, happens)]
    : [notify(payment, said, 1, happens)];
}

/** Decides the payment by its card or by a failed challenge. Returns the reports that C sends about it. */
export function decide(payment: Payment, notify: Notify): Message[] {
  const { kind, decline = '05' } = payment.card!.behaviour;
  const [why, msg] = refusals[decline]!;
  if (payment.pressed === 'fail') {
    refuse(payment, 'auth_failed', '3D Secure failed', payment.page ? undefined : 'N');
    return conclusion(payment, notify);
  }
  const approve = (): void => {
    payment.state = 'success';
  };
  switch (kind) {
    case 'pending_forever':
      payment.state = 'pending';
      return [];
    case 'pending_approved':
      payment.state = 'pending';
      // Free text that the hash covers and that has no meaning.
      return reportedAs(payment, { state: 'success', extra: 'fee=0.35' }, notify, approve);
    case 'pending_declined':
      payment.state = 'pending';
      return reportedAs(payment, { state: 'failure', why, msg }, notify, () => refuse(payment, why, msg));
    case 'declined':
      refuse(payment, why, msg);
      return conclusion(payment, notify);
    case 'approved':
    case 'challenge':
    case 'silent':
    case 'refunded_later':
    case 'charged_back_later': {
      approve();
      const scenario = conclusion(payment, notify);
      return [...scenario, ...aftermath(payment, kind, scenario.length + 1, notify)];
    }
  }
}

/** Later events of a paid payment that no request triggers. */
function aftermath(payment: Payment, kind: CardBehaviour['kind'], after: number, notify: Notify): Message[] {
  if (kind === 'refunded_later') {
    const total = BigInt(toMinor(payment.money));
    payment.asked = total;
    const happens = (): void => {
      payment.returned = total;
    };
    return [notify(payment, { state: 'refunded', extra: newId('RF-', 6) }, after, happens)];
  }
  if (kind !== 'charged_back_later') return [];
  const extra = newId('DP-', 4);
  const becomes = (dispute: Payment['dispute']) => () => {
    payment.dispute = dispute;
  };
  return [
    notify(payment, { state: 'disputed', extra }, after, becomes('open')),
    notify(payment, { state: 'disputelost', extra }, after + 1, becomes('lost')),
  ];
}
