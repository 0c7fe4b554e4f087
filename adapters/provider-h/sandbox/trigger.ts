/** Callbacks on demand. The pay changes accordingly; an unknown pay is created from the given facts. */
import {
  formatAmount,
  isSameMoney,
  type CallbackReply,
  type SandboxSetup,
  type Trigger,
  type TriggerCauses,
} from '@paywright/contract';
import { sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { statuses } from '../statuses.ts';
import type { Notices } from './notices.ts';
import { after, openPay, type Pay, type Pays, type Return } from './pays.ts';
import { steps, type Phase } from './scenarios.ts';

/** In H's spelling: a phase, or `returned:` with the state of a return. */
export const events: readonly string[] = [...Object.keys(statuses.payment), ...Object.keys(statuses.refund)];

/** The event that causes each notification of the gateway, for `paywright trigger`. */
export const causes: TriggerCauses = {
  'payment.pending': 'confirming',
  'payment.underpaid': 'part',
  'payment.succeeded': 'done',
  'payment.failed': 'bad',
  'payment.expired': 'lapsed',
  'payment.refunded': 'returned:done',
  'payment.refund_failed': 'returned:failed',
  'payment.refund_reversed': 'returned:reversed',
};

/** Implements `trigger` of the sandbox. Rejects with a RangeError for an unknown event or number of a pay. */
export function createTrigger(
  { options, publicUrl }: SandboxSetup<Options>,
  pays: Pays,
  notices: Notices,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  /** The pay that the facts name. With another amount, a temporary pay that is not stored. */
  function payOf({ reference: ref, providerReference, money, forge }: Trigger): Pay {
    const known = providerReference === null ? pays.byRef(ref) : pays.byNumber(providerReference);
    if (known?.ref === ref && isSameMoney(known.want, money)) return known;
    const { coin, chain, ttlSeconds: ttl } = options;
    const payNo = providerReference ?? known?.payNo;
    const ipn = `${publicUrl}/callbacks/providerH`;
    const opened = openPay({ ...(payNo ? { payNo } : {}), ref, want: money, coin, chain, ttl, ipn });
    if (!known && !forge) pays.keep(opened);
    return opened;
  }

  return async (trigger) => {
    const { event, providerReference, forge } = trigger;
    if (!events.includes(event)) throw new RangeError(`unknown event ${event}: use one of ${events.join(', ')}`);
    if (providerReference !== null && !/^(0|[1-9]\d{0,39})$/.test(providerReference)) {
      throw new RangeError('a number of H must be digits');
    }
    const pay = payOf(trigger);
    const [, state] = event.split(':');
    if (state !== undefined) {
      return sendOnDemand(notices.message({ ...pay, at: Date.now() }, returnOf(pay, trigger, state)), trigger);
    }
    const then = after(pay, steps[event as Phase], Date.now());
    if (!forge) Object.assign(pay, { ...then, scenario: pay.scenario + 1 });
    return sendOnDemand(notices.message(then), trigger);
  };
}

/** Named after the refunded payment, so that later events on demand are about the same return. */
function returnOf(pay: Pay, { reference, money, forge }: Trigger, state: string): Return {
  const id = `rt-${reference}-${formatAmount(money)}`;
  const made: Return = { id, sum: money, state: state as Return['state'] };
  if (!forge) pay.returns.set(id, made);
  return made;
}
