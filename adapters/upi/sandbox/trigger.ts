/** Any callback on demand, made only from the given facts. */
import {
  hash,
  toMinor,
  type CallbackReply,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { statuses } from '../statuses.ts';
import type { Hooks, Notice } from './hooks.ts';
import { newNumber } from './transactions.ts';

const late = 'COMPLETED late';

/** The switch's spelling. */
export const events: readonly string[] = [...Object.values(statuses).flatMap((table) => Object.keys(table)), late];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'PENDING',
  'payment.succeeded': 'COMPLETED',
  'payment.failed': 'FAILED',
  'payment.expired': 'EXPIRED',
  'payment.refunded': 'REFUND_DONE',
  'payment.refund_failed': 'REFUND_FAILED',
  'payment.refund_reversed': 'REFUND_REVERSED',
  'payment.charged_back': 'DISPUTED',
  'payment.chargeback_reversed': 'DISPUTE_REVERSED',
};

/** Creates the sandbox's `trigger`. It rejects with a RangeError for an unlisted event. */
export function createTrigger(
  hooks: Hooks,
  { publicUrl }: SandboxSetup<Options>,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async (trigger) => {
    const { event } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const notice = noticeOf(trigger);
    const sent = { url: `${publicUrl}/callbacks/upi`, after: 0 };
    return sendOnDemand(
      hooks.notify(notice.state, () => notice, sent),
      trigger,
    );
  };
}

/** Numbers come from the payment, so that later events on demand are about the same refund, dispute or receipt. */
function noticeOf({ event, reference, providerReference, money }: Trigger): Notice {
  const state = event === late ? 'COMPLETED' : event;
  const paise = toMinor(money);
  const paid = state === 'COMPLETED' || state === 'DEEMED';
  const digits = BigInt(`0x${hash('sha256', reference).toString('hex')}`) % 10n ** 9n;
  return {
    u_txn: providerReference ?? newNumber('U00'),
    gw_ref: reference,
    paise,
    mode: null,
    vpa: null,
    rrn: paid ? String(digits).padStart(12, '0') : null,
    state,
    why: state === 'FAILED' ? 'PAYER_DECLINED' : null,
    ...(event === late ? { late: true } : {}),
    ...(state in statuses.refund ? { r_txn: `R-${reference}-${paise}` } : {}),
    ...(state in statuses.chargeback ? { d_no: `D-${reference}` } : {}),
  };
}
