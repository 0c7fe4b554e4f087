import { invalidField } from '../../base/errors.ts';

export interface Page<T> {
  readonly items: readonly T[];
  /** Null: this was the last page. */
  readonly nextCursor: string | null;
}

export const defaultPageSize = 20;

/** A page of a list. The cursor names the last item of the page before. */
export function pageOf<T>(
  all: readonly T[],
  idOf: (item: T) => string,
  { limit = defaultPageSize, cursor }: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Page<T> {
  const after = cursor === undefined ? undefined : Buffer.from(cursor, 'base64url').toString();
  const at = after === undefined ? -1 : all.findIndex((item) => idOf(item) === after);
  if (after !== undefined && at < 0)
    throw invalidField(
      'cursor',
      cursor,
      'names an item that is not in the list any more: start again without a cursor',
    );
  const items = all.slice(at + 1, at + 1 + limit);
  const [last] = items.slice(-1);
  const hasMore = at + 1 + limit < all.length;
  return { items, nextCursor: hasMore && last !== undefined ? Buffer.from(idOf(last)).toString('base64url') : null };
}
