/** A charge: how the vault shows a payment in its answers, and the outcome of each answer. */
import {
  defined,
  filled,
  isSameMoney,
  jsonDigits,
  lenient,
  moneyFromMinor,
  namesAttempt,
  readAs,
  readJsonObject,
  redirectTo,
  toEventDecline,
  toPaymentOutcome,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type ReportedEvent,
  type StoredPayment,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { mapStatus, refusalOf } from './statuses.ts';

/** Minor units: any non-negative whole number. */
export const Minor = jsonDigits(40);

const Text = v.string();
/** A whole reply about a charge. Its `token` names the saved card, which is not needed here. */
const Reply = v.object({
  charge: v.object({ id: filled, ref: Text, mid: Text, state: Text, minor: Minor, cur: Text, why: v.nullish(Text) }),
  step: lenient(v.object({ url: Text })),
});
type Reply = v.InferOutput<typeof Reply>;

type Asked = Pick<StoredPayment, 'reference' | 'money' | 'providerReference'>;

/** Reads a whole reply about this attempt, with the vault's own id if that is known. Undefined for any other reply. */
export function readReply(message: unknown, asked: Asked, { merchantId }: Options): Reply | undefined {
  const reply = readAs(Reply, message);
  const { id = '', ref = '', mid } = reply?.charge ?? {};
  return mid === merchantId && namesAttempt(asked, ref, id) ? reply : undefined;
}

/** The charge as an event. A challenge has the redirect to 3D Secure. */
export function toEvent({ charge, step }: Reply): ReportedEvent {
  const { id, ref, state, minor, cur, why } = charge;
  return {
    kind: 'payment',
    providerStatus: `charge.${state}`,
    reference: ref,
    providerReference: id,
    ...moneyFromMinor(minor, cur),
    dedupeKey: `${id}:${state}`,
    ...(state === 'failed' ? toEventDecline(refusalOf(why)) : {}),
    ...defined({ action: state === 'challenge' ? redirectTo(step?.url, id) : undefined }),
  };
}

/** The outcome of a reply to a charge or to its completion. Unknown if the reply is incomplete or about other money. */
export function chargeOutcome(reply: HttpReply, asked: Asked, options: Options): Outcome {
  const read = readReply(readJsonObject(reply.body), asked, options);
  if (!read || !isSameMoney(moneyFromMinor(read.charge.minor, read.charge.cur), asked.money)) {
    return unknown('the answer is not a charge answer about this payment');
  }
  const { id: providerReference, state, why } = read.charge;
  const event = toEvent(read);
  const status = mapStatus(event, 'fetch');
  // Status 402 means that the charge failed. If the body contradicts it, the outcome is unknown.
  if (reply.status === 402 && !['failed', 'cancelled', 'expired'].includes(status)) {
    return unknown('status 402 contradicts a charge that did not fail');
  }
  const noAction = state === 'challenge' ? 'a challenge without an address' : undefined;
  const shown = { providerReference, providerStatus: state, action: event.action, noAction };
  return toPaymentOutcome(status, { ...shown, decline: refusalOf(why) });
}
