/** Payments that wait for their callback, and callbacks at a given rate. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cardBody } from '../support/bodies.ts';
import { deliverUntilAcknowledged, paidCallback, providerCode } from './provider.ts';
import type { Service } from './service.ts';

export interface Answer {
  readonly status: number;
  /** The payment request of the response, also of failures. */
  readonly id: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- rows read single members
  readonly json: any;
}

export async function call(
  { url, key }: Pick<Service, 'url' | 'key'>,
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, Accept: 'application/json', 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const id = Number(response.headers.get('x-payment-request-id'));
  return { status: response.status, id, json: text.startsWith('{') ? JSON.parse(text) : text };
}

type Target = Pick<Service, 'url' | 'key' | 'connection'>;

/** Far above the ids that the service assigns. */
let nextId = 0;

export interface PendingOptions {
  /** Each payment gets its own address instead of a common one. */
  readonly notifyUrls?: readonly string[];
  /** Each payment gets its own client instead of a common one. */
  readonly isOfMany?: boolean;
}

/**
 * Payments that the provider knows and that wait for its callback. One is made through the interface, the others are
 * copies of it.
 */
export async function makePending(
  service: Target,
  notifyUrl: string,
  count: number,
  { notifyUrls, isOfMany = false }: PendingOptions = {},
): Promise<number[]> {
  const made = await makePendingOne(service, notifyUrl);
  const payments = service.connection.collection<Stored>('paymentRequests');
  nextId ||= made._id + 500_000_000;
  const copies = Array.from({ length: count }, (_, at): Stored => {
    const id = (nextId += 1);
    const reference = `GW-${id}-1`;
    const attempts = made.attempts.map((attempt) => ({ ...attempt, reference, providerReference: `ch-${reference}` }));
    const notified = notifyUrls?.[at] ?? made.notifyUrl;
    return { ...made, ...relayed, _id: id, attempts, notifyUrl: notified, ...(isOfMany && { clientId: id }) };
  });
  if (isOfMany) {
    const clients = service.connection.collection<{ readonly _id: number }>('clients');
    const client = await clients.findOne({ _id: made.clientId });
    await clients.insertMany(copies.map(({ _id }) => ({ ...client, _id, emailKey: null })));
  }
  await payments.insertMany(copies, { ordered: false });
  return copies.map(({ _id }) => _id);
}

/** A payment before its first check: a worker whose clock is ahead checks it immediately, and finds it paid. */
async function makePendingOne({ url, key, connection }: Target, notifyUrl: string): Promise<Stored> {
  for (let tries = 0; tries < 20; tries += 1) {
    const body = cardBody('4111111111111111', 10, { notifyUrl });
    const { status, json } = await call({ url, key }, `/payments/h2h/${providerCode}`, body);
    if (status !== 200) throw new Error(`no payment was created: ${status} ${JSON.stringify(json)}`);
    const made = await connection
      .collection<Stored>('paymentRequests')
      .findOne({ _id: json.paymentRequest.id as number, statusId: 1 });
    if (made) return made;
  }
  throw new Error('every payment was checked before it could be copied');
}

/**
 * Without this, a sweep would relay the outbox of each copy whose original's first notification was not relayed yet.
 */
const relayed = { outbox: [], outboxSince: null };

interface Stored {
  readonly _id: number;
  readonly notifyUrl: string;
  readonly clientId: number;
  readonly attempts: readonly object[];
}

export interface Delivered {
  readonly seconds: number;
  readonly tries: number;
  readonly slowestMs: number;
}

/** Sends the callback of each payment until it is acknowledged, `perSecond` new ones per second. */
export async function deliverAll(
  url: string,
  ids: readonly number[],
  perSecond = Number.POSITIVE_INFINITY,
): Promise<Delivered> {
  const began = performance.now();
  let [tries, slowestMs] = [0, 0];
  await runConcurrently(32, ids, async (id, index) => {
    const dueMs = (index * 1000) / perSecond - (performance.now() - began);
    if (dueMs > 0) await sleep(dueMs);
    const delivered = await deliverUntilAcknowledged(url, paidCallback(`GW-${id}-1`, 10));
    tries += delivered.tries;
    slowestMs = Math.max(slowestMs, delivered.slowestMs);
  });
  return { seconds: (performance.now() - began) / 1000, tries, slowestMs };
}

/** Processes the items with this concurrency. */
export async function runConcurrently<T>(
  lanes: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  let next = 0;
  const runItems = async (): Promise<void> => {
    while (next < items.length) {
      const index = next;
      next += 1;
      await work(items[index] as T, index);
    }
  };
  await Promise.all(Array.from({ length: lanes }, runItems));
}
