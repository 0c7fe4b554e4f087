/**
 * One sender without a key and one holder of a payment link send the worst inputs known. Everyone else is still served,
 * and no process is replaced.
 */
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../support/percentile.ts';
import { readCorpus } from '../fuzz/corpus.ts';
import { toBytes } from '../fuzz/inputs.ts';
import { sendBytes } from '../fuzz/send-bytes.ts';
import { readTargets, type Target } from '../fuzz/targets.ts';
import { runUnderLoad, type Row, type RowResult, type World } from './row.ts';
import { startDefaultService, type Service } from './service.ts';

const attackSeconds = 60;
const quietSeconds = 10;
/** Connections of each sender. */
const lanes = 12;
/** Connections that send a byte of their request now and then. */
const slowLanes = 20;
const askEveryMs = 100;
/** Goal of the p99 under attack, and how many times the p99 without senders it may be. */
const [goalMs, goalTimes] = [1000, 10];

export const worstInput: Row = {
  name: `the worst input of a sender without a key and of a payer for ${attackSeconds} s`,
  async run(world) {
    const service = await startDefaultService(world.provider);
    try {
      return await attack(world, service);
    } finally {
      await service.close();
    }
  },
};

async function attack({ receiver }: World, service: Service): Promise<RowResult> {
  const before = await pidsOf(service);
  const quiet = await askHealth(service, quietSeconds * 1000);
  const targets = await readTargets(service);
  const isPayers = ({ route }: { readonly route: string }): boolean => /^\w+ \/pay\/(state\/)?\{id\}/.test(route);
  const corpus = await readCorpus();
  const answers = new Map<string, number>();
  const until = performance.now() + attackSeconds * 1000;
  const send = async (wanted: boolean): Promise<void> => {
    const inputs = corpus.filter((input) => isPayers(input) === wanted);
    await sendUntil(service, targets, inputs, until, (answer) => answers.set(answer, (answers.get(answer) ?? 0) + 1));
  };
  const [, , , under] = await Promise.all([
    send(false),
    send(true),
    trickle(service, until),
    askHealth(service, attackSeconds * 1000),
  ]);
  const after = await pidsOf(service);
  const replaced = before.filter((pid) => !after.includes(pid)).length;
  // A payment after the attack is paid, and its merchant is notified.
  const later = await runUnderLoad({ service, receiver }, 1, async () => '');
  const [p99, quietP99] = [under, quiet].map(({ times }) => percentile(times, 0.99)) as [number, number];
  const isMet = p99 < goalMs && p99 <= goalTimes * quietP99;
  const counted = [...answers].map(([answer, count]) => `${count} × ${answer}`).join(', ');
  return {
    figures:
      `${corpus.length} inputs, answered ${counted}; ${under.times.length} × /health, p99 ${Math.round(p99)} ms, ` +
      `without senders ${Math.round(quietP99)} ms: the goal is ${isMet ? 'met' : 'missed'}`,
    problems: [
      ...[...quiet.problems, ...under.problems].map((problem) => `/health: ${problem}`),
      ...(replaced ? [`${replaced} processes were replaced`] : []),
      ...later.problems,
    ],
  };
}

const pidsOf = async (service: Service): Promise<number[]> => [
  ...(await service.pids('API')),
  ...(await service.pids('worker')),
];

async function sendUntil(
  { url }: Service,
  targets: readonly Target[],
  inputs: Awaited<ReturnType<typeof readCorpus>>,
  until: number,
  count: (answer: string) => void,
): Promise<void> {
  const byRoute = new Map(targets.map((target) => [target.route, target]));
  let next = 0;
  const run = async (): Promise<void> => {
    while (performance.now() < until) {
      const input = inputs[(next += 1) % inputs.length]!;
      const target = byRoute.get(input.route);
      if (!target) throw new Error(`the corpus names a route that does not exist: ${input.route}`);
      count(await sendBytes(Number(new URL(url).port), toBytes(target, input)));
    }
  };
  await Promise.all(Array.from({ length: lanes }, run));
}

/** Requests that never end: half of them in the headers, half in the body. */
async function trickle({ url }: Service, until: number): Promise<void> {
  const heads = [
    'GET / HTTP/1.1\r\nX-Slow: ',
    'POST /callbacks/test/form HTTP/1.1\r\nHost: a\r\nContent-Length: 4000\r\n\r\n',
  ];
  const run = async (_: unknown, lane: number): Promise<void> => {
    while (performance.now() < until) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume().write(heads[lane % heads.length]!);
      while (!socket.destroyed && performance.now() < until) {
        await sleep(500);
        socket.write('a');
      }
      socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: slowLanes }, run));
}

interface Asked {
  readonly times: number[];
  readonly problems: string[];
}

/** Asks on new connections and on one that is kept, in turn. */
async function askHealth({ url }: Service, forMs: number): Promise<Asked> {
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const asked: Asked = { times: [], problems: [] };
  const end = performance.now() + forMs;
  const ask = async (agent: Agent | false): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now();
      const status = await new Promise<string>((resolve) => {
        get(`${url}/health`, { agent }, (response) => {
          response.resume().on('end', () => resolve(String(response.statusCode)));
        }).on('error', (error) => resolve(`${error.message} after ${Math.round(performance.now() - began)} ms`));
      });
      asked.times.push(performance.now() - began);
      if (status !== '200') asked.problems.push(status);
      await sleep(askEveryMs);
    }
  };
  await Promise.all([ask(kept), ask(false)]);
  kept.destroy();
  return asked;
}
