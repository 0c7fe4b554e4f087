/** The charge: what we ask, and what G's answer to it, to its completion and to a status question says. */
import {
  declineOf,
  isWebAddress,
  jsonDigits,
  JsonNumber,
  readAs,
  readMinor,
  stringifyExact,
  unknown,
  v,
  type Action,
  type AttemptFacts,
  type Card,
  type HttpReply,
  type Outcome,
  type Provider,
  type Submission,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { errorOutcome, openReply } from './reply.ts';
import { declines, MAX_DIGITS, Text } from './words.ts';

/** The plaintext of a charge; `minor` in digits. */
export function chargeText(
  payment: Submission,
  card: Card,
  minor: string,
  { options, publicUrl }: Provider<Options>,
): string {
  const { payer, is3ds } = payment;
  return stringifyExact({
    mid: options.merchantId,
    gw_ref: payment.reference,
    minor: new JsonNumber(minor),
    cur: payment.money.currency,
    card: { pan: card.number, exp: `${card.expiryYear}-${card.expiryMonth}`, cvv: card.cvv },
    payer: { name: payer.name, email: payer.email, phone: payer.phoneNumber, ip: payer.ipAddress },
    address: {
      street: payer.address,
      city: payer.city,
      state: payer.state,
      zip: payer.postalCode,
      country: payer.country,
    },
    secure: is3ds === undefined ? 'auto' : is3ds ? 'demand' : 'skip',
    delayHours: payment.captureDelayHours ?? 0,
    termUrl: `${publicUrl}/callbacks/3ds`,
    browser: payment.browserInfo ?? null,
  });
}

const Challenge = v.object({
  id: v.string(),
  url: v.pipe(v.string(), v.check(isWebAddress, 'an address of the web')),
  creq: v.string(),
});

/** A charge answer. A status answer has more members (status.ts). */
export const Charge = v.object({
  g_txn: v.pipe(v.string(), v.nonEmpty()),
  gw_ref: v.string(),
  status: v.string(),
  minor: jsonDigits(MAX_DIGITS),
  cur: v.string(),
  why: Text,
  challenge: v.fallback(v.nullish(Challenge), null),
});
export type Charge = v.InferOutput<typeof Charge>;

export function isAbout({ gw_ref, minor, cur }: Charge, { reference, money }: AttemptFacts): boolean {
  return gw_ref === reference && cur === money.currency && minor === readMinor(money, MAX_DIGITS);
}

/** The outcome of a submission. */
export async function chargeOutcome(
  reply: HttpReply,
  payment: AttemptFacts,
  provider: Provider<Options>,
): Promise<Outcome> {
  if (reply.status !== 200) return errorOutcome(reply);
  const charge = readAs(Charge, await openReply(reply, payment.reference, provider));
  if (!charge || !isAbout(charge, payment)) return unknown('the answer is no proven one about this payment');
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
        ? { outcome: 'pending', providerReference, action: challengeAction(challenge, provider) }
        : { outcome: 'unknown', providerReference, reason: 'a 3D Secure challenge without its form' };
    default:
      return { outcome: 'unknown', providerReference, unknownWord: status };
  }
}

/** The payer's browser posts this form to the issuer, who posts the gateway's token back to /callbacks/3ds. */
function challengeAction(
  { id, url, creq }: v.InferOutput<typeof Challenge>,
  { threeDsToken = '' }: Provider<Options>,
): Action {
  const fields = { creq, threeDSSessionData: threeDsToken };
  return { type: 'redirect', method: 'POST', url, fields, transactionId: id };
}
