/** Warns of unknown members and parameters. They are ignored, and a misspelled one changes what the caller meant. */
import type { Warn } from '../../base/warnings.ts';
import type { FieldTable } from './field-table.ts';
import type { Query } from './query.ts';
import { toShownName } from './shown-name.ts';

/** `ours` are members that the service sets, such as `client.id`. Merchants may send them back as they read them. */
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
    warn((guess) => ({
      field: at + toShownName(name),
      message: `is unknown and ignored${guess(name, Object.keys(fields))}`,
    }));
  }
}

export function warnOfUnknownQuery(known: readonly string[], query: Query, warn: Warn): void {
  for (const name of Object.keys(query)) {
    if (known.includes(name)) continue;
    warn((guess) => ({
      field: toShownName(name),
      message: `is an unknown query parameter, and ignored${guess(name, known)}`,
    }));
  }
}
