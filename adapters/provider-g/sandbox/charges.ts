/** G's charges: how a card and an amount decide the result, and when it is reported. */
import { randomInt } from 'node:crypto';
import { JsonNumber, moneyFromMinor, type DeclineCode } from '@paywright/contract';
import {
  amountRule,
  cardBehaviour,
  newId,
  type AmountRule,
  type CardBehaviour,
  type Message,
} from '@paywright/contract/sandbox';
import { openChallenge, type Challenge } from './challenge.ts';
import type { ChargeRequest } from './requests.ts';
import { presentReported, timeText, type Messages, type Reported } from './messages.ts';

export interface Charge {
  readonly g_txn: string;
  readonly gw_ref: string;
  /** Minor units, in digits. */
  readonly minor: string;
  readonly cur: string;
  /** Number and expiry: a repetition must have the same. */
  readonly card: string;
  readonly behaviour: CardBehaviour;
  readonly rule: AmountRule | undefined;
  readonly delayed: boolean;
  readonly challenge: Challenge | null;
  status: string;
  why: string | null;
  at: string;
  /** The answer that decided the charge. A repeated completion gets it again. */
  decided?: Readonly<Record<string, unknown>>;
  /** Oldest first. */
  readonly events: Reported[];
  /** Requested refunds, in minor units. */
  asked: bigint;
}

/** 19 digits, so that no double can hold it. */
export function newTxn(): string {
  return `42${String(randomInt(2 ** 47)).padStart(17, '0')}`;
}

export function newGid(): string {
  return newId('g_', 12);
}

export function ruleOf(minor: string, cur: string): AmountRule | undefined {
  return amountRule(moneyFromMinor(minor, cur));
}

export function cardOf({ card: { pan, exp } }: ChargeRequest): string {
  return `${pan} ${exp}`;
}

const approvedByNow = new Set<CardBehaviour['kind']>(['approved', 'challenge', 'refunded_later', 'charged_back_later']);

/** A new, undecided charge. `CHALLENGE` if the payer must pass 3D Secure first. */
export function openCharge(asked: ChargeRequest, baseUrl: string, shop: string): Charge {
  const { gw_ref, minor, cur, card, secure, delayHours, termUrl } = asked;
  const behaviour = cardBehaviour(card.pan);
  const summary = { money: moneyFromMinor(minor, cur), shop, reference: gw_ref };
  const isDemanded = secure === 'demand' && approvedByNow.has(behaviour.kind);
  const isChallenged = isDemanded || (secure === 'auto' && behaviour.kind === 'challenge');
  return {
    g_txn: newTxn(),
    gw_ref,
    minor,
    cur,
    card: cardOf(asked),
    behaviour,
    rule: ruleOf(minor, cur),
    delayed: delayHours > 0,
    challenge: isChallenged ? openChallenge(baseUrl, termUrl, summary) : null,
    status: isChallenged ? 'CHALLENGE' : 'WAITING',
    why: null,
    at: timeText(),
    events: [],
    asked: 0n,
  };
}

const refusals: Readonly<Partial<Record<DeclineCode, string>>> = {
  '05': 'DO_NOT_HONOR',
  '51': 'NO_FUNDS',
  '54': 'EXPIRED',
  '57': 'FORBIDDEN',
  '61': 'OVER_LIMIT',
};

/** Decides the charge by its card, or by a failed challenge, and returns the reports that follow. */
export function decide(charge: Charge, messages: Messages): readonly Message[] {
  if (charge.challenge?.pressed === 'fail') return endsNow(charge, 'UNPAID', 'SECURE_FAILED', messages);
  const { kind, decline = '05' } = charge.behaviour;
  switch (kind) {
    case 'pending_forever':
      charge.status = 'WAITING';
      return [];
    case 'declined':
      return endsNow(charge, 'UNPAID', refusals[decline]!, messages);
    case 'pending_declined':
      return endsLater(charge, 'UNPAID', refusals[decline]!, messages);
    case 'pending_approved':
      return endsLater(charge, 'PAID', null, messages);
    case 'approved':
    case 'challenge':
    case 'silent':
    case 'refunded_later':
    case 'charged_back_later': {
      if (charge.delayed) charge.status = 'AUTHED';
      const ends = charge.delayed ? endsLater : endsNow;
      const scenario = ends(charge, 'PAID', null, messages);
      return [...scenario, ...aftermath(charge, messages, scenario.length + 1)];
    }
  }
}

/** An end that the answer already names; reported one delay later. */
function endsNow(charge: Charge, status: string, why: string | null, messages: Messages): Message[] {
  const before = waiting(charge, messages);
  reach(charge, status, why);
  return [...before, messageOf(charge, note(charge, status, why), before.length + 1, messages)];
}

/** An end that is reached when its message is sent. */
function endsLater(charge: Charge, status: string, why: string | null, messages: Messages): Message[] {
  const before = waiting(charge, messages);
  const happens = (): Reported => {
    reach(charge, status, why);
    return note(charge, status, why);
  };
  return [...before, messageWhen(status, happens, charge, before.length + 1, messages)];
}

/** Rule `.56` reports too late that the charge was waiting. */
function waiting(charge: Charge, messages: Messages): Message[] {
  return charge.rule === '.56' ? [messageOf(charge, note(charge, 'WAITING', null), 1, messages)] : [];
}

function reach(charge: Charge, status: string, why: string | null): void {
  Object.assign(charge, { status, why, at: timeText() });
}

/** Adds an event to the status answer. */
function note(charge: Charge, status: string, why: string | null = null, minor = charge.minor): Reported {
  const reported = { gid: newGid(), status, minor, cur: charge.cur, why, at: timeText() };
  charge.events.push(reported);
  return reported;
}

/** What happens later to a paid charge automatically. */
function aftermath(charge: Charge, messages: Messages, after: number): Message[] {
  const { kind } = charge.behaviour;
  if (kind === 'refunded_later') {
    charge.asked = BigInt(charge.minor);
    return [refundMessage(charge, charge.minor, after, messages)];
  }
  if (kind !== 'charged_back_later') return [];
  return ['DISPUTED', 'DISPUTE_LOST'].map((status, at) =>
    messageWhen(status, () => note(charge, status), charge, after + at, messages),
  );
}

/** `REFUND_OK` after this many delays. */
export function refundMessage(charge: Charge, minor: string, after: number, messages: Messages): Message {
  return messageWhen('REFUND_OK', () => note(charge, 'REFUND_OK', null, minor), charge, after, messages);
}

type About = Pick<Charge, 'g_txn' | 'gw_ref'>;

/** Reports an event that already happened. Each sending has a new box and a new signature under the same gid. */
export function messageOf(about: About, reported: Reported, after: number, messages: Messages): Message {
  return messageWhen(reported.status, () => reported, about, after, messages);
}

/** Reports an event that happens at the moment of the report. */
function messageWhen(
  name: string,
  happens: () => Reported,
  { g_txn, gw_ref }: About,
  after: number,
  messages: Messages,
): Message {
  let reported: Reported | undefined;
  return {
    name,
    after,
    request(sending) {
      reported ??= happens();
      const { gid, ...members } = presentReported(reported);
      return messages.callback(gid, kindOf(name), { g_txn, gw_ref, ...members }, sending);
    },
  };
}

function kindOf(status: string): string {
  return status.startsWith('REFUND') ? 'refund' : status.startsWith('DISPUTE') ? 'dispute' : 'payment';
}

/** The charge in the form of an answer. */
export function presentCharge({ g_txn, gw_ref, status, minor, cur, why, challenge, at }: Charge) {
  const { id, url, creq } = challenge ?? {};
  const shown = status === 'CHALLENGE' ? { id, url, creq } : null;
  return { g_txn, gw_ref, status, minor: new JsonNumber(minor), cur, why, challenge: shown, at };
}
