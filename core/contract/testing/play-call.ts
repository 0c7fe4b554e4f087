/** Plays core for one call to the provider: lends, calls, and sorts what comes of it. */
import type { ProviderAdapter } from '../adapter.ts';
import type { StatusReport } from '../event.ts';
import { nothingCharged, unknown, type Outcome } from '../outcome.ts';
import { callFailure, type Provider } from '../provider.ts';
import type { CallResult, ToldEvent } from './compare-result.ts';
import { toRefund, toStep, toStoredPayment, toSubmission, type VectorPayment } from './vector-payment.ts';
import { told } from './play-callback.ts';

/**
 * Calls of a provider's own that its vectors name beside the four of the contract (a key fetch, say). A package exports
 * them as `vectorCalls`; each gets the vector's `payment`.
 */
export type VectorCalls<Options> = Readonly<
  Record<string, (payment: VectorPayment, provider: Provider<Options>) => Promise<Outcome>>
>;

/** Makes the call and gives its outcome, as core would settle it. Throws where the adapter throws a fault of its own. */
export async function playCall<Options>(
  adapter: ProviderAdapter<Options>,
  call: string,
  payment: VectorPayment,
  provider: Provider<Options>,
  calls: VectorCalls<Options> = {},
): Promise<CallResult> {
  const stored = () => toStoredPayment(adapter, payment, provider.options, provider.now());
  const ability = <T>(method: T | undefined): T => {
    if (!method) throw new Error(`the adapter cannot ${call}: add the method \`${call}\``);
    return method;
  };
  switch (call) {
    case 'submit':
      return settled(adapter.submit(toSubmission(adapter, payment), provider), true);
    case 'refund':
      return settled(ability(adapter.refund?.bind(adapter))(stored(), toRefund(adapter, payment), provider), true);
    case 'complete':
      return settled(ability(adapter.complete?.bind(adapter))(stored(), toStep(payment), provider), false);
    case 'fetchStatus': {
      const subReference = payment['subReference'];
      const report = await playFetch(
        ability(adapter.fetchStatus?.bind(adapter))(
          stored(),
          provider,
          typeof subReference === 'string' ? subReference : undefined,
        ),
      );
      return folded(adapter, report);
    }
    case 'afterCommit': {
      const note = payment['commitNote'] ?? payment['mark'];
      return playCommit(ability(adapter.afterCommit?.bind(adapter))(stored(), String(note), provider));
    }
    default:
      return settled(ability(calls[call])(payment, provider), false);
  }
}

/** What core makes of a call: of `submit` and `refund` that never left, *nothing charged*; of a lost answer, *unknown*. */
export async function settled(call: Promise<Outcome>, mayFail: boolean): Promise<Outcome> {
  try {
    return await call;
  } catch (error) {
    const failure = callFailure(error);
    if (!failure) throw error;
    return failure === 'not_sent' && mayFail ? nothingCharged('it was not sent') : unknown('no answer');
  }
}

/** A fetch that got no answer is no news. */
export async function playFetch(call: Promise<StatusReport>): Promise<StatusReport> {
  try {
    return await call;
  } catch (error) {
    if (!callFailure(error)) throw error;
    return { news: 'none', reason: 'no answer' };
  }
}

/** Done is *succeeded*, changed is *pending* (fetch again), later is *unknown*. */
export async function playCommit(call: Promise<'done' | 'changed' | 'later'>): Promise<CallResult> {
  try {
    const result = await call;
    return { outcome: result === 'done' ? 'succeeded' : result === 'changed' ? 'pending' : 'unknown' };
  } catch (error) {
    if (!callFailure(error)) throw error;
    return { outcome: 'unknown' };
  }
}

/** A report as vectors write it: its status folded into an outcome, beside its events. */
export function folded<Options>(adapter: ProviderAdapter<Options>, report: StatusReport): CallResult {
  switch (report.news) {
    case 'waiting':
      return { outcome: 'pending', events: [], ...(report.action && { action: report.action }) };
    case 'nothing_charged':
      return { outcome: 'failed', nothingCharged: true, events: [] };
    case 'events':
      return foldEvents(told(adapter, report.events));
    case 'none':
    default:
      return { outcome: 'unknown', events: [] };
  }
}

const folds: Readonly<Record<string, Outcome['outcome']>> = {
  succeeded: 'succeeded',
  overpaid: 'succeeded',
  late: 'succeeded',
  failed: 'failed',
  cancelled: 'failed',
  expired: 'failed',
  authorised: 'pending',
  pending: 'pending',
  underpaid: 'pending',
};

/** The payment's status counts; where a fetch asked for a refund alone, the refund's. A final one beats what is open. */
function foldEvents(events: readonly ToldEvent[]): CallResult {
  const payments = events.filter(({ kind }) => kind === 'payment');
  const about = payments.length > 0 ? payments : events;
  const fold = (event: ToldEvent): Outcome['outcome'] => folds[event.status] ?? 'unknown';
  const decisive =
    about.find((event) => fold(event) === 'succeeded') ??
    about.findLast((event) => fold(event) === 'failed') ??
    about.at(-1);
  if (!decisive) return { outcome: 'unknown', events };
  const { decline, declineText, providerReference, action, threeDsResult } = decisive;
  return {
    outcome: fold(decisive),
    events,
    ...(decline && { decline }),
    ...(declineText && { declineText }),
    ...(providerReference && { providerReference }),
    ...(action && { action }),
    ...(threeDsResult && { threeDsResult }),
  };
}
