/** A charge: how G shows a payment and its history, in answers, callbacks and status answers. */
import {
  declineOf,
  eventDeclineOf,
  fromMinor,
  jsonDigits,
  readAs,
  readRfc3339,
  toMinor,
  unknown,
  v,
  webAddress,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type ReportedEvent,
} from '@paywright/contract';
import type { Context } from './options.ts';
import { declines, kindOf } from './statuses.ts';
import { errorOutcome, openReply } from './wire.ts';

/** Digits of an amount in minor units. */
export const MAX_DIGITS = 18;

const Text = v.fallback(v.nullish(v.string()), null);

/** One movement of money, or one state. */
export const Movement = v.object({
  status: v.string(),
  minor: jsonDigits(MAX_DIGITS),
  cur: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/, 'three capitals')),
  why: Text,
  at: Text,
});

/** A movement, with the charge that it belongs to. */
export const Report = v.object({ g_txn: v.string(), gw_ref: v.string(), ...Movement.entries });
type Report = v.InferOutput<typeof Report>;

const Challenge = v.object({ id: v.string(), url: webAddress, creq: v.string() });

/** A charge answer. A status answer has more members. */
export const Charge = v.object({
  ...Report.entries,
  g_txn: v.pipe(v.string(), v.nonEmpty()),
  challenge: v.fallback(v.nullish(Challenge), null),
});
type Charge = v.InferOutput<typeof Charge>;

/** True for a charge of exactly this attempt's amount and currency. */
export function isAbout({ gw_ref, minor, cur }: Charge, { reference, money }: AttemptFacts): boolean {
  return gw_ref === reference && cur === money.currency && minor === toMinor(money);
}

/** The outcome of the answer to a charge, or to its completion. */
export async function chargeOutcome(reply: HttpReply, payment: AttemptFacts, ctx: Context): Promise<Outcome> {
  if (reply.status !== 200) return errorOutcome(reply);
  const charge = readAs(Charge, await openReply(reply, payment.reference, ctx));
  if (!charge || !isAbout(charge, payment)) return unknown('the answer is not a verified answer about this payment');
  const { g_txn: providerReference, status, why, challenge } = charge;
  switch (status) {
    case 'PAID':
      return { outcome: 'succeeded', providerReference };
    case 'UNPAID': {
      const threeDs = why === 'SECURE_FAILED' ? { threeDsResult: 'N' } : {};
      return { outcome: 'failed', providerReference, ...declineOf(declines, why), ...threeDs };
    }
    case 'CLOSED':
    case 'LAPSED':
      return { outcome: 'failed', providerReference, reason: `G ended the charge: ${status}` };
    case 'AUTHED':
      return { outcome: 'pending', providerReference, authorised: true };
    case 'WAITING':
      return { outcome: 'pending', providerReference };
    case 'CHALLENGE':
      return challenge
        ? { outcome: 'pending', providerReference, action: challengeAction(challenge, ctx) }
        : { outcome: 'unknown', providerReference, reason: 'a 3D Secure challenge without its form' };
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: status };
  }
}

/** The payer's browser posts this form to the issuer. The issuer posts the gateway's token back to /callbacks/3ds. */
function challengeAction({ id, url, creq }: v.InferOutput<typeof Challenge>, { threeDsToken = '' }: Context): Action {
  const fields = { creq, threeDSSessionData: threeDsToken };
  return { type: 'redirect', method: 'POST', url, fields, transactionId: id };
}

/** The event of a report. `gid` is its identity, the same in a callback and in a status answer. */
export function toEvent(gid: string, { g_txn, gw_ref, status, minor, cur, why, at }: Report): ReportedEvent {
  const occurredAt = at ? readRfc3339(at) : undefined;
  return {
    kind: kindOf(status),
    providerStatus: status,
    reference: gw_ref,
    providerReference: g_txn,
    amount: fromMinor(minor, cur),
    currency: cur,
    dedupeKey: gid,
    ...(status === 'UNPAID' ? eventDeclineOf(declines, why) : {}),
    ...(occurredAt ? { occurredAt } : {}),
  };
}
