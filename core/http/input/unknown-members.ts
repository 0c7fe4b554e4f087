/** Members that no table has: ignored, and said, for a misspelled one changes what the caller meant. */
import type { Warn } from '../../warnings.ts';
import { hidden, toEchoed } from './echo.ts';
import type { FieldTable } from './field-table.ts';

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
    const near = nearestOf(name, Object.keys(fields));
    warn({ field: at + shown(name), message: `is unknown and ignored${near ? `: did you mean ${near}?` : ''}` });
  }
}

const maxShown = 40;

/** A name is repeated where it can be nothing but one. */
function shown(name: string): string {
  return name.length <= maxShown && /^[\x21-\x7e]+$/.test(name) && toEchoed(name) === name ? name : hidden;
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
