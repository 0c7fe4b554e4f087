/** POST mollie: *look at payment X*. Nothing is signed, and the fetch that follows says all else. */
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
    if (id === undefined) return malformed('no form with one id');
    return isPaymentId(id) ? unproven(id) : malformed('id is no id of a payment');
  },

  parseCallback({ value }) {
    return { events: [toPing(value)] };
  },

  // Also for an id that nobody knows, as Mollie wants it. Anything but 200 makes it send again.
  acknowledge: acknowledgeBy({
    accepted: empty(200),
    invalid_signature: empty(401),
    malformed: empty(400),
    try_later: empty(503),
  }),
});
