/**
 * Finds accounts whose callbacks are not proven at the bare address, because the messages do not name the account and
 * the adapter has more accounts than are tried there. Such an account needs callbacks at an address of its own.
 */
import type { Connection } from 'mongoose';
import { groupBy } from '../../base/group-by.ts';
import { inboxModel } from '../../database/collections/inbox-row.ts';
import { callbackPath, maxTriedAccounts, type ActiveAdapter } from '../providers/index.ts';

/** How many of the latest callbacks of an adapter are read. */
const maxRead = 20_000;
const limitMs = 5000;
/** How many accounts a problem names. */
const maxNamed = 3;

/**
 * Returns one problem for each adapter that has such accounts. An account whose own address has received a callback is
 * not one of them. Without a connection, no address has.
 */
export async function findUnusedAddresses(
  accounts: readonly ActiveAdapter[],
  connection?: Connection,
): Promise<readonly string[]> {
  const each = [...groupBy(accounts, ({ name }) => name)].map(async ([adapter, all]) => {
    const routes = all[0]!.adapter.callbacks.filter((route) => !route.accountHint).map(({ path }) => path);
    const untried = all.slice(maxTriedAccounts);
    if (routes.length === 0 || untried.length === 0) return [];
    const used = await readPaths(adapter, connection);
    const unused = untried.filter(({ account }) => !routes.some((route) => used.has(callbackPath(route, account))));
    if (unused.length === 0) return [];
    const named = unused.slice(0, maxNamed).map(({ ref }) => ref);
    const others = unused.length - named.length;
    return [
      `${adapter}: ${all.length} accounts, but its callbacks do not name the account, and the shared address tries only ${maxTriedAccounts}. ` +
        `No callback has come to the addresses of ${named.join(', ')}${others > 0 ? ` and ${others} others` : ''}: enter them at the provider`,
    ];
  });
  return (await Promise.all(each)).flat();
}

async function readPaths(adapter: string, connection: Connection | undefined): Promise<ReadonlySet<string>> {
  if (!connection) return new Set();
  const found = await inboxModel(connection)
    .aggregate<{ readonly _id: string }>([
      { $match: { adapter } },
      { $sort: { receivedAt: -1 } },
      { $limit: maxRead },
      { $group: { _id: '$path' } },
    ])
    .option({ maxTimeMS: limitMs });
  return new Set(found.map(({ _id }) => _id));
}
