/**
 * Compares acknowledged callbacks with the payments, the sums of their clients, the inbox and the notifications that
 * the merchant received.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { fromDocument } from '../../core/database/decimals.ts';
import { createClients } from '../../core/engine/payments/clients/clients.ts';
import type { Receiver } from '../support/receiver.ts';

interface Stored {
  readonly _id: number;
  readonly statusId: number;
  readonly sequence: number;
  readonly outbox: readonly unknown[];
  readonly logs: readonly {
    readonly transactionStatusId: number;
    readonly refused: boolean;
    readonly message: string;
  }[];
}

export interface Books {
  readonly lost: number;
  readonly doubled: number;
  /** Repeated deliveries of the same notification. They are allowed. */
  readonly repeatedDeliveries: number;
  /** Time from the last acknowledgement until all payments were paid and notified. */
  readonly settledSeconds: number;
  readonly problems: readonly string[];
}

/**
 * Without progress for this long, missing work counts as lost. Work that a process held when it lost the database waits
 * for the end of its lease, 60 s, and may meet the next fault then.
 */
const QUIET_MS = 150_000;

/**
 * Waits until all payments are paid and notified and every callback is done, as long as there is progress, and
 * compares.
 */
export async function compareBooks(
  connection: Connection,
  receiver: Pick<Receiver, 'received'>,
  ids: readonly number[],
): Promise<Books> {
  const began = performance.now();
  const payments = connection.collection<Stored>('paymentRequests');
  const members = { statusId: 1, sequence: 1, outbox: 1, logs: 1 };
  const undone = { 'events.paymentRequestId': { $in: [...ids] }, state: { $ne: 'done' } };
  const inbox = connection.collection('inbox');
  let [paid, notified, waiting, movedAt] = [0, 0, ids.length, performance.now()];
  while (paid < ids.length || notified < ids.length || waiting > 0) {
    if (performance.now() - movedAt > QUIET_MS) break; // Missing work is counted below.
    await sleep(250);
    // The database may still be down for a moment.
    const paidNow = await payments.countDocuments({ _id: { $in: [...ids] }, statusId: 2 }).catch(() => paid);
    const notifiedNow = notifiedOf(receiver, ids).size;
    const waitingNow = await inbox.countDocuments(undone).catch(() => waiting);
    if (paidNow !== paid || notifiedNow !== notified || waitingNow !== waiting) movedAt = performance.now();
    [paid, notified, waiting] = [paidNow, notifiedNow, waitingNow];
  }
  const settledSeconds = (performance.now() - began) / 1000;

  const problems: string[] = [];
  const all = await payments.find({ _id: { $in: [...ids] } }, { projection: members }).toArray();
  if (waiting) problems.push(`${waiting} callbacks were not applied`);
  const unpaid = all.filter(({ statusId }) => statusId !== 2).length + ids.length - all.length;
  const unnotified = ids.length - notified;
  if (unpaid) problems.push(`${unpaid} payments are not paid`);
  if (unnotified) problems.push(`${unnotified} payments were not notified`);
  // The result of a refund is logged with the status of the payment. So is the answer to a submission if a callback was
  // faster.
  const isSuccess = ({ transactionStatusId, refused, message }: Stored['logs'][number]): boolean =>
    transactionStatusId === 2 && !refused && !/^refund |; settled before$/.test(message);
  const successes = ({ logs }: Stored): number => logs.filter(isSuccess).length;
  const doubled = all.filter((payment) => successes(payment) > 1).length;
  if (doubled) problems.push(`${doubled} payments counted a callback twice`);

  const wrongSums = await countWrongSums(connection, ids);
  if (wrongSums) problems.push(`${wrongSums} clients have other deposits than their payments`);

  const wanted = new Set(ids);
  const bodies = new Map<string, string>();
  let repeatedDeliveries = 0;
  for (const { json, body } of receiver.received) {
    if (!wanted.has(json.data.paymentRequest?.id)) continue;
    const known = bodies.get(json.id);
    if (known === undefined) bodies.set(json.id, body);
    else repeatedDeliveries += 1;
    if (known !== undefined && known !== body) problems.push(`notification ${json.id} has two bodies`);
  }
  const succeeded = [...bodies.values()].filter((body) => body.includes('"type":"payment.succeeded"')).length;
  if (succeeded > ids.length) problems.push(`${succeeded} notifications of ${ids.length} successes`);
  return { lost: Math.max(unpaid, unnotified), doubled, repeatedDeliveries, settledSeconds, problems };
}

interface PaidSum {
  readonly _id: { readonly client: number; readonly currency: string };
  readonly paid: string;
  readonly refunded: string;
}

/** Clients of these payments whose sums differ from the sums of all their payments. */
async function countWrongSums(connection: Connection, ids: readonly number[]): Promise<number> {
  const payments = connection.collection('paymentRequests');
  const clientIds = (await payments.distinct('clientId', { _id: { $in: ids as never } })) as number[];
  const clients = createClients({
    connection,
    ids: { next: async () => Promise.reject(new Error('no client is created')), drop: () => undefined },
    reportingCurrency: 'EUR',
    exchangeRates: {},
    onManyDue: () => undefined,
    now: () => new Date(),
  });
  const shown = await clients.get(clientIds);
  const sums = { paid: { $sum: '$paidAmount' }, refunded: { $sum: '$refundedAmount' } };
  const found = await payments
    .aggregate([
      { $match: { clientId: { $in: clientIds }, paidCurrency: { $type: 'string' } } },
      { $group: { _id: { client: '$clientId', currency: '$paidCurrency' }, ...sums } },
    ])
    .toArray();
  const isWrong = ({ _id: { client, currency }, paid, refunded }: PaidSum): boolean => {
    const sum = shown.get(client)?.deposits[currency];
    return sum?.paid !== paid || sum.refunded !== refunded;
  };
  return new Set((fromDocument(found) as PaidSum[]).filter(isWrong).map(({ _id }) => _id.client)).size;
}

/** Payments whose success the merchant was notified of. */
function notifiedOf(receiver: Pick<Receiver, 'received'>, ids: readonly number[]): Set<number> {
  const wanted = new Set(ids);
  const known = receiver.received.filter(({ json }) => json.type === 'payment.succeeded');
  return new Set(known.map(({ json }) => json.data.paymentRequest.id as number).filter((id) => wanted.has(id)));
}
