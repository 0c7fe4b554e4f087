/** Reads all pages of a list. */

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

/** A page of the list: `{}` for the first page, `{ cursor }` for a later one. */
type ReadPage<T> = (page: { readonly cursor?: string }) => Promise<Page<T>>;

/**
 * Every item of a list, newest first:
 * `for await (const payment of listAll((page) => gateway.listPaymentRequests({ query: { status: 2, ...page } })))`.
 * A page is read when its first item is needed.
 */
export async function* listAll<T>(readPage: ReadPage<T>): AsyncGenerator<T, void, undefined> {
  let page = await readPage({});
  yield* page.items;
  while (page.nextCursor !== null) {
    page = await readPage({ cursor: page.nextCursor });
    yield* page.items;
  }
}
