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

const texts = {
  proof: 'Signature, password or account is wrong or missing',
  'a recent time': 'Its time is too far from now',
  'a readable proof': 'It cannot be read',
  'the proof of each entry': 'None of its entries has a right signature',
  'an address in a network that config lists': 'Its sender is in none of the networks that config lists',
  'an adapter that is on': 'The adapter is off',
  'the exact address (case, slash)': 'Its address differs in a capital letter or a slash',
  other: 'Other reasons',
} as const;

/** A counted lack for people: its kind in words, and what the adapter adds. */
export function refusalText(lack: string): { readonly text: string; readonly detail: string | null } {
  const isKnown = (kind: string): kind is keyof typeof texts => Object.hasOwn(texts, kind);
  if (isKnown(lack)) return { text: texts[lack], detail: null };
  // A long detail was cut off, with the bracket at its end.
  const [, kind = '', detail = ''] = /^([^(]+) \((.*?)\)?$/s.exec(lack) ?? [];
  return isKnown(kind) ? { text: texts[kind], detail } : { text: lack, detail: null };
}

/** The same in one line. */
export function refusalLine(lack: string): string {
  const { text, detail } = refusalText(lack);
  return detail === null ? text : `${text}: ${detail}`;
}

/** What a callback lacked that its route refused. `reason` is the adapter's. */
export function lackOf(verdict: 'invalid_signature' | 'stale' | 'malformed', reason: string): string {
  if (verdict === 'stale') return `a recent time (${reason})`;
  return verdict === 'malformed' ? `a readable proof (${reason})` : `proof (${reason})`;
}
