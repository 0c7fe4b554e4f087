/** Pages of rows that are sorted by a time that several of them may share. */

export interface TimePage<T> {
  readonly items: readonly T[];
  /** Of the page that follows; null: this is the last. */
  readonly nextCursor: string | null;
}

/** Where a page ended: at this moment, of which so many rows were shown. */
interface Place {
  readonly at: Date;
  readonly shown: number;
}

/**
 * `read` gives rows in order, from this moment on (itself included) or from the first, at most so many. A cursor that is none
 * begins anew.
 */
export async function pageByTime<T>(
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  timeOf: (row: T) => Date,
  read: (from: Date | undefined, atMost: number) => Promise<readonly T[]>,
): Promise<TimePage<T>> {
  const place = readPlace(cursor);
  const shown = place?.shown ?? 0;
  const found = await read(place?.at, shown + limit + 1);
  const items = found.slice(shown, shown + limit);
  const last = items.at(-1);
  if (!last || found.length <= shown + limit) return { items, nextCursor: null };
  const at = timeOf(last);
  const before = place?.at.getTime() === at.getTime() ? shown : 0;
  const ofMoment = items.filter((row) => timeOf(row).getTime() === at.getTime()).length;
  return { items, nextCursor: `${at.getTime()}-${before + ofMoment}` };
}

function readPlace(cursor: string | undefined): Place | undefined {
  const [, at, shown] = /^(\d{1,15})-(\d{1,6})$/.exec(cursor ?? '') ?? [];
  return at === undefined ? undefined : { at: new Date(Number(at)), shown: Number(shown) };
}
