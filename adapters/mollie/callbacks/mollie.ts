/**
 * Route `POST mollie`. A ping only means that payment X may have changed. Nothing is signed, and the fetch that follows
 * reads everything else.
 */
import { acknowledgeBy, defineRoute, empty, malformed, readForm, toPing, unproven } from '@paywright/contract';
import type { Options } from '../options.ts';
import { isPaymentId } from '../payment.ts';

export const callback = defineRoute<Options, string>({
  path: 'mollie',
  method: 'POST',
  caller: 'server',
  reports: 'that a payment changed',
  contentTypes: ['application/x-www-form-urlencoded'],

  verifySignature(raw) {
    const id = readForm(raw, ['id'])?.get('id');
    if (id === undefined) return malformed('the body is not a form with one id');
    return isPaymentId(id) ? unproven(id) : malformed('id is not the id of a payment');
  },

  parseCallback({ value }) {
    return { events: [toPing(value)] };
  },

  // The same answer for an unknown id, as Mollie requires. Mollie sends the ping again unless the answer is 200.
  acknowledge: acknowledgeBy({
    accepted: empty(200),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
