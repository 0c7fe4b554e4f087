/**
 * Counts refused callbacks by adapter and by what they lacked. The counts are metrics, so a refused callback costs no
 * write: the operators' listener stores the sums of its host, and the job `watch-backlogs` reads them. The list of
 * refused callbacks (`refused-list.ts`) has the same reasons.
 */
import { maskText } from '../../base/log/log-masks.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { RefusalRecorder, RefusedCallback } from './refused-list.ts';

/** `callback`: where it came from, and its message if it was read. */
export type CountRefusal = (
  adapter: string,
  lack: string,
  callback: Pick<RefusedCallback, 'route' | 'remoteAddress' | 'at' | 'raw'>,
) => void;

/** Adapters choose these texts. Each text of an adapter beyond these many is counted as `other`. */
const maxLacks = 20;
const maxLackLength = 60;

export function createCountRefusal(
  { callbacksRefused }: Pick<Metrics, 'callbacksRefused'>,
  list: Pick<RefusalRecorder, 'record'>,
): CountRefusal {
  const known = new Map<string, Set<string>>();
  return (provider, lack, callback) => {
    const ofAdapter = known.get(provider) ?? new Set();
    known.set(provider, ofAdapter);
    const text = maskText(lack)
      .replaceAll(/[|.$\p{C}]/gu, ' ')
      .slice(0, maxLackLength)
      .trim();
    if (ofAdapter.size < maxLacks) ofAdapter.add(text);
    const reason = ofAdapter.has(text) ? text : 'other';
    callbacksRefused.inc({ provider, lack: reason });
    list.record({ adapter: provider, reason, ...callback });
  };
}

/** What a callback lacked that its route refused. `reason` is the adapter's. */
export function lackOf(verdict: 'invalid_signature' | 'stale' | 'malformed', reason: string): string {
  if (verdict === 'stale') return `a recent time (${reason})`;
  return verdict === 'malformed' ? `a readable proof (${reason})` : `proof (${reason})`;
}
