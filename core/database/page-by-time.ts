/** Cursor pagination for rows that are sorted by a time that several rows may share. */

export interface TimePage<T> {
  readonly items: readonly T[];
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null;
}

/** The end of a page: a time, and how many rows of that time were already shown. */
interface Position {
  readonly at: Date;
  readonly shown: number;
}

/**
 * `read` returns at most `atMost` rows in order, starting at `from` (inclusive) or at the first row. An invalid cursor
 * starts at the first row.
 */
export async function pageByTime<T>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  timeOf: (row: T) => Date,
  read: (from: Date | undefined, atMost: number) => Promise<readonly T[]>,
): Promise<TimePage<T>> {
  const position = readPosition(cursor);
  const shown = position?.shown ?? 0;
  const found = await read(position?.at, shown + limit + 1);
  const items = found.slice(shown, shown + limit);
  const last = items.at(-1);
  if (!last || found.length <= shown + limit) return { items, nextCursor: null };
  const at = timeOf(last);
  const before = position?.at.getTime() === at.getTime() ? shown : 0;
  const ofMoment = items.filter((row) => timeOf(row).getTime() === at.getTime()).length;
  return { items, nextCursor: `${at.getTime()}-${before + ofMoment}` };
}

function readPosition(cursor: string | undefined): Position | undefined {
  const [, at, shown] = /^(\d{1,15})-(\d{1,6})$/.exec(cursor ?? '') ?? [];
  return at === undefined ? undefined : { at: new Date(Number(at)), shown: Number(shown) };
}
