/** Reads a status answer: a charge answer that contains everything reported by callback, as events. */
import { noInformation, notFound, readAs, v, type Ability } from '@paywright/contract';
import { Charge, isAbout, Movement, toEvent } from './charge.ts';
import type { Options } from './options.ts';
import { signedRequest } from './signing.ts';
import { openReply, readError } from './wire.ts';

const Status = v.object({
  ...Charge.entries,
  events: v.array(v.object({ gid: v.pipe(v.string(), v.nonEmpty()), ...Movement.entries })),
});

/** States in which a charge can stay. Any other state is reported only by events. */
const reached = new Set(['PAID', 'UNPAID', 'AUTHED', 'CLOSED', 'LAPSED']);

export const fetchStatus: Ability<'fetchStatus', Options> = async (payment, ctx) => {
  const { reference } = payment;
  const reply = await ctx.http.send(signedRequest(`/v1/charges?ref=${encodeURIComponent(reference)}`, ctx));
  if (reply.status === 404 && readError(reply)?.reason === 'NO_CHARGE') return notFound(payment);
  const charge = readAs(Status, await openReply(reply, reference, ctx));
  if (!charge || !isAbout(charge, payment)) return noInformation('the answer is not a verified status of this payment');
  const { g_txn, status } = charge;
  const events = charge.events.map(({ gid, ...movement }) => toEvent(gid, { ...charge, ...movement }));
  // G may reach a state a moment before it creates the callback.
  if (reached.has(status) && events.every(({ providerStatus }) => providerStatus !== status)) {
    events.push(toEvent(`${g_txn}:${status}`, charge));
  }
  if (events.length > 0) return { result: 'events', events };
  // The status does not show the challenge: only the answer to the charge did.
  if (status === 'CHALLENGE') return { result: 'waiting', awaitsPayer: true };
  return status === 'WAITING' ? { result: 'waiting' } : noInformation('G names an unknown state');
};
