/**
 * Counts refused callbacks by adapter and by what they lacked. The counts are metrics, so a refused callback costs no
 * write: the operators' listener stores the sums of its host, and the job `watch-backlogs` reads them.
 */
import { maskText } from '../../base/log/log-masks.ts';
import type { Metrics } from '../../base/metrics/index.ts';

export type CountRefusal = (adapter: string, lack: string) => void;

/** Adapters choose these texts. Each text of an adapter beyond these many is counted as `other`. */
const maxLacks = 20;
const maxLackLength = 60;

export function createCountRefusal({ callbacksRefused }: Pick<Metrics, 'callbacksRefused'>): CountRefusal {
  const known = new Map<string, Set<string>>();
  return (provider, lack) => {
    const ofAdapter = known.get(provider) ?? new Set();
    known.set(provider, ofAdapter);
    const text = maskText(lack)
      .replaceAll(/[|.$\p{C}]/gu, ' ')
      .slice(0, maxLackLength)
      .trim();
    if (ofAdapter.size < maxLacks) ofAdapter.add(text);
    callbacksRefused.inc({ provider, lack: ofAdapter.has(text) ? text : 'other' });
  };
}

/** What a callback lacked that its route refused. `reason` is the adapter's. */
export function lackOf(verdict: 'invalid_signature' | 'stale' | 'malformed', reason: string): string {
  if (verdict === 'stale') return `a recent time (${reason})`;
  return verdict === 'malformed' ? `a readable proof (${reason})` : `proof (${reason})`;
}
