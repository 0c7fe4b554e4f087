/** An operator's search over all owners. Every query uses an index. */
import type { Connection } from 'mongoose';
import { invalidField } from '../../../base/errors.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { fromDocument } from '../../../database/decimals.ts';
import { withStatus } from '../record/status-label.ts';
import { afterCursor, newestFirst, toCursor } from './cursor.ts';
import { latestAccount } from './list.ts';
import { notListed, presentFound, type FoundPayment, type FoundRecord } from './found-payment.ts';
import type { NoRouteOf } from './no-route.ts';
import { readMoney, type WantedMoney } from './search-terms.ts';
import {
  createSearchWays,
  limitMs,
  withDecline,
  withinLimit,
  withLastFour,
  withMoney,
  withUnits,
  type Filter,
  type PaymentSearch,
  type Way,
} from './search-ways.ts';

export type { PaymentSearch } from './search-ways.ts';
export type { FoundPayment } from './found-payment.ts';

/** Rejects with VAL002 for an amount or a cursor that is not valid, and for a search that matches too much. */
export type SearchPayments = (
  search: PaymentSearch,
) => Promise<{ readonly items: readonly FoundPayment[]; readonly nextCursor: string | null }>;

/** How many payments without an attempt one search reads, to find those without a route. */
const [untriedReads, untriedBatch] = [4, 500];

export interface PaymentSearchOptions {
  /** Absent: the clock of this process. */
  readonly now?: () => Date;
  /** Absent: the routes are not known here, so the problem `no_route` is neither shown nor found. */
  readonly noRouteOf?: NoRouteOf;
}

export function createPaymentSearch(
  connection: Connection,
  { now = () => new Date(), noRouteOf = async () => null }: PaymentSearchOptions = {},
): SearchPayments {
  const payments = paymentRequestModel(connection).collection;
  const waysOf = createSearchWays(connection, now);

  async function find(search: PaymentSearch): ReturnType<SearchPayments> {
    const { limit } = search;
    const narrowed = narrow(search);
    const found = new Map<number, { readonly record: FoundRecord; readonly by: Set<string> }>();
    const read = async (ways: readonly Way[]) =>
      Promise.all(
        ways.map(async ({ by, filter, range, isMeant }) => {
          const page = payments
            .find({ $and: [{ ...range, ...filter }, narrowed] }, { projection: notListed, maxTimeMS: limitMs })
            .sort(newestFirst)
            .limit(limit + 1);
          return { by, isMeant, documents: await withinLimit(async () => page.toArray()) };
        }),
      );
    const { whole, parts } = await waysOf(search);
    const asWhole = await read(whole);
    const isFound = asWhole.some(({ documents }) => documents.length > 0);
    for (const { by, isMeant, documents } of isFound ? asWhole : await oneOf((await parts()).map(read)))
      for (const one of documents) {
        const record = fromDocument(one) as FoundRecord;
        const known = found.get(record._id) ?? { record, by: new Set<string>() };
        if (by !== null) known.by.add(meaningOf(by, record, isMeant));
        found.set(record._id, known);
      }
    const ordered = [...found.values()].toSorted(
      ({ record: one }, { record: other }) =>
        other.createdAt.getTime() - one.createdAt.getTime() || other._id - one._id,
    );
    const shown = ordered.slice(0, limit);
    const last = shown.at(-1)?.record;
    const at = now();
    return {
      items: await Promise.all(
        shown.map(async ({ record, by }) =>
          presentFound(record, { foundBy: [...by], now: at, noRoute: await noRouteOf(record, at) }),
        ),
      ),
      nextCursor: ordered.length > limit && last ? toCursor(last) : null,
    };
  }

  return async (search) => (search.problem === 'no_route' ? findWithoutRoute(find, search) : find(search));
}

/** No index knows the routes: payments without an attempt are read until a page is full. */
async function findWithoutRoute(find: SearchPayments, search: PaymentSearch): ReturnType<SearchPayments> {
  const { limit } = search;
  const items: FoundPayment[] = [];
  let { cursor } = search;
  for (let reads = 0; reads < untriedReads && items.length <= limit; reads += 1) {
    const page = await find({ ...search, ...(cursor !== undefined && { cursor }), limit: untriedBatch });
    items.push(...page.items.filter(({ noRoute }) => noRoute !== null));
    cursor = page.nextCursor ?? undefined;
    if (cursor === undefined) break;
  }
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  const nextCursor = items.length > limit && last ? toCursor({ ...last, _id: last.id }) : (cursor ?? null);
  return { items: shown, nextCursor };
}

/**
 * What was read, of all reads with the same result. A part such as a common name may exceed the time limit where the
 * others do not. Rejects if all of them did.
 */
async function oneOf<T>(reads: readonly Promise<readonly T[]>[]): Promise<readonly T[]> {
  const ends = await Promise.allSettled(reads);
  const done = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
  const [first] = ends;
  if (done.length === 0 && first?.status === 'rejected') throw first.reason;
  return done.flat();
}

/** What the text means in a payment. It may be about an earlier attempt than the one that the list shows. */
function meaningOf(by: string, { attempts }: FoundRecord, isMeant: Way['isMeant']): string {
  const latest = attempts.at(-1);
  return !isMeant || !latest || isMeant(latest) ? by : `${by} of an earlier attempt`;
}

/** The conditions that every found payment meets, whichever way it is found. */
function narrow(search: PaymentSearch): Filter {
  const { amount, unit, lastFour, ownerId, environment, status: label, method, decline, cursor } = search;
  const { createdFrom, createdBefore, referenceId, providerAccount } = search;
  const created = { ...(createdFrom && { $gte: createdFrom }), ...(createdBefore && { $lt: createdBefore }) };
  return {
    $and: [
      {},
      ...(amount === undefined ? [] : [withMoney(moneyIn(amount))]),
      ...(unit === undefined ? [] : [withUnits([unit.toUpperCase()])]),
      ...(cursor === undefined ? [] : [afterCursor(cursor)]),
      ...(label ? [withStatus(label)] : []),
      ...(lastFour === undefined ? [] : [withLastFour(lastFour)]),
      ...(decline ? [withDecline(decline)] : []),
      ...(providerAccount === undefined ? [] : [latestAccount(providerAccount)]),
    ],
    ...(ownerId !== undefined && { ownerId }),
    ...(environment && { environment }),
    ...(referenceId !== undefined && { referenceId }),
    ...(method && { 'attempts.method': method }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
  };
}

function moneyIn(amount: string): WantedMoney {
  const money = readMoney(amount);
  if (!money) throw invalidField('amount', amount, 'must be an amount, for example 25.90 or 25,90 EUR');
  return money;
}
