/** Compares acknowledged callbacks with the payments, the inbox and the notifications that the merchant received. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
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
  // The result of a refund is logged with the status of the payment.
  const isSuccess = ({ transactionStatusId, refused, message }: Stored['logs'][number]): boolean =>
    transactionStatusId === 2 && !refused && !message.startsWith('refund ');
  const successes = ({ logs }: Stored): number => logs.filter(isSuccess).length;
  const doubled = all.filter((payment) => successes(payment) > 1).length;
  if (doubled) problems.push(`${doubled} payments counted a callback twice`);

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

/** Payments whose success the merchant was notified of. */
function notifiedOf(receiver: Pick<Receiver, 'received'>, ids: readonly number[]): Set<number> {
  const wanted = new Set(ids);
  const known = receiver.received.filter(({ json }) => json.type === 'payment.succeeded');
  return new Set(known.map(({ json }) => json.data.paymentRequest.id as number).filter((id) => wanted.has(id)));
}
