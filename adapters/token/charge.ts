/** The charge: what we ask, and what the vault's answer to it, to `complete` and to a status question says. */
import {
  declineOf,
  isWebAddress,
  jsonDigits,
  JsonNumber,
  misconfigured,
  nothingCharged,
  readAs,
  readJsonObject,
  stringifyExact,
  toMinor,
  unknown,
  v,
  type Action,
  type AttemptFacts,
  type DeclineCode,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type Provider,
  type Submission,
} from '@gateway/contract';
import type { Options } from './options.ts';

/** Words of `why`, and codes of a 422. */
export const declines: Readonly<Record<string, DeclineCode>> = {
  do_not_honor: '05',
  no_funds: '51',
  card_expired: '54',
  token_deleted: '54',
  not_allowed: '57',
  token_suspended: '57',
  limit: '61',
  auth_failed: '05',
  token_unknown: '05',
};

/** A POST; with a key, the vault answers a repetition of the same values with what it has already. */
export function post({ apiKey }: Options, path: string, body: unknown, idempotencyKey?: string): HttpRequest {
  return {
    method: 'POST',
    path,
    headers: {
      'Content-Type': 'application/json',
      Authorization: `Bearer ${apiKey}`,
      ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
    },
    body: stringifyExact(body),
  };
}

/** The body of a charge. */
export function chargeBody(payment: Submission, token: string, provider: Provider<Options>): unknown {
  const { payer, money, is3ds } = payment;
  return {
    mid: provider.options.merchantId,
    ref: payment.reference,
    token,
    minor: new JsonNumber(toMinor(money)),
    cur: money.currency,
    auth3: is3ds === undefined ? 'auto' : is3ds ? 'force' : 'skip',
    payer: {
      name: payer.name,
      mail: payer.email,
      phone: payer.phoneNumber,
      line: payer.address,
      city: payer.city,
      region: payer.state,
      zip: payer.postalCode,
      country: payer.country,
      ip: payer.ipAddress,
    },
    browser: payment.browserInfo ?? null,
    back: provider.returnUrl(payment.paymentRequestId),
  };
}

/** Minor units: any whole number that is not negative. */
export const Minor = jsonDigits(40);

/** A whole reply about a charge. Its `token` names the saved card, and is not needed here. */
export const Reply = v.object({
  charge: v.object({
    id: v.pipe(v.string(), v.nonEmpty()),
    ref: v.string(),
    mid: v.string(),
    state: v.string(),
    minor: Minor,
    cur: v.string(),
    why: v.nullish(v.string()),
  }),
  step: v.fallback(v.nullish(v.object({ url: v.string() })), null),
});
export type Reply = v.InferOutput<typeof Reply>;

/** A whole reply about the payment that was asked for; undefined where it cannot be read or names another one. */
export function readReply(message: unknown, { reference }: AttemptFacts, { merchantId }: Options): Reply | undefined {
  const reply = readAs(Reply, message);
  return reply?.charge.mid === merchantId && reply.charge.ref === reference ? reply : undefined;
}

/** The payer's way to 3D Secure; undefined where the reply names no address of the web. */
export function challengeOf({ charge, step }: Reply): Action | undefined {
  if (charge.state !== 'challenge' || !step || !isWebAddress(step.url)) return undefined;
  return { type: 'redirect', method: 'GET', url: step.url, transactionId: charge.id };
}

/** How the charge was refused: the vault's word, and a failed 3D Secure step. */
export function refusalOf(why: string | null | undefined) {
  return { ...declineOf(declines, why), ...(why === 'auth_failed' ? { threeDsResult: 'N' } : {}) };
}

/** The outcome of a whole reply to a charge, or to its completion (then `id` is the charge's); else unknown. */
export function chargeOutcome(reply: HttpReply, payment: AttemptFacts, options: Options, id?: string): Outcome {
  const read = readReply(readJsonObject(reply.body), payment, options);
  if (!read || !isFor(read, payment, id)) return unknown('the answer is no charge answer about this payment');
  const outcome = outcomeOf(read);
  // 402 says that the charge failed; where the body says otherwise, nobody knows.
  return reply.status === 402 && outcome.outcome !== 'failed'
    ? unknown('402 with a charge that did not fail')
    : outcome;
}

function isFor({ charge }: Reply, { money }: AttemptFacts, id = charge.id): boolean {
  return charge.id === id && charge.cur === money.currency && charge.minor === toMinor(money);
}

function outcomeOf(reply: Reply): Outcome {
  const { id: providerReference, state, why } = reply.charge;
  switch (state) {
    case 'succeeded':
      return { outcome: 'succeeded', providerReference };
    case 'failed':
      return { outcome: 'failed', providerReference, ...refusalOf(why) };
    case 'cancelled':
    case 'expired':
      return { outcome: 'failed', providerReference, decline: '05' };
    case 'challenge': {
      const action = challengeOf(reply);
      return action
        ? { outcome: 'pending', providerReference, action }
        : { outcome: 'unknown', providerReference, reason: 'a challenge without an address' };
    }
    case 'authorised':
      return { outcome: 'pending', providerReference, authorised: true };
    case 'pending':
      return { outcome: 'pending', providerReference };
    default:
      return { outcome: 'pending', providerReference, unknownWord: state };
  }
}

const ErrorBody = v.object({ error: v.object({ code: v.string(), charged: v.optional(v.unknown()) }) });

/** The code of an error answer, and whether it says for certain that nothing was charged. */
export function readError(reply: HttpReply): {
  readonly code: string | undefined;
  readonly named: string;
  readonly uncharged: boolean;
} {
  const error = readAs(ErrorBody, readJsonObject(reply.body))?.error;
  const named = `the vault answered ${reply.status}${error ? ` ${error.code}` : ''}`;
  return { code: error?.code, named, uncharged: error?.charged === false };
}

/** What an error answer to a POST with a key means: refused, certainly nothing moved, or unknown. */
export function errorOutcome(reply: HttpReply): Outcome {
  const { code, named, uncharged } = readError(reply);
  switch (reply.status) {
    case 400:
      return code === 'invalid' ? nothingCharged(named) : unknown(named);
    case 401:
    case 403:
      return code === (reply.status === 401 ? 'unauthorised' : 'forbidden')
        ? misconfigured(`${named}: check apiKey and merchantId`)
        : unknown(named);
    case 422:
      return code ? { outcome: 'failed', ...declineOf(declines, code) } : unknown(named);
    case 429:
      return nothingCharged(named);
    case 500:
    case 503:
      return uncharged ? nothingCharged(named) : unknown(named);
    default:
      return unknown(named);
  }
}
