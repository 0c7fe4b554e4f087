/**
 * Callback `POST providerC`: C's server reports every final state, refund and dispute. `c_hash` signs it, salt first.
 */
import { acknowledgeBy, defineRoute, invalidSignature, genuine, malformed, text } from '@paywright/contract';
import { accountNamed, type Options } from '../options.ts';
import { readEvent, type Callback } from '../payment.ts';
import { isSentByC } from '../signing.ts';
import { hasAll, namedAccount, readMessage } from '../wire.ts';

export const serverForm = defineRoute<Options, Callback>({
  path: 'providerC',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds, disputes',
  contentTypes: ['application/x-www-form-urlencoded'],

  accountHint: namedAccount,

  verifySignature(raw, { options }) {
    const form = readMessage(raw);
    if (!form || !hasAll(form, ['c_id', 'c_state', 'c_ref', 'c_total', 'c_key'])) {
      return malformed('not a form, or a field is repeated or missing');
    }
    const account = accountNamed(form.get('c_key'), options);
    if (!account) return invalidSignature('another account');
    return isSentByC(form, account) ? genuine({ form, account }) : invalidSignature('c_hash');
  },

  // The hash does not cover `c_why`, so no decline follows from it.
  parseCallback: ({ value }) => readEvent(value),

  acknowledge: ({ outcome, verified }) =>
    acknowledgeBy({
      accepted: text(`RECEIVED ${verified?.value.form.get('c_id') ?? ''}`),
      invalid_signature: text('REFUSED', 403),
      malformed: text('UNREADABLE', 400),
      try_later: text('LATER', 503, { 'Retry-After': '30' }),
    })({ outcome }),
});
