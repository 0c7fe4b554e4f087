/** Callbacks on demand, built from the given facts. A known charge also shows them in its status. */
import { toMinor, type CallbackReply, type Trigger, type TriggerCauses } from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import { statuses } from '../statuses.ts';
import { messageOf, newGid, newTxn, type Charge } from './charges.ts';
import { timeText, type Messages } from './messages.ts';

const PROBE = 'probe';

/** Every status of the specification, and the probe. */
export const events: readonly string[] = [...Object.values(statuses).flatMap((table) => Object.keys(table)), PROBE];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'WAITING',
  'payment.authorised': 'AUTHED',
  'payment.succeeded': 'PAID',
  'payment.failed': 'UNPAID',
  'payment.expired': 'LAPSED',
  'payment.refunded': 'REFUND_OK',
  'payment.refund_failed': 'REFUND_BAD',
  'payment.refund_reversed': 'REFUND_BACK',
  'payment.charged_back': 'DISPUTED',
  'payment.chargeback_reversed': 'DISPUTE_BACK',
};

/** Implements `trigger` of the sandbox. Rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  charges: ReadonlyMap<string, Charge>,
  messages: Messages,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async ({ event, reference, providerReference, money, times, forge }) => {
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const gid = newGid();
    if (event === PROBE) {
      return sendOnDemand(
        { request: (sending) => messages.callback(gid, PROBE, { probe: true }, sending) },
        { times, forge },
      );
    }
    const known = charges.get(reference);
    const g_txn = providerReference ?? known?.g_txn ?? newTxn();
    const why = event === 'UNPAID' ? 'DO_NOT_HONOR' : null;
    const reported = { gid, status: event, minor: toMinor(money), cur: money.currency, why, at: timeText() };
    if (known?.g_txn === g_txn && !forge) known.events.push(reported);
    return sendOnDemand(messageOf({ g_txn, gw_ref: reference }, reported, 0, messages), { times, forge });
  };
}
