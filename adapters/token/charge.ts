/** A charge: how the vault shows a payment in its answers, and what that says. */
import {
  fromMinor,
  isWebAddress,
  jsonDigits,
  readAs,
  readJsonObject,
  toMinor,
  toPaymentOutcome,
  unknown,
  v,
  type Action,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type ReportedEvent,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { eventRefusalOf, mapStatus, refusalOf } from './statuses.ts';

/** Minor units: any whole number that is not negative. */
export const Minor = jsonDigits(40);

/** A whole reply about a charge. Its `token` names the saved card, and is not needed here. */
const Reply = v.object({
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
type Reply = v.InferOutput<typeof Reply>;

/** A whole reply about the payment that was asked for; undefined where it cannot be read or names another one. */
export function readReply(message: unknown, { reference }: AttemptFacts, { merchantId }: Options): Reply | undefined {
  const reply = readAs(Reply, message);
  return reply?.charge.mid === merchantId && reply.charge.ref === reference ? reply : undefined;
}

/** The payer's way to 3D Secure; undefined where the reply names no address of the web. */
function challengeOf({ charge, step }: Reply): Action | undefined {
  if (charge.state !== 'challenge' || !step || !isWebAddress(step.url)) return undefined;
  return { type: 'redirect', method: 'GET', url: step.url, transactionId: charge.id };
}

/** How the charge stands, as an event. */
export function toEvent(reply: Reply): ReportedEvent {
  const { id, ref, state, minor, cur, why } = reply.charge;
  const action = challengeOf(reply);
  return {
    kind: 'payment',
    providerStatus: `charge.${state}`,
    reference: ref,
    providerReference: id,
    amount: fromMinor(minor, cur),
    currency: cur,
    dedupeKey: `${id}:${state}`,
    ...(state === 'failed' ? eventRefusalOf(why) : {}),
    ...(action ? { action } : {}),
  };
}

/** The outcome of a whole reply to a charge, or to its completion (then `id` is the charge's); else unknown. */
export function chargeOutcome(reply: HttpReply, payment: AttemptFacts, options: Options, id?: string): Outcome {
  const read = readReply(readJsonObject(reply.body), payment, options);
  if (!read || !isFor(read, payment, id)) return unknown('the answer is no charge answer about this payment');
  const { id: providerReference, state, why } = read.charge;
  const event = toEvent(read);
  const status = mapStatus(event, 'fetch');
  // 402 says that the charge failed; where the body says otherwise, nobody knows.
  if (reply.status === 402 && !['failed', 'cancelled', 'expired'].includes(status)) {
    return unknown('402 with a charge that did not fail');
  }
  if (state === 'challenge' && !event.action) {
    return { outcome: 'unknown', providerReference, reason: 'a challenge without an address' };
  }
  const { action } = event;
  return toPaymentOutcome(status, { providerReference, providerStatus: state, action, decline: refusalOf(why) });
}

function isFor({ charge }: Reply, { money }: AttemptFacts, id = charge.id): boolean {
  return charge.id === id && charge.cur === money.currency && charge.minor === toMinor(money);
}
