/** Plays core for one callback: verify, parse, map, acknowledge. */
import type { CallbackRoute, ProviderAdapter } from '../adapter.ts';
import { acknowledgeByDefault, type AckOutcome, type Verified, type RawCallback } from '../callback.ts';
import { defined } from '../http/defined.ts';
import type { EventSource, ReportedEvent } from '../event.ts';
import type { AdapterContext } from '../provider.ts';
import type { CallbackResult, MappedEvent } from './compare-result.ts';

/** Core's decision about a callback that it can read. */
export type CoreSays = Extract<AckOutcome, 'accepted' | 'duplicate' | 'unknown_reference' | 'ignored' | 'try_later'>;

export interface PlayedCallback extends CallbackResult {
  readonly probed: boolean;
  /** The number of batch items that the adapter refused while it accepted others. */
  readonly refused: number;
  /** Why the callback is not genuine, or why it cannot be read. */
  readonly reason?: string;
}

/** The events with the statuses that the adapter maps their provider statuses to. */
export function withStatus<Options>(
  adapter: ProviderAdapter<Options>,
  events: readonly ReportedEvent[],
  source: EventSource,
): MappedEvent[] {
  return events.map((event) => ({ ...event, status: adapter.mapStatus(event, source) }));
}

/** The route that a request goes to. */
export function routeOf<Options>(
  adapter: ProviderAdapter<Options>,
  path: string,
  method: string,
): CallbackRoute<Options, never> {
  const found = adapter.callbacks.find((route) => route.path === path && route.method === method);
  if (!found) throw new Error(`the adapter has no route ${method} ${path}: add it to \`callbacks\``);
  return found;
}

/** Delivers one callback; `coreSays` is core's decision after the callback is verified and read. */
export async function playCallback<Options>(
  adapter: ProviderAdapter<Options>,
  route: CallbackRoute<Options, never>,
  raw: RawCallback,
  ctx: AdapterContext<Options>,
  coreSays: CoreSays = 'accepted',
): Promise<PlayedCallback> {
  const end = (
    genuine: CallbackResult['genuine'],
    outcome: AckOutcome,
    events: readonly MappedEvent[],
    { verified, refused = 0, reason }: { verified?: Verified<never>; refused?: number; reason?: string } = {},
  ): PlayedCallback => {
    const acknowledge = route.acknowledge?.bind(route) ?? acknowledgeByDefault;
    const acknowledgement = acknowledge({ outcome, raw, ...(verified && { verified }) }, ctx);
    return { genuine, events, outcome, acknowledgement, probed: false, refused, ...defined({ reason }) };
  };

  const verdict = await route.verifySignature(raw, ctx);
  if (verdict.verdict !== 'genuine' && verdict.verdict !== 'unproven') {
    return end(verdict.verdict, verdict.verdict, [], { reason: verdict.reason });
  }
  const genuine = verdict.verdict === 'genuine' ? true : 'unproven';
  const { verified } = verdict;
  const probe = route.probe?.(verified, ctx);
  if (probe) return { genuine, events: [], outcome: 'accepted', acknowledgement: probe, probed: true, refused: 0 };

  const parsed = route.parseCallback(verified, ctx);
  const mustWait = coreSays === 'try_later';
  if ('malformed' in parsed) {
    const reason = parsed.malformed;
    return end('malformed', mustWait ? 'try_later' : 'malformed', [], { verified, reason });
  }
  const events = withStatus(adapter, parsed.events, 'callback');
  if (events.length > 0 && mustWait) return end(genuine, 'try_later', events, { verified });
  const { refused } = parsed;
  if (refused) return end(genuine, 'invalid_signature', events, { verified, refused });
  return end(genuine, events.length > 0 ? coreSays : 'ignored', events, { verified });
}
