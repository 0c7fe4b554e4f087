/** Compares what was acknowledged before the backup with the restored service, its provider and its merchant. */
import type { Connection } from 'mongoose';
import { until } from '../../core/base/testing/until.ts';
import { call, type Answer } from '../faults/load.ts';
import { deliverCallback, paidCallback, providerCode, type FaultsProvider } from '../faults/provider.ts';
import type { Service } from '../faults/service.ts';
import type { Receiver } from '../support/receiver.ts';
import { refundedAmount, waitingAmount, type Played } from './load.ts';

const paid = 2;

interface Stored {
  readonly _id: number;
  readonly statusId: number;
  readonly amount: { toString(): string };
  readonly paidAmount: { toString(): string } | null;
  readonly refundedAmount: { toString(): string };
  readonly outboxSince: Date | null;
  readonly logs: readonly { readonly transactionStatusId: number; readonly refused: boolean }[];
}

const settleLimitMs = 120_000;

/** Makes pending payments due, and waits until all are paid and notified. */
export async function waitUntilSettled(connection: Connection, kept: readonly Played[]): Promise<number> {
  const payments = connection.collection<Stored & { nextCheckAt: Date | null }>('paymentRequests');
  const ids = kept.map(({ id }) => id);
  const pending = { _id: { $in: ids }, statusId: 1 };
  const asked = await payments.countDocuments(pending);
  // Otherwise the test would wait ten minutes for the adapter's next step.
  await payments.updateMany({ ...pending, nextCheckAt: { $ne: null } }, { $set: { nextCheckAt: new Date() } });
  const undone = { _id: { $in: ids }, $or: [{ statusId: { $ne: paid } }, { outboxSince: { $ne: null } }] };
  await until('all payments are paid', async () => (await payments.countDocuments(undone)) === 0, settleLimitMs);
  const waiting = { state: 'waiting', paymentRequestId: { $in: ids } };
  const notifications = connection.collection('notifications');
  await until('all are notified', async () => (await notifications.countDocuments(waiting)) === 0, settleLimitMs);
  return asked;
}

/** Problems of payments that were acknowledged before the moment of the backup. */
export async function* keptProblems(
  connection: Connection,
  receiver: Receiver,
  kept: readonly Played[],
  momentMs: number,
): AsyncGenerator<string> {
  const ids = kept.map(({ id }) => id);
  const found = await connection
    .collection<Stored>('paymentRequests')
    .find({ _id: { $in: ids } })
    .toArray();
  const storedOf = new Map(found.map((one) => [one._id, one]));
  for (const { id, refundedAt = Number.POSITIVE_INFINITY } of kept) {
    const stored = storedOf.get(id);
    if (!stored) {
      yield `payment ${id} is lost`;
      continue;
    }
    if (Number(stored.paidAmount) !== Number(stored.amount))
      yield `payment ${id} is paid with ${stored.paidAmount?.toString()}`;
    if (refundedAt < momentMs && Number(stored.refundedAmount) === 0) yield `the refund of ${id} is lost`;
    const received = receiver.ofPayment(id);
    const succeeded = new Set(received.flatMap(({ json }) => (json.type === 'payment.succeeded' ? [json.id] : [])));
    if (succeeded.size !== 1) yield `payment ${id} was reported as paid under ${succeeded.size} notification ids`;
    const types = new Map(received.map(({ json }) => [json.id, json.type]));
    for (const { json } of received)
      if (types.get(json.id) !== json.type)
        yield `notification ${json.id} arrived as ${json.type} and ${types.get(json.id)}`;
  }
}

/** Repeats the same requests under the same keys: the answers must be the same, without calls to the provider. */
export async function* repeatProblems(
  service: Pick<Service, 'url' | 'key'>,
  provider: FaultsProvider,
  kept: readonly Played[],
): AsyncGenerator<string> {
  const before = requestsAt(provider);
  for (const { id, key, body } of kept) {
    const again = await call(service, `/payments/h2h/${providerCode}`, body, { 'Idempotency-Key': key });
    if (again.status !== 200 || again.id !== id)
      yield `a repetition of ${id} is answered ${again.status} about ${again.id}`;
  }
  if (requestsAt(provider) !== before) yield 'a repetition called the provider again';
}

/** Makes new payments under new keys: none may have an id that the provider knows. */
export async function* newProblems(
  service: Pick<Service, 'url' | 'key'>,
  provider: FaultsProvider,
  count: number,
  body: string,
): AsyncGenerator<string> {
  const known = new Set(provider.charges.keys());
  const last = Math.max(...[...known].map((reference) => Number(reference.split('-')[1])));
  for (let number = 0; number < count; number += 1) {
    const { status, id } = await call(service, `/payments/h2h/${providerCode}`, body);
    if (number === 0) console.log(`The first new payment has the id ${id}; the last that was lost had ${last}.`);
    if (status !== 200) yield `a new payment was answered ${status}`;
    else if (id <= last || known.has(`GW-${id}-1`))
      yield `a new payment has the id ${id}, although ${last} was assigned before`;
  }
}

/** Sends callbacks again: all must be acknowledged. A callback of a lost payment is kept and waits for it. */
export async function* callbackProblems(
  { url, connection }: Pick<Service, 'url' | 'connection'>,
  kept: readonly Played[],
  gone: readonly Played[],
): AsyncGenerator<string> {
  const waits = ({ isCharged }: Played): boolean => !isCharged;
  for (const { id } of [...kept.filter(waits), ...gone.filter(waits)]) {
    const { status } = await deliverCallback(url, paidCallback(`GW-${id}-1`, waitingAmount));
    if (status !== 200) yield `the callback of ${id} was answered ${status}`;
  }
  const payments = connection.collection<Stored>('paymentRequests');
  const inbox = connection.collection('inbox');
  await until('callbacks of known payments are applied', async () => {
    const ids = await payments.distinct('_id');
    return (await inbox.countDocuments({ state: 'waiting', 'events.paymentRequestId': { $in: ids } })) === 0;
  });
  for await (const { _id, logs } of payments.find({ _id: { $in: kept.filter(waits).map(({ id }) => id) } })) {
    const successes = logs.filter((log) => log.transactionStatusId === paid && !log.refused).length;
    if (successes !== 1) yield `payment ${_id} counted ${successes} successes after a repeated callback`;
  }
}

/** A repeated refund that was lost here must not refund twice: it uses the reference that the provider knows. */
export async function* refundProblems(
  service: Pick<Service, 'url' | 'key'>,
  provider: FaultsProvider,
  lostRefunds: readonly Played[],
): AsyncGenerator<string> {
  const before = provider.refunds.size;
  for (const { id, key } of lostRefunds) {
    const body = JSON.stringify({ amount: refundedAmount });
    const headers = { 'Idempotency-Key': `${key} refund` };
    const refund = async (): Promise<Answer> => call(service, `/payment-requests/${id}/refund`, body, headers);
    let answer = await refund();
    // A refund that was in progress at the moment of the backup still counts as running, until the lease of the dead
    // process ends.
    await until('the refund is answered', async () => {
      if (answer.json.code === 'IDEM001') answer = await refund();
      return answer.json.code !== 'IDEM001';
    });
    if (answer.status !== 200)
      yield `a repeated refund of ${id} was answered ${answer.status}: ${JSON.stringify(answer.json)}`;
  }
  const more = provider.refunds.size - before;
  if (more) yield `${more} refunds were made twice`;
}

/** Number of charge requests that the provider received. */
function requestsAt({ charges }: FaultsProvider): number {
  return [...charges.values()].reduce((sum, { requests }) => sum + requests, 0);
}
