/** Compares what was acknowledged before the backup's moment with the restored service, its provider and its merchant. */
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

/** Brings the next check of what was pending forward, and waits until all of it is paid and told. */
export async function untilSettled(connection: Connection, kept: readonly Played[]): Promise<number> {
  const payments = connection.collection<Stored & { nextCheckAt: Date | null }>('paymentRequests');
  const ids = kept.map(({ id }) => id);
  const pending = { _id: { $in: ids }, statusId: 1 };
  const asked = await payments.countDocuments(pending);
  // Nobody waits ten minutes here for the step that the adapter names.
  await payments.updateMany({ ...pending, nextCheckAt: { $ne: null } }, { $set: { nextCheckAt: new Date() } });
  const undone = { _id: { $in: ids }, $or: [{ statusId: { $ne: paid } }, { outboxSince: { $ne: null } }] };
  await until('all payments are paid', async () => (await payments.countDocuments(undone)) === 0, settleLimitMs);
  const waiting = { state: 'waiting', paymentRequestId: { $in: ids } };
  const notifications = connection.collection('notifications');
  await until('all are told', async () => (await notifications.countDocuments(waiting)) === 0, settleLimitMs);
  return asked;
}

/** What is wrong with payments that were acknowledged before the backup's moment. */
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
    const told = receiver.ofPayment(id);
    const succeeded = new Set(told.flatMap(({ json }) => (json.type === 'payment.succeeded' ? [json.id] : [])));
    if (succeeded.size !== 1) yield `payment ${id} was told as paid under ${succeeded.size} ids`;
    const types = new Map(told.map(({ json }) => [json.id, json.type]));
    for (const { json } of told)
      if (types.get(json.id) !== json.type)
        yield `notification ${json.id} came as ${json.type} and ${types.get(json.id)}`;
  }
}

/** The same requests under the same keys: answered as before, and the provider is not asked. */
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
  if (requestsAt(provider) !== before) yield 'a repetition asked the provider again';
}

/** New payments under new keys: none has an id that the provider knows. */
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
      yield `a new payment has the id ${id}, and ${last} was given before`;
  }
}

/** Callbacks that the provider sends again are acknowledged; one of a payment that is lost waits for it, and is kept. */
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
  await until('what is about known payments is applied', async () => {
    const ids = await payments.distinct('_id');
    return (await inbox.countDocuments({ state: 'waiting', 'events.paymentRequestId': { $in: ids } })) === 0;
  });
  for await (const { _id, logs } of payments.find({ _id: { $in: kept.filter(waits).map(({ id }) => id) } })) {
    const successes = logs.filter((log) => log.transactionStatusId === paid && !log.refused).length;
    if (successes !== 1) yield `payment ${_id} counted ${successes} successes after a repeated callback`;
  }
}

/** Who repeats a refund that is lost here gives nothing back twice: it has the reference that the provider knows. */
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
    // One that was under way at the backup's moment is still running, until the lease of the dead process ends.
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

/** How often the provider was asked for a charge. */
function requestsAt({ charges }: FaultsProvider): number {
  return [...charges.values()].reduce((sum, { requests }) => sum + requests, 0);
}
