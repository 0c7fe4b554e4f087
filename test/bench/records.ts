/** The values measured so far. */
import type { Figure } from './figures.ts';
import { aimOf } from './goals.ts';

export type Side = 'ours' | 'theirs';

export interface Records {
  note(name: string, side: Side, value: number): void;
  /** Keeps the values that were noted since the last call. */
  keep(): void;
  /** Discards them: half of a comparison compares nothing. */
  forget(): void;
  figures(): Figure[];
}

export function createRecords(): Records {
  const kept = new Map<string, Record<Side, number[]>>();
  let noted: { readonly name: string; readonly side: Side; readonly value: number }[] = [];
  return {
    note: (name, side, value) => void noted.push({ name, side, value }),
    keep() {
      for (const { name, side, value } of noted) {
        const values = kept.get(name) ?? { ours: [], theirs: [] };
        values[side].push(value);
        kept.set(name, values);
      }
      noted = [];
    },
    forget: () => void (noted = []),
    figures: () =>
      [...kept].map(([name, { ours, theirs }]) => ({ name, ...aimOf(name), ours, ...(theirs.length && { theirs }) })),
  };
}
