/** Callbacks on demand. A reported state stays: the status of the charge reports the same afterwards. */
import {
  hash,
  toMinor,
  type CallbackReply,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { newId, sendOnDemand, wrongSecret, type Message } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { batchStatuses, disputeStatuses, noticeStatuses, returnStatuses } from '../statuses.ts';
import type { Sum } from '../wire.ts';
import type { About, Callbacks, Timing } from './callbacks.ts';
import type { Charge } from './charges.ts';
import { backTo } from './return.ts';

/** Events such as `AUTH:true` are sent as a batch of one. The other events have their own routes. */
export const events: readonly string[] = [
  ...Object.values(batchStatuses).flatMap((table) => Object.keys(table)),
  ...Object.keys(noticeStatuses).map((state) => `refund ${state}`),
  ...[...Object.keys(disputeStatuses), 'retrieval'].map((stage) => `chargeback ${stage}`),
  ...Object.keys(returnStatuses).map((auth) => `3ds ${auth}`),
];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.authorised': 'AUTH:true',
  'payment.succeeded': 'CAPTURE:true',
  'payment.failed': 'CAPTURE:false',
  'payment.expired': 'EXPIRE:true',
  'payment.refunded': 'refund done',
  'payment.refund_failed': 'refund failed',
  'payment.refund_reversed': 'refund reversed',
  'payment.charged_back': 'chargeback opened',
  'payment.chargeback_reversed': 'chargeback reversed',
};

/** Creates the sandbox's `trigger`. It rejects with a RangeError for an unlisted event. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  charges: ReadonlyMap<string, Charge>,
  callbacks: Callbacks,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  function messageOf(event: string, about: About, sum: Sum, timing: Timing, backUrl: string): Message {
    const [kind = '', status = ''] = event.split(' ');
    const id = refundId(about.txn, sum);
    if (kind === 'refund') return callbacks.refund(about, { id, refundRef: null, sum }, status, timing);
    if (kind === 'chargeback') return callbacks.chargeback(about, sum, `CASE-${digest(about.txn)}`, status, timing);
    if (kind === '3ds') {
      const [key = ''] = options.returnKeys;
      return {
        name: event,
        after: 0,
        request({ number, forged }) {
          if (number === 1) timing.happens?.();
          return { method: 'GET', url: backTo({ ...about, backUrl }, status, forged ? wrongSecret(key) : key) };
        },
      };
    }
    const [what = '', reported] = event.split(':');
    const good = reported === 'true';
    const names = what === 'REFUND' ? { txn: id, parent: about.txn } : { txn: about.txn, parent: null };
    return callbacks.batch(about, [{ ...names, sum, what, good, why: good ? null : 'REFUSED' }], timing);
  }

  return async (trigger) => {
    const { event, reference: ref, providerReference, money, forge } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    const found = charges.get(ref);
    const known = providerReference === null || providerReference === found?.txn ? found : undefined;
    const about = { ref, txn: known?.txn ?? providerReference ?? newId('A-', 8), mode: known?.mode ?? 'test' } as const;
    const sum = { minor: toMinor(money), cur: money.currency };
    const happens = (): void => {
      if (known?.sum.cur === sum.cur) apply(known, event, sum);
    };
    const timing: Timing = forge ? { after: 0 } : { after: 0, happens };
    const backUrl = known?.backUrl ?? `${publicUrl}/callbacks/providerA3ds`;
    return sendOnDemand(messageOf(event, about, sum, timing, backUrl), trigger);
  };
}

/** The refund id comes from payment and sum, so that both routes and all repetitions are about one refund. */
function refundId(txn: string, { minor }: Sum): string {
  return `AR-${digest(`${txn} ${minor}`)}`;
}

function digest(text: string): string {
  return hash('sha256', text).toString('hex').slice(0, 8).toUpperCase();
}

const ends: Readonly<Record<string, Charge['state']>> = {
  'AUTH:true': 'HOLD',
  'AUTH:false': 'NO',
  'CAPTURE:true': 'OK',
  'CAPTURE:false': 'NO',
  'VOID:true': 'VOID',
  'EXPIRE:true': 'EXPIRED',
};

/**
 * Applies the reported event to the charge, except for an impossible one: a different sum, or a second end of an ended
 * charge.
 */
function apply(charge: Charge, event: string, sum: Sum): void {
  const [kind, status] = event.split(' ');
  const end = ends[event];
  if (end !== undefined) {
    const isOpen = charge.state === 'WAIT' || charge.state === 'HOLD';
    if (!isOpen || charge.sum.minor !== sum.minor) return;
    charge.state = end;
    if (end === 'NO') charge.why = 'REFUSED';
  } else if (event === 'REFUND:true' || event === 'refund done') {
    giveBack(charge, refundId(charge.txn, sum), BigInt(sum.minor));
  } else if (kind === 'chargeback') {
    if (status !== 'retrieval') charge.disputed = status === 'opened' || status === 'lost';
  } else if (kind === '3ds' && charge.challenged) {
    charge.pressed ??= status === 'Y' || status === 'A' ? 'pass' : 'fail';
  }
}

/** Counts each refund once, and never more than the remaining sum. */
function giveBack(charge: Charge, id: string, minor: bigint): void {
  if (charge.onDemand.has(id)) return;
  charge.onDemand.add(id);
  const left = BigInt(charge.sum.minor) - charge.returned;
  const given = minor < left ? minor : left;
  charge.returned += given;
  charge.asked += given;
}
