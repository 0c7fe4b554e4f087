/** Each row applies one kind of fault to the running service, and reports its cost and any inconsistency afterwards. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { jobCollection } from '../../core/engine/jobs/recurring-jobs.ts';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { percentile } from '../support/percentile.ts';
import { answerKinds } from './answer-kinds.ts';
import { compareBooks } from './books.ts';
import { clockRows } from './clocks.ts';
import { databaseOutageRows } from './database-outage.ts';
import { diskFull } from './disk-full.ts';
import type { NotificationDocument } from '../../core/database/collections/notification.ts';
import { receiverKinds, startReceivers, type ReceiverKind } from './receiver-kinds.ts';
import { call, deliverAll, makePending, runConcurrently } from './load.ts';
import { checkBadAnswers } from './provider-answers.ts';
import { deliverCallback, paidCallback } from './provider.ts';
import { movingMerchant } from './moving-merchant.ts';
import { rotation } from './rotation.ts';
import { isReady, killIfRunning, runUnderLoad, type Row, type World } from './row.ts';
import type { Service } from './service.ts';
import { soak } from './soak.ts';
import { worstInput } from './worst-input.ts';

async function killAtRandom({ service, isLong }: World, isOver: () => boolean): Promise<string> {
  const roles = ['worker', 'API', 'worker', 'mongod', 'API', 'worker'] as const;
  const killed = { worker: 0, API: 0, mongod: 0 };
  const end = Date.now() + (isLong ? 600_000 : 60_000);
  for (let turn = 0; !isOver() && Date.now() < end; turn += 1) {
    await sleep(2000 + Math.random() * 2000);
    const role = roles[turn % roles.length]!;
    const pids = await service.pids(role);
    const pid = pids[Math.floor(Math.random() * pids.length)];
    if (pid === undefined || isOver()) continue;
    killIfRunning(pid);
    killed[role] += 1;
  }
  return `killed ${killed.worker} workers, ${killed.API} APIs, ${killed.mongod} mongods`;
}

/** An address that never sent a genuine callback, so it has the budget of unknown senders. */
const unknownSender = '127.0.0.2';
/**
 * A thousand forged callbacks per second are started. Below this rate of responses the figures mention the limit of the
 * machine.
 */
const forgedPerSecond = 700;
const genuineLimitMs = 2000;
/** While thirty merchants hang for thirty seconds each. */
const othersLimitSeconds = 15;

export const rows: readonly Row[] = [
  {
    name: 'without a fault',
    run: async (world) => runUnderLoad(world, 300, async () => ''),
  },
  {
    name: 'kill -9 of workers, API and mongod at random',
    run: async (world) => {
      const [count, perSecond] = world.isLong ? [10_000, 100] : [2000, 60];
      const result = await runUnderLoad(world, count, async (isOver) => killAtRandom(world, isOver), perSecond);
      await until('it is ready again', isReady(world.service), 90_000);
      return result;
    },
  },
  {
    name: 'kill -9 of the supervisor, and a restart',
    async run(world) {
      const { service } = world;
      const harm = async (): Promise<string> => {
        await sleep(1000);
        await service.end('SIGKILL');
        const began = performance.now();
        await service.start();
        return `ready again after ${Math.round(performance.now() - began)} ms`;
      };
      return runUnderLoad(world, 300, harm, 100);
    },
  },
  {
    name: 'SIGTERM under load, and a restart',
    async run(world) {
      const { service } = world;
      let code: number | null = null;
      const harm = async (): Promise<string> => {
        await sleep(1000);
        const began = performance.now();
        code = await service.end('SIGTERM');
        const stoppedMs = performance.now() - began;
        await service.start();
        return `stopped in ${Math.round(stoppedMs)} ms`;
      };
      const { figures, problems } = await runUnderLoad(world, 300, harm, 100);
      return { figures, problems: code === 0 ? problems : [...problems, `the service exited with ${code}`] };
    },
  },
  ...clockRows,
  ...databaseOutageRows,
  ...(['dropped', 'doubled', 'locked in the future'] as const).map((what): Row => ({
    name: `Agenda's collection ${what}`,
    run: async (world) => runUnderLoad(world, 150, async () => harmAgenda(world.service, what), 50),
  })),
  {
    name: 'the same callback a hundred times',
    async run({ service, receiver }) {
      const [id = 0] = await makePending(service, receiver.url, 1);
      const message = paidCallback(`GW-${id}-1`, 10);
      const statuses = await Promise.all(
        Array.from({ length: 100 }, async () => (await deliverCallback(service.url, message)).status),
      );
      const books = await compareBooks(service.connection, receiver, [id]);
      const rowsKept = await service.connection.collection('inbox').countDocuments({ 'events.paymentRequestId': id });
      const refused = statuses.filter((status) => status !== 200).length;
      const problems = [
        ...books.problems,
        ...(refused ? [`${refused} were not acknowledged`] : []),
        ...(rowsKept === 1 ? [] : [`${rowsKept} rows are stored`]),
      ];
      return {
        figures: `${statuses.length - refused} acknowledged, ${rowsKept} row, ${books.doubled} doubled`,
        problems,
      };
    },
  },
  {
    name: 'forged callbacks at 1,000/s next to genuine ones at 50/s on new connections',
    async run({ service, receiver, isLong }) {
      const seconds = isLong ? 60 : 8;
      const ids = await makePending(service, receiver.url, 50 * seconds);
      const forged = { ...paidCallback('GW-1-1', 10), signature: 'forged' };
      const [answers, times] = [new Map<number, number>(), [] as number[]];
      const began = performance.now();
      const waitForTurn = async (perSecond: number, index: number): Promise<void> => {
        const waitMs = (index * 1000) / perSecond - (performance.now() - began);
        if (waitMs > 0) await sleep(waitMs);
      };
      const attack = runConcurrently(200, Array.from({ length: 1000 * seconds }), async (_, index) => {
        await waitForTurn(1000, index);
        const { status } = await deliverCallback(service.url, forged, { localAddress: unknownSender });
        answers.set(status, (answers.get(status) ?? 0) + 1);
      });
      const genuine = runConcurrently(50, ids, async (id, index) => {
        await waitForTurn(50, index);
        for (let status = 0; status !== 200;) {
          const answer = await deliverCallback(service.url, paidCallback(`GW-${id}-1`, 10), { agent: false });
          status = answer.status;
          times.push(answer.ms);
          if (status !== 200) await sleep(250);
        }
      });
      await Promise.all([attack, genuine]);
      const took = (performance.now() - began) / 1000;
      const books = await compareBooks(service.connection, receiver, ids);
      const refused = [...answers].map(([status, count]) => `${count} × ${status}`).join(', ');
      const rate = Math.round((1000 * seconds) / took);
      const slow = rate < forgedPerSecond ? ', the limit of this machine' : '';
      const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)].map(Math.round) as [number, number];
      const problems = [...books.problems];
      if (answers.has(200)) problems.push('a forged callback was accepted');
      if (p95 > genuineLimitMs) problems.push(`genuine callbacks waited: p95 ${p95} ms, limit ${genuineLimitMs} ms`);
      return {
        figures: `${rate} forged/s answered${slow} (${refused}); genuine p50 ${p50} ms, p95 ${p95} ms; ${books.lost} lost`,
        problems,
      };
    },
  },
  {
    name: 'thirty merchants that hang',
    async run({ service, receiver }) {
      const ports = await Promise.all(Array.from({ length: 30 }, startHanging));
      const stuck = (await Promise.all(ports.map(async ({ url }) => makePending(service, url, 4)))).flat();
      await deliverAll(service.url, stuck);
      const began = Date.now();
      const ids = await makePending(service, receiver.url, 60);
      await deliverAll(service.url, ids);
      const books = await compareBooks(service.connection, receiver, ids);
      const seconds = (Date.now() - began) / 1000;
      await Promise.all(ports.map(async (one) => one.close()));
      const isLate = seconds > othersLimitSeconds && `other merchants were notified only after ${othersLimitSeconds} s`;
      return {
        figures: `60 payments of other merchants paid and notified in ${seconds.toFixed(1)} s; ${books.lost} lost`,
        problems: isLate ? [...books.problems, isLate] : books.problems,
      };
    },
  },
  {
    name: `${receiverKinds.length} kinds of receivers`,
    async run({ service, receiver }) {
      const receivers = await startReceivers();
      const ids = await makePending(service, receiver.url, receiverKinds.length, {
        notifyUrls: receivers.urls,
      });
      await deliverAll(service.url, ids);
      const notifications = service.connection.collection<NotificationDocument>('notifications');
      const attempted = { paymentRequestId: { $in: ids }, 'attempts.0': { $exists: true } };
      const isDone = async (): Promise<boolean> => (await notifications.countDocuments(attempted)) === ids.length;
      const end = Date.now() + 120_000;
      while (!(await isDone()) && Date.now() < end) await sleep(500);
      const rowsOf = new Map(
        (await notifications.find({ paymentRequestId: { $in: ids } }).toArray()).map((row) => [
          row.paymentRequestId,
          row,
        ]),
      );
      await receivers.close();
      const problems = receiverKinds.flatMap((kind, at) => {
        const problem = problemOf(kind, rowsOf.get(ids[at]!));
        return problem ? [`${kind.name}: ${problem}`] : [];
      });
      const delivered = [...rowsOf.values()].filter(({ state }) => state === 'delivered').length;
      return { figures: `${delivered} delivered, ${rowsOf.size - delivered} to be retried or gone`, problems };
    },
  },
  {
    name: `${answerKinds.length} kinds of provider answers to submit, fetch and refund`,
    async run(world) {
      const { answers } = world;
      const problems = await checkBadAnswers(world);
      const [paid, given] = [answers.charges.size, answers.refunds.size];
      return {
        figures: `${paid} charges reached the provider, ${given} refunds; each payment ended with that status`,
        problems,
      };
    },
  },
  {
    name: 'twenty concurrent submits, refunds and cancels of one payment',
    async run(world) {
      const { service, provider, isLong } = world;
      const problems: string[] = [];
      const rounds = isLong ? 50 : 5;
      let refunded = 0;
      for (let round = 0; round < rounds; round += 1) {
        const id = await newRequest(world);
        const path = `/payment-requests/${id}`;
        const { amount: _, unit: __, ...card } = JSON.parse(cardBody('4111111111111111', 7)) as Record<string, unknown>;
        const submits = Array.from({ length: 20 }, async () =>
          call(service, `/payments/creditCard/${id}`, JSON.stringify(card)),
        );
        // A cancel is faster than a submit, so only every second payment is cancelled.
        const cancels = round % 2 ? [] : [call(service, `${path}/cancel`)];
        const answers = await Promise.all([...submits, ...cancels]);
        const paid = answers.slice(0, 20).filter(({ status }) => status === 200).length;
        const isCancelled = answers[20]?.status === 200;
        const charges = [...provider.charges].filter(([reference]) => reference.startsWith(`GW-${id}-`));
        if (charges.length > 1 || charges.some(([, { requests }]) => requests > 1))
          problems.push(`${id} was charged twice`);
        if (paid !== charges.length) problems.push(`${id}: ${paid} answers say paid, ${charges.length} charges`);
        if (!charges.length && !isCancelled) problems.push(`${id}: neither paid nor cancelled`);
        if (!charges.length) continue;
        const refunds = Array.from({ length: 20 }, async (_one, n) =>
          call(service, `${path}/refund`, '{"amount":2}', { 'Idempotency-Key': `${id}-${n % 10}` }),
        );
        await Promise.all(refunds);
        const given = [...provider.refunds.values()].filter(({ charge }) => charge.startsWith(`GW-${id}-`));
        const sum = given.reduce((total, { amount }) => total + amount, 0);
        refunded += sum;
        if (sum === 0) problems.push(`${id}: nothing was refunded`);
        if (sum > 7) problems.push(`${id}: ${sum} of 7 was refunded`);
      }
      return { figures: `${rounds} payments, each charged at most once; ${refunded} EUR refunded`, problems };
    },
  },
  worstInput,
  rotation,
  movingMerchant,
  diskFull,
  soak,
];

/** The problem with a notification after its first attempt. */
function problemOf(kind: ReceiverKind, row: NotificationDocument | undefined): string | undefined {
  const [first] = row?.attempts ?? [];
  if (!row || !first) return 'no attempt was made';
  // A fast notification may already have had its next attempt.
  const isAgain = row.state === 'waiting' && row.attempts.length > 1;
  if (row.state !== kind.state || first.status !== kind.status)
    return `${row.state} after ${first.status}: ${first.error}`;
  const endedAt = first.at.getTime() + (first.ms ?? 0);
  const delayMs = (row.dueAt?.getTime() ?? endedAt) - endedAt;
  // Two processes read their clocks.
  return !isAgain && kind.delayMs && delayMs < kind.delayMs - 1000 ? `due again after ${delayMs} ms` : undefined;
}

async function newRequest({ service, receiver }: World): Promise<number> {
  const body = JSON.stringify({ amount: 7, unit: 'EUR', notifyUrl: receiver.url });
  return (await call(service, '/payment-requests', body)).json.paymentRequest.id as number;
}

/** A receiver that accepts connections and never answers. */
async function startHanging(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer(() => undefined);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function harmAgenda(
  { connection }: Service,
  what: 'dropped' | 'doubled' | 'locked in the future',
): Promise<string> {
  await sleep(500);
  const jobs = connection.collection(jobCollection);
  if (what === 'dropped') await jobs.drop();
  else if (what === 'locked in the future') {
    await jobs.updateMany(
      {},
      { $set: { lockedAt: new Date(Date.now() + 86_400_000), nextRunAt: new Date(Date.now() + 86_400_000) } },
    );
  } else {
    const all = await jobs.find({}).toArray();
    if (all.length)
      await jobs
        .insertMany(
          all.map((job) => ({ ...job, _id: new mongo.ObjectId() })),
          { ordered: false },
        )
        .catch(() => undefined);
  }
  return '';
}
