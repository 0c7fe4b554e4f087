/** Members and parameters that nobody knows: ignored, and said, for a misspelled one changes what the caller meant. */
import type { Warn } from '../../warnings.ts';
import type { FieldTable } from './field-table.ts';
import type { Query } from './query.ts';
import { maxShown, toShownName } from './shown-name.ts';

/** `ours`: members that the service sets, such as `client.id`, which may come back as they were read. */
export function warnOfUnknown(
  fields: FieldTable,
  body: Readonly<Record<string, unknown>>,
  warn: Warn,
  { ours = new Set(), at = '' }: { readonly ours?: ReadonlySet<string>; readonly at?: string } = {},
): void {
  for (const [name, value] of Object.entries(body)) {
    const bounds = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (bounds?.type === 'object' && typeof value === 'object' && value !== null)
      warnOfUnknown(bounds.fields, value as Readonly<Record<string, unknown>>, warn, { ours, at: `${at}${name}.` });
    if (bounds || ours.has(at + name)) continue;
    warn({ field: at + toShownName(name), message: `is unknown and ignored${askFor(name, Object.keys(fields))}` });
  }
}

export function warnOfUnknownQuery(known: readonly string[], query: Query, warn: Warn): void {
  for (const name of Object.keys(query)) {
    if (known.includes(name)) continue;
    const message = `is an unknown query parameter, and ignored${askFor(name, known)}`;
    warn({ field: toShownName(name), message });
  }
}

function askFor(name: string, known: readonly string[]): string {
  const near = nearestOf(name, known);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

const maxDistance = 2;

/** The known name that is a slip of the pen away. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxShown) return undefined;
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, '');
  const [nearest] = known
    .map((one) => ({ one, distance: distanceOf(plain(name), plain(one)) }))
    .filter(({ one, distance }) => distance <= maxDistance && distance < one.length / 2)
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.one;
}

/** Insertions, deletions and replacements from one text to the other (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(from).entries()) {
    const line = [row + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = above[at - 1]! + (to[at - 1] === letter ? 0 : 1);
      line.push(Math.min(above[at]! + 1, line[at - 1]! + 1, replaced));
    }
    above = line;
  }
  return above[to.length]!;
}
