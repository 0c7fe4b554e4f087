/** Messages on demand, made from the facts given alone. */
import { toMinor, type CallbackReply, type SandboxSetup, type Trigger } from '@paywright/contract';
import { newId, sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { callbackStatuses } from '../statuses.ts';
import type { News, Notify } from './messages.ts';

/** `payment paid` and the like. */
export const events: readonly string[] = Object.entries(callbackStatuses).flatMap(([kind, table]) =>
  Object.keys(table).map((status) => `${kind} ${status}`),
);

/** What the sandbox's `trigger` does; rejects with a RangeError for an event that is not listed. */
export function createTrigger(
  { publicUrl }: SandboxSetup<Options>,
  notify: Notify,
): (trigger: Trigger) => Promise<readonly CallbackReply[]> {
  return async (trigger) => {
    const { event, reference, providerReference, money } = trigger;
    if (!events.includes(event)) throw new RangeError(`no event ${event}: use one of ${events.join(', ')}`);
    const [kind, status] = event.split(' ') as [News['kind'], string];
    const { currency } = money;
    const noticeUrl = `${publicUrl}/callbacks/newProvider`;
    const about = { id: providerReference ?? newId('np-'), reference, amount: toMinor(money), currency, noticeUrl };
    // Named by the payment, so that what follows on demand is about the same refund or dispute.
    const news = { kind, status, ...(kind === 'payment' ? {} : { about: `${kind}-${reference}` }) };
    return sendOnDemand(notify(about, news, 0), trigger);
  };
}
