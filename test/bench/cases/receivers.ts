/** Merchants who answer slowly, or never. */
import { makePending } from '../../faults/load.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import { callbacks, drained, measure, noteTold, percentileTold, settle, withGateway, type Bench } from '../measure.ts';

/** How long the slow merchant takes. */
const slowAnswerMs = 200;

export async function measureSlowReceiver(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const { drainedPerSecond } = await drained(bench, gateway, slowAnswerMs);
    bench.record('told, one merchant who takes 200 ms', 'ours', drainedPerSecond);
  });
}

const merchants = ['Shop', 'Shop 2', 'Shop 3', 'Shop 4', 'Shop 5'] as const;
/** Short enough that attempts at the merchant who never answers end, and are repeated, while the others are measured. */
const timeoutMs = 5000;

/** The same load twice: all five merchants answer, then the fifth answers no more. */
export async function measureHangingReceiver(bench: Bench): Promise<void> {
  const config = { notifications: { timeoutMs } };
  await withGateway(bench, { workers: 2, config }, async (gateway) => {
    const { drainedPerSecond } = await drained(bench, gateway);
    const all: Merchant[] = [];
    for (const name of merchants) {
      const receiver = await startReceiver();
      const toldAt = noteTold(receiver);
      all.push({ key: await gateway.createKey(name), receiver, toldAt });
    }
    const [quick, fifth] = [all.slice(0, -1), all.at(-1)!];
    const warm = await tellAll(bench, gateway, all, drainedPerSecond / 2);
    await settle(bench, gateway, receivedBy(all), warm.ids);
    const quiet = await tellAll(bench, gateway, all, drainedPerSecond / 2);
    await settle(bench, gateway, receivedBy(all), quiet.ids);
    bench.record('told p99, one merchant in five never answers', 'theirs', quiet.p99Of(quick));

    fifth.receiver.answer = () => undefined;
    const hanging = await tellAll(bench, gateway, all, drainedPerSecond / 2);
    const isOfFifth = (_: number, index: number): boolean => index % all.length === all.length - 1;
    const others = hanging.ids.filter((id, index) => !isOfFifth(id, index));
    await settle(bench, gateway, receivedBy(quick), others);
    bench.record('told p99, one merchant in five never answers', 'ours', hanging.p99Of(quick));
    await compareWaiting(bench, gateway, hanging.ids.filter(isOfFifth));
    await Promise.all(all.map(async ({ receiver }) => receiver.close()));
  });
}

interface Merchant {
  readonly key: string;
  readonly receiver: Receiver;
  readonly toldAt: ReadonlyMap<number, number>;
}

interface Told {
  /** Of the merchants in turn. */
  readonly ids: readonly number[];
  /** From acknowledgement to first attempt. */
  readonly p99Of: (some: readonly Merchant[]) => number;
}

/** Callbacks of payments of all the merchants in turn. */
async function tellAll(
  bench: Bench,
  gateway: BenchGateway,
  all: readonly Merchant[],
  perSecond: number,
): Promise<Told> {
  const each = Math.ceil(bench.count / all.length);
  const idsOf: number[][] = [];
  for (const { key, receiver } of all) idsOf.push(await makePending({ ...gateway, key }, receiver.url, each));
  const ids = Array.from({ length: each }, (_, at) => idsOf.map((own) => own[at]!)).flat();
  const { answeredAt } = await measure(bench, gateway.port, callbacks(ids), perSecond);
  return {
    ids,
    p99Of(some) {
      const toldAt = new Map(some.flatMap((one) => [...one.toldAt]));
      const chosen = new Set(some.flatMap((one) => idsOf[all.indexOf(one)]!));
      const places = ids.map((id, at) => [id, at] as const).filter(([id]) => chosen.has(id));
      const answers = places.map(([, at]) => answeredAt[at]!);
      return percentileTold(
        0.99,
        places.map(([id]) => id),
        answers,
        toldAt,
      );
    },
  };
}

function receivedBy(some: readonly Merchant[]): Pick<Receiver, 'received'> {
  return {
    get received() {
      return some.flatMap(({ receiver }) => receiver.received);
    },
  };
}

/** What the merchant who never answers is to be told must be kept for him: each payment paid, and one notification of it. */
async function compareWaiting(bench: Bench, { connection }: BenchGateway, ids: readonly number[]): Promise<void> {
  const of = { $in: [...ids] };
  const paid = await connection.collection<{ _id: number }>('paymentRequests').countDocuments({ _id: of, statusId: 2 });
  const kept = { paymentRequestId: of, type: 'payment.succeeded', state: 'waiting' };
  const waiting = await connection.collection('notifications').countDocuments(kept);
  if (paid !== ids.length)
    bench.problem(`${ids.length - paid} payments of the merchant who never answers are not paid`);
  if (waiting !== ids.length)
    bench.problem(`${waiting} notifications wait for the merchant who never answers, and not ${ids.length}`);
}
