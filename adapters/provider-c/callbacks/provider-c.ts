/** POST providerC: C's server tells every final state, refund and dispute. `c_hash` proves it, salt first. */
import { acknowledgeBy, defineRoute, forged, genuine, malformed, text } from '@gateway/contract';
import { readEvent, type Callback } from '../event.ts';
import { hasAll, readMessage } from '../wire.ts';
import { isSentByC } from '../signing.ts';
import { accountNamed, type Options } from '../options.ts';

export const serverForm = defineRoute<Options, Callback>({
  path: 'providerC',
  method: 'POST',
  caller: 'server',
  reports: 'payments, refunds, disputes',

  verifySignature(raw, { options }) {
    const form = readMessage(raw);
    if (!form || !hasAll(form, ['c_id', 'c_state', 'c_ref', 'c_total', 'c_key'])) {
      return malformed('no form, a field twice, or a field missing');
    }
    const account = accountNamed(form.get('c_key'), options);
    if (!account) return forged('another account');
    return isSentByC(form, account) ? genuine({ form, account }) : forged('c_hash');
  },

  // The hash does not cover `c_why`: no decline follows from it.
  parseCallback: ({ value }) => readEvent(value),

  acknowledge: ({ outcome, proven }) =>
    acknowledgeBy({
      accepted: text(`RECEIVED ${proven?.value.form.get('c_id') ?? ''}`),
      bad_signature: text('REFUSED', 403),
      malformed: text('UNREADABLE', 400),
      try_later: text('LATER', 503, { 'Retry-After': '30' }),
    })({ outcome }),
});
