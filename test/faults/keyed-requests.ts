/**
 * Requests under an `Idempotency-Key`. Their API is killed with -9 before each message that may change something,
 * another process answers the repetitions, and then the books of provider, gateway and merchant are compared. This runs
 * in its own process, because the other process uses our clock: no lease has to be waited for.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { MINUTE } from '../../core/base/async/time.ts';
import { findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { isFinal, type Books } from '../explore/books.ts';
import { clock, installClock } from '../explore/clock.ts';
import { holdDatabaseMessages } from '../explore/database-messages.ts';
import { prepareProcesses } from '../explore/processes.ts';
import { firstCode, startProvider } from '../explore/provider.ts';
import {
  keyed,
  roles,
  sendKeyed,
  type Act,
  type BaseName,
  type Runner,
  type KeyedRequest,
  type Stage,
} from '../explore/roles.ts';
import { booksOf, clearData, prepareBase, recordOf, recover, type OrderDeps } from '../explore/run-order.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver } from '../support/receiver.ts';
import type { FromDoomed, ToDoomed } from './doomed-api.ts';

/** Number of messages to skip between two kills, unless all are requested. */
const skippedMessages = 2;

interface Case {
  readonly name: string;
  /** State of the payment before the request. Absent if the request creates it. */
  readonly base?: BaseName;
  readonly send: Act;
  /** Number of payment requests at the end. */
  readonly payments?: number;
  /** Additional condition on the final books, whenever the API was killed. */
  readonly holds?: (books: Books) => boolean;
}

const requestBody = (stage: Stage): object => ({ amount: 10, unit: 'EUR', notifyUrl: stage.notifyUrl });

const cases: readonly Case[] = [
  {
    name: 'create',
    send: async (stage, runner) =>
      keyed('create', '/payment-requests', JSON.stringify(requestBody(stage)))(stage, runner),
  },
  {
    name: 'batch',
    payments: 3,
    async send(stage, runner) {
      const body = JSON.stringify({ paymentRequests: Array.from({ length: 3 }, () => requestBody(stage)) });
      await keyed('batch', '/payment-requests/batch', body)(stage, runner);
    },
  },
  {
    name: 'pay by provider code',
    async send(stage, runner) {
      const body = cardBody('4111111111111111', 10, { notifyUrl: stage.notifyUrl });
      await keyed('pay', `/payments/h2h/${firstCode}`, body)(stage, runner);
    },
  },
  { name: 'pay', base: 'created', send: roles.submit },
  { name: 'resume after 3D Secure', base: 'challenged by the bank', send: roles['the payer returns'] },
  { name: 'confirm', base: 'asked for a member code', send: roles['the payer types the code'] },
  {
    name: 'capture',
    base: 'authorised',
    send: roles.capture,
    holds: ({ record, provider }) => record.statusId === 2 && provider.entries[0]?.state === 'succeeded',
  },
  {
    name: 'refund',
    base: 'paid',
    send: roles.refund,
    holds: ({ provider }) => provider.entries.filter(({ kind }) => kind === 'refund').length === 1,
  },
  { name: 'cancel', base: 'created', send: roles.cancel, holds: ({ record }) => record.statusId === 5 },
  {
    name: 'cancel of what is authorised',
    base: 'authorised',
    send: roles.cancel,
    holds: ({ record, provider }) => record.statusId === 5 && provider.entries[0]?.state === 'released',
  },
];

const options = {
  only: { type: 'string', default: '' },
  at: { type: 'string' },
  long: { type: 'boolean', default: false },
} as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options });
  installClock();
  holdDatabaseMessages();
  const report = (line: string): void => console.error(line);
  const { path } = await findMongod({ env: process.env, report });
  const mongod = await startMongod({ binary: path, ephemeral: true, report });
  const [provider, receiver] = [await startProvider(), await startReceiver()];
  const processes = await prepareProcesses(mongod.uri, provider.adapters);
  const parts: OrderDeps = { processes, provider, receiver, steady: await processes.start() };
  const doomed = startDoomedApis(parts);
  let [passed, failed] = [0, 0];
  for (const one of cases.filter(({ name }) => name.includes(values.only))) {
    const began = performance.now();
    const { changes, ...whole } = await play(one, Number.MAX_SAFE_INTEGER, parts, doomed);
    const problems = whole.violations.map((violation) => `not killed: ${violation}`);
    const points = Array.from({ length: changes ?? 0 }, (_, index) => index + 1);
    const isChosen = (point: number): boolean =>
      values.at === undefined
        ? values.long || point === points.length || (point + cases.indexOf(one)) % (skippedMessages + 1) === 0
        : point === Number(values.at);
    let killed = 0;
    for (const point of points.filter(isChosen)) {
      const cut = await play(one, point, parts, doomed);
      if (cut.changes === undefined) killed += 1;
      problems.push(...cut.violations.map((violation) => `killed before message ${point}: ${violation}`));
    }
    // Background messages make a difference of one or two.
    if (points.length < 3 || (values.at === undefined && killed === 0)) problems.push('the API was never killed');
    if (problems.length) failed += 1;
    else passed += 1;
    const seconds = Math.round((performance.now() - began) / 1000);
    const figures = `killed before ${killed} of its ${points.length} messages`;
    console.log(`${problems.length ? 'FAILED' : 'ok    '} ${String(seconds).padStart(4)} s  ${one.name}: ${figures}`);
    for (const problem of problems) console.log(`               ${problem}`);
  }
  await doomed.stop();
  await parts.steady.end();
  await Promise.all([provider.close(), receiver.close(), mongod.stop()]);
  console.log(`${passed} passed, ${failed} failed`);
  return failed ? 1 : 0;
}

interface Played {
  readonly violations: readonly string[];
  /** Messages up to the response that may change something. Undefined if the API was killed. */
  readonly changes: number | undefined;
}

async function play(one: Case, killAt: number, parts: OrderDeps, doomed: DoomedApis): Promise<Played> {
  const { processes, provider, receiver, steady } = parts;
  // A new process each time: its caches know no clients of an earlier round.
  const survivor = await processes.start();
  const runner: Runner = { process: survivor, actor: undefined };
  const { signal } = new AbortController();
  const stage: Stage = { processes, provider, notifyUrl: receiver.url, signal, requests: [], paymentId: 0 };
  clock.resetToRealTime();
  provider.forget();
  provider.behaves('succeeds', 'succeeds');
  if (one.base) await prepareBase(one.base, stage, runner);
  provider.behaves('succeeds', 'succeeds');
  const attemptsBefore = one.base ? (await recordOf(steady, stage.paymentId)).attempts.length : 0;

  const api = await doomed.next();
  await api.arm(killAt);
  // The connection ends when the API is killed.
  await Promise.resolve(one.send(stage, { ...runner, process: { ...survivor, url: api.url } })).catch(() => undefined);
  const changes = await api.end();
  await survivor.gateway.releaseWorker('doomed');

  const [request] = stage.requests;
  const payments = steady.gateway.connection.collection<{ _id: number }>('paymentRequests');
  try {
    if (!request) throw new Error('no request was made');
    // Once while the dead process holds the key, once after its lease ended, and once more.
    await sendKeyed(stage, runner, request);
    clock.pass(2 * MINUTE);
    for (let times = 0; times < 2; times += 1) await sendKeyed(stage, runner, request);
    const ids = (await payments.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    if (ids.length !== (one.payments ?? 1))
      throw new Error(`found ${ids.length} payment requests, expected ${one.payments ?? 1}`);
    stage.paymentId ||= ids[0]!;
    const books = async (): Promise<Books> => booksOf(stage, parts, attemptsBefore);
    const violations = await recover({ decidesInRound: 1, losesCallbacks: false }, stage, runner, books);
    if (one.holds?.(await books()) === false) violations.push('the request had no effect');
    if ((await payments.countDocuments({})) !== ids.length)
      violations.push('a repetition created another payment request');
    return { violations: [...violations, ...answerViolations(request, ids)], changes };
  } catch (error) {
    return { violations: [String((error as Error).stack)], changes };
  } finally {
    await survivor.end();
    await clearData(parts);
  }
}

/** The repetitions must end with an answer, twice the same, that names the payment requests. */
function* answerViolations({ answers }: KeyedRequest, ids: readonly number[]): Generator<string> {
  const final = answers.filter(isFinal);
  const [last, before] = [final.at(-1), final.at(-2)];
  if (!last || !before) return yield `no answer was repeated: ${answers.map(({ status }) => status).join()}`;
  if (last.status !== before.status) yield `answered ${before.status}, then ${last.status}`;
  for (const id of ids) if (!last.text.includes(String(id))) yield `the answer does not name ${id}: ${last.text}`;
}

interface Doomed {
  readonly url: string;
  arm(killAt: number): Promise<void>;
  /** Returns how many of its messages may have changed something. Undefined if it was killed. */
  end(): Promise<number | undefined>;
}

interface DoomedApis {
  /** An API that listens. The next one starts in the meantime. */
  next(): Promise<Doomed>;
  stop(): Promise<void>;
}

const script = fileURLToPath(new URL('doomed-api.js', import.meta.url));

function startDoomedApis({ processes, provider }: OrderDeps): DoomedApis {
  let ready = start();

  async function start(): Promise<Doomed> {
    const child = fork(script, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const exited = once(child, 'exit');
    // The process may already be killed.
    const send = (message: ToDoomed): void => void child.send(message, () => undefined);
    const url = waitForMessage(child, (message) => ('url' in message ? message.url : undefined));
    send({ begin: { run: processes.run, providerPort: provider.port } });
    const changes = waitForMessage(child, (message) => ('changes' in message ? message.changes : undefined));
    return {
      url: (await url) ?? '',
      async arm(killAt) {
        const armed = waitForMessage(child, (message) => 'armed' in message || undefined);
        send({ killAt });
        await armed;
      },
      async end() {
        if (child.connected) send({ end: true });
        await exited;
        return changes;
      },
    };
  }

  return {
    async next() {
      const one = await ready;
      ready = start();
      return one;
    },
    async stop() {
      await (await ready).end();
    },
  };
}

/** The first message for which `read` returns a value. Undefined if the process ends before. */
async function waitForMessage<T>(
  child: ChildProcess,
  read: (message: FromDoomed) => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    const listen = (message: FromDoomed): void => {
      const found = read(message);
      if (found === undefined) return;
      child.off('message', listen);
      resolve(found);
    };
    child.on('message', listen);
    child.once('exit', () => resolve(undefined));
  });
}

process.exitCode = await main();
process.exit();
