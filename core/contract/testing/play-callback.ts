/** Plays core for one callback: prove, parse, map, acknowledge. */
import type { CallbackRoute, ProviderAdapter } from '../adapter.ts';
import { acknowledgeByDefault, type AckOutcome, type Proven, type RawCallback } from '../callback.ts';
import type { ReportedEvent } from '../event.ts';
import type { Provider } from '../provider.ts';
import type { CallbackResult, ToldEvent } from './compare-result.ts';

/** What core itself makes of a callback that it can read. */
export type CoreSays = Extract<AckOutcome, 'accepted' | 'duplicate' | 'unknown_reference' | 'ignored' | 'try_later'>;

export interface PlayedCallback extends CallbackResult {
  readonly probed: boolean;
}

/** The events with the statuses that the adapter gives their words. */
export function told<Options>(adapter: ProviderAdapter<Options>, events: readonly ReportedEvent[]): ToldEvent[] {
  return events.map((event) => ({ ...event, status: adapter.mapStatus(event) }));
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

/** Delivers one callback; `coreSays` is what core decides once the callback is proven and read. */
export async function playCallback<Options>(
  adapter: ProviderAdapter<Options>,
  route: CallbackRoute<Options, never>,
  raw: RawCallback,
  provider: Provider<Options>,
  coreSays: CoreSays = 'accepted',
): Promise<PlayedCallback> {
  const end = (
    genuine: CallbackResult['genuine'],
    outcome: AckOutcome,
    events: readonly ToldEvent[],
    proven?: Proven<never>,
  ): PlayedCallback => {
    const acknowledge = route.acknowledge?.bind(route) ?? acknowledgeByDefault;
    const acknowledgement = acknowledge({ outcome, raw, ...(proven && { proven }) }, provider);
    return { genuine, events, outcome, acknowledgement, probed: false };
  };

  const verdict = await route.verifySignature(raw, provider);
  if (verdict.verdict !== 'genuine' && verdict.verdict !== 'unproven') {
    return end(verdict.verdict, verdict.verdict === 'forged' ? 'bad_signature' : verdict.verdict, []);
  }
  const genuine = verdict.verdict === 'genuine' ? true : 'unproven';
  const { proven } = verdict;
  const probe = route.probe?.(proven, provider);
  if (probe) return { genuine, events: [], outcome: 'accepted', acknowledgement: probe, probed: true };

  const parsed = route.parseCallback(proven, provider);
  const mustWait = coreSays === 'try_later';
  if ('malformed' in parsed) return end('malformed', mustWait ? 'try_later' : 'malformed', [], proven);
  const events = told(adapter, parsed.events);
  if (events.length > 0 && mustWait) return end(genuine, 'try_later', events, proven);
  if (parsed.refused) return end(genuine, 'bad_signature', events, proven);
  return end(genuine, events.length > 0 ? coreSays : 'ignored', events, proven);
}
