/** Plays core for one call to the provider, and classifies the result. */
import type { ProviderAdapter } from '../adapter.ts';
import { defined } from '../http/defined.ts';
import type { StatusReport } from '../event.ts';
import { refuseRefund, refuseSubmission } from '../core/fitness.ts';
import { misconfigured, nothingCharged, unknown, type AdapterState, type Outcome } from '../outcome.ts';
import type { RefundRequest, StoredPayment, Submission } from '../payment.ts';
import { httpFailure, isMisconfigured, type AdapterContext, type ProviderHttp } from '../provider.ts';
import type { CallResult, MappedEvent } from './compare-result.ts';
import {
  toCapture,
  toRefund,
  toStep,
  toStoredPayment,
  toSubmission,
  toVoid,
  type VectorPayment,
} from './vector-payment.ts';
import { withStatus } from './play-callback.ts';

/**
 * A provider's own calls that its vectors name in addition to those of the contract (a key fetch, for example). A
 * package exports them as `vectorCalls`; each gets the vector's `payment`.
 */
export type VectorCalls<Options> = Readonly<
  Record<string, (payment: VectorPayment, ctx: AdapterContext<Options>) => Promise<Outcome>>
>;

/**
 * Makes the call and returns its outcome, as core would settle it. Throws if the adapter throws an error that is not a
 * `ProviderCallError`.
 */
export async function playCall<Options>(
  adapter: ProviderAdapter<Options>,
  call: string,
  payment: VectorPayment,
  ctx: AdapterContext<Options>,
  calls: VectorCalls<Options> = {},
): Promise<CallResult> {
  const stored = () => toStoredPayment(adapter, payment, ctx.options, ctx.now());
  const ability = <T>(method: T | undefined): T => {
    if (!method) throw new Error(`the adapter cannot ${call}: add the method \`${call}\``);
    return method;
  };
  switch (call) {
    case 'submit':
      return settled(ctx, (watched) => submitOrRefuse(adapter, toSubmission(adapter, payment), watched));
    case 'refund':
      ability('refund' in adapter ? adapter : undefined);
      return settled(ctx, (watched) => refundOrRefuse(adapter, stored(), toRefund(adapter, payment), watched));
    case 'capture':
      return settled(ctx, (watched) =>
        ability(adapter.capture?.bind(adapter))(stored(), toCapture(adapter, payment), watched),
      );
    case 'void':
      return settled(ctx, (watched) => ability(adapter.void?.bind(adapter))(stored(), watched, toVoid(payment)));
    case 'close':
      return settled(ctx, (watched) => ability(adapter.close?.bind(adapter))(stored(), watched));
    case 'complete':
      return withKept(ctx, async (kept) =>
        answered(ability(adapter.complete?.bind(adapter))(stored(), toStep(payment), kept)),
      );
    case 'fetchStatus': {
      const subReference = payment['subReference'];
      const report = await playFetch(
        ability(adapter.fetchStatus?.bind(adapter))(
          stored(),
          ctx,
          typeof subReference === 'string' ? subReference : undefined,
        ),
      );
      return folded(adapter, report);
    }
    case 'markSeen': {
      const note = payment['seenToken'] ?? payment['mark'];
      return playCommit(ability(adapter.markSeen?.bind(adapter))(stored(), String(note), ctx));
    }
    default:
      return answered(ability(calls[call])(payment, ctx));
  }
}

/** Submits as core does: what the manifest excludes never reaches the adapter. */
async function submitOrRefuse<Options>(
  adapter: ProviderAdapter<Options>,
  payment: Submission,
  ctx: AdapterContext<Options>,
): Promise<Outcome> {
  return refuseSubmission(adapter.manifest, payment) ?? adapter.submit(payment, ctx);
}

/** Asks for a refund as core does. */
async function refundOrRefuse<Options>(
  adapter: ProviderAdapter<Options>,
  payment: StoredPayment,
  refund: RefundRequest,
  ctx: AdapterContext<Options>,
): Promise<Outcome> {
  return refuseRefund(adapter.manifest, payment, refund) ?? adapter.refund!(payment, refund, ctx);
}

/**
 * Settles `submit`, `refund`, `capture`, `void` and `close` as core does: a lost request is *nothing charged* as long
 * as no request that can charge has reached the provider, and *unknown* after that.
 */
export async function settled<Options>(
  ctx: AdapterContext<Options>,
  call: (ctx: AdapterContext<Options>) => Promise<Outcome>,
): Promise<Outcome> {
  return withKept(ctx, async (kept) => judged(kept, call));
}

/** The outcome with the state that the call left by `ctx.keep`. */
export async function withKept<Options>(
  ctx: AdapterContext<Options>,
  call: (ctx: AdapterContext<Options>) => Promise<Outcome>,
): Promise<Outcome> {
  let adapterState: AdapterState | undefined;
  const outcome = await call({ ...ctx, keep: (state) => void (adapterState = state) });
  return { ...defined({ adapterState }), ...outcome };
}

async function judged<Options>(
  ctx: AdapterContext<Options>,
  call: (ctx: AdapterContext<Options>) => Promise<Outcome>,
): Promise<Outcome> {
  let mayHaveCharged = false;
  let lostHarmlessly = false;
  const send: ProviderHttp['send'] = async (request) => {
    const canCharge = !request.chargesNothing && request.method !== 'GET';
    try {
      const reply = await ctx.http.send(request);
      mayHaveCharged ||= canCharge && reply.status !== 429 && reply.status !== 401;
      return reply;
    } catch (error) {
      mayHaveCharged ||= canCharge && httpFailure(error) === 'no_answer';
      lostHarmlessly = !canCharge;
      throw error;
    }
  };
  try {
    return await call({ ...ctx, http: { send } });
  } catch (error) {
    const failure = httpFailure(error);
    if (!failure) throw error;
    const neverLeft = failure === 'not_sent' || lostHarmlessly;
    if (!neverLeft || mayHaveCharged) return unknown('no answer');
    return isMisconfigured(error)
      ? misconfigured(error.message)
      : nothingCharged('no request that can charge was sent');
  }
}

/**
 * Settles `complete` and a provider's own calls as core does: a charge may be in progress, so a lost request leaves it
 * *unknown*.
 */
export async function answered(call: Promise<Outcome>): Promise<Outcome> {
  try {
    return await call;
  } catch (error) {
    if (!httpFailure(error)) throw error;
    return unknown('no answer');
  }
}

/** A fetch without an answer gives no information. */
export async function playFetch(call: Promise<StatusReport>): Promise<StatusReport> {
  try {
    return await call;
  } catch (error) {
    if (!httpFailure(error)) throw error;
    return { result: 'no_information', reason: 'no answer' };
  }
}

/** Converts `markSeen` results: done is *succeeded*, changed is *pending* (fetch again), later is *unknown*. */
export async function playCommit(call: Promise<'done' | 'changed' | 'later'>): Promise<CallResult> {
  try {
    const result = await call;
    return { outcome: result === 'done' ? 'succeeded' : result === 'changed' ? 'pending' : 'unknown' };
  } catch (error) {
    if (!httpFailure(error)) throw error;
    return { outcome: 'unknown' };
  }
}

/** A report in the form of vectors: its status folded into an outcome, next to its events. */
export function folded<Options>(adapter: ProviderAdapter<Options>, report: StatusReport): CallResult {
  switch (report.result) {
    case 'waiting':
      return { outcome: 'pending', events: [], ...(report.action && { action: report.action }) };
    case 'nothing_charged':
      return { outcome: 'failed', nothingCharged: true, events: [] };
    case 'events':
      return {
        ...foldEvents(withStatus(adapter, report.events, 'fetch')),
        ...(report.showsAllRefunds && { showsAllRefunds: true }),
      };
    case 'no_information':
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
  needs_merchant: 'pending',
};

/**
 * The payment's status counts, or the refund's if a fetch asked for a refund alone. A final status beats an open one.
 */
function foldEvents(events: readonly MappedEvent[]): CallResult {
  const payments = events.filter(({ kind }) => kind === 'payment');
  const about = payments.length > 0 ? payments : events;
  const fold = (event: MappedEvent): Outcome['outcome'] => folds[event.status] ?? 'unknown';
  const decisive =
    about.find((event) => fold(event) === 'succeeded') ??
    about.findLast((event) => fold(event) === 'failed') ??
    about.at(-1);
  if (!decisive) return { outcome: 'unknown', events };
  const { decline, declineText, providerReference, providerReferences, action, threeDsResult } = decisive;
  return {
    outcome: fold(decisive),
    events,
    ...(decline && { decline }),
    ...(declineText && { declineText }),
    ...(providerReference && { providerReference }),
    ...(providerReferences && { providerReferences }),
    ...(action && { action }),
    ...(threeDsResult && { threeDsResult }),
  };
}
