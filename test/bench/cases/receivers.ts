/** Merchants who answer slowly, or never. */
import { until } from '../../../core/base/testing/until.ts';
import { percentile } from '../../support/percentile.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import {
  deliver,
  measureDrain,
  makePayments,
  recordNotifiedTimes,
  settle,
  waitsOf,
  withGateway,
  type Bench,
} from '../measure.ts';

/** Response time of the slow merchant. */
const slowAnswerMs = 200;

export async function measureSlowReceiver(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { drainedPerSecond } = await measureDrain(bench, gateway, slowAnswerMs);
    bench.record('told, one merchant who takes 200 ms', 'ours', drainedPerSecond);
  });
}

const merchants = ['Shop', 'Shop 2', 'Shop 3', 'Shop 4', 'Shop 5'] as const;
/** Short enough that attempts to the merchant who never answers time out and are repeated during the measurement. */
const timeoutMs = 5000;

/** The same load twice: first all five merchants answer, then the fifth no longer answers. */
export async function measureHangingReceiver(bench: Bench): Promise<void> {
  const config = { notifications: { timeoutMs } };
  await withGateway(bench, { workers: 2, config }, async (gateway) => {
    const { drainedPerSecond } = await measureDrain(bench, gateway);
    const half = drainedPerSecond / 2;
    const all: Merchant[] = [];
    for (const name of merchants) {
      const receiver = await startReceiver();
      const toldAt = recordNotifiedTimes(receiver);
      all.push({ key: await gateway.createKey(name), receiver, toldAt });
    }
    const [quick, fifth] = [all.slice(0, -1), all.at(-1)!];
    const warm = await notifyAll(bench, gateway, all, half);
    await settle(bench, gateway, receivedBy(all), warm.ids);
    const quiet = await notifyAll(bench, gateway, all, half);
    await settle(bench, gateway, receivedBy(all), quiet.ids);

    fifth.receiver.answer = () => undefined;
    const hanging = await notifyAll(bench, gateway, all, half);
    const isQuick = (_: number, index: number): boolean => index % all.length < quick.length;
    await settle(bench, gateway, receivedBy(quick), hanging.ids.filter(isQuick));
    const ofFifth = hanging.ids.filter((id, index) => !isQuick(id, index));
    await compareWaiting(bench, gateway, ofFifth);
    const name = 'told p99, one merchant in five never answers';
    bench.record(name, 'theirs', percentile(quiet.waits().filter(isQuick), 0.99));
    bench.record(name, 'ours', percentile(hanging.waits().filter(isQuick), 0.99));
    await Promise.all(all.map(async ({ receiver }) => receiver.close()));
  });
}

interface Merchant {
  readonly key: string;
  readonly receiver: Receiver;
  readonly toldAt: ReadonlyMap<number, number>;
}

interface NotifiedPayments {
  /** Payments of the merchants in turn. */
  readonly ids: readonly number[];
  /** Time of each payment from its acknowledgement to its first attempt, once all are notified. */
  readonly waits: () => number[];
}

/** Sends callbacks of payments of all the merchants in turn. */
async function notifyAll(
  bench: Bench,
  gateway: BenchGateway,
  all: readonly Merchant[],
  perSecond: number,
): Promise<NotifiedPayments> {
  const each = Math.ceil(bench.count / all.length);
  const idsOf: number[][] = [];
  for (const { key, receiver } of all) idsOf.push(await makePayments({ ...gateway, key }, receiver.url, each));
  const ids = Array.from({ length: each }, (_, at) => idsOf.map((own) => own[at]!)).flat();
  const { answeredAt } = await deliver(bench, gateway.port, ids, perSecond);
  return { ids, waits: () => waitsOf(ids, answeredAt, new Map(all.flatMap(({ toldAt }) => [...toldAt]))) };
}

function receivedBy(some: readonly Merchant[]): Pick<Receiver, 'received'> {
  return {
    get received() {
      return some.flatMap(({ receiver }) => receiver.received);
    },
  };
}

/**
 * The notifications for the merchant who never answers must be kept: each payment paid, with one waiting notification.
 */
async function compareWaiting(bench: Bench, { connection }: BenchGateway, ids: readonly number[]): Promise<void> {
  const of = { $in: [...ids] };
  const payments = connection.collection<{ _id: number }>('paymentRequests');
  const areAllPaid = async (): Promise<boolean> =>
    (await payments.countDocuments({ _id: of, statusId: 2 })) === ids.length;
  await until('all are paid', areAllPaid).catch((error: Error) => bench.problem(error.message));
  const kept = { paymentRequestId: of, type: 'payment.succeeded', state: 'waiting' };
  const waiting = await connection.collection('notifications').countDocuments(kept);
  if (waiting !== ids.length)
    bench.problem(`${waiting} notifications wait for the merchant who never answers, expected ${ids.length}`);
}
