/** Messages on demand, built only from the given facts. */
import { toMinor, type CallbackReply, type SandboxSetup, type Trigger } from '@paywright/contract';
import { newId, sendOnDemand } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { callbackStatuses } from '../statuses.ts';
import type { News, Notify } from './messages.ts';

/** `payment paid` and similar. */
export const events: readonly string[] = Object.entries(callbackStatuses).flatMap(([kind, table]) =>
  Object.keys(table).map((status) => `${kind} ${status}`),
);

/** Implements the sandbox's `trigger`. Rejects with a RangeError for an unknown event. */
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
    // Named after the payment, so that later messages on demand are about the same refund or dispute.
    const news = { kind, status, ...(kind === 'payment' ? {} : { about: `${kind}-${reference}` }) };
    return sendOnDemand(notify(about, news, 0), trigger);
  };
}
