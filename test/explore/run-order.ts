/** Plays one order of messages on one payment, lets all work finish, and compares the books. */
import { fromDocument } from '../../core/database/decimals.ts';
import { HOUR, MINUTE, SECOND } from '../../core/base/async/time.ts';
import type { Receiver } from '../support/receiver.ts';
import { startActor, createActor, kill, waitUntilAllWait, type Actor, type Message } from './actors.ts';
import { isFinal, violationsOf, type Books } from './books.ts';
import { clock } from './clock.ts';
import type { Plan } from './plan.ts';
import type { Process, Processes } from './processes.ts';
import type { Provider } from './provider.ts';
import {
  bases,
  deliver,
  deliverCallbacks,
  drain,
  mayStart,
  post,
  reconcile,
  relay,
  roles,
  sendKeyed,
  type BaseName,
  type Runner,
  type KeyedRequest,
  type Stage,
} from './roles.ts';

export interface OrderDeps {
  readonly processes: Processes;
  readonly provider: Provider;
  readonly receiver: Receiver;
  /** Process that sets up, recovers and checks. */
  readonly steady: Process;
}

export interface Played {
  readonly violations: readonly string[];
  /** Messages as lines, in the order in which they went. */
  readonly trace: readonly string[];
  readonly messages: number;
  /** Number of messages of each actor. */
  readonly sent: readonly number[];
  readonly kills: number;
  readonly losses: number;
  /** The final data, for a person who repeats the order. */
  readonly books: unknown;
}

/** More messages than this mean that two actors keep each other busy. */
const MAX_MESSAGES = 2000;

export async function runOrder(plan: Plan, parts: OrderDeps): Promise<Played> {
  const { provider, receiver, processes, steady } = parts;
  const abort = new AbortController();
  const runner: Runner = { process: steady, actor: undefined };
  const stage: Stage = {
    processes,
    provider,
    notifyUrl: receiver.url,
    signal: abort.signal,
    requests: [],
    paymentId: 0,
  };
  provider.forget();
  await prepareBase(plan.base, stage, runner);
  const attemptsBefore = (await recordOf(steady, stage.paymentId)).attempts.length;
  provider.behaves(plan.charges, plan.refunds);

  const runners: ActorRunner[] = [];
  try {
    for (const [at, role] of plan.roles.entries()) {
      const actor = createActor(`${at + 1} ${role}`, plan.skewsMs[at] ?? 0, mayStart(role, stage));
      // A new process each time, because caches of an earlier order would change this one.
      const process = await processes.start();
      runners.push({ actor, process });
      startActor(actor, async () => {
        await roles[role](stage, { actor, process });
      });
    }
    const played = await playMessages(
      plan,
      runners.map(({ actor }) => actor),
    );
    for (const { actor } of runners) if (!actor.hasBegun) kill(actor);
    abort.abort();
    const recovery = { ...stage, signal: new AbortController().signal };
    const books = async (): Promise<Books> => booksOf(recovery, parts, attemptsBefore);
    for (const { actor, process } of runners)
      if (actor.state === 'killed') await steady.gateway.releaseWorker(process.gateway.worker);
    const violations = await recover(plan, recovery, runner, books);
    const { record, inbox } = await books();
    return { ...played, violations, books: { charges: provider.entries, record, inbox, requests: stage.requests } };
  } finally {
    abort.abort();
    await Promise.all(runners.map(endRunner));
    await clearData(parts);
  }
}

type ActorRunner = Runner & { readonly actor: Actor };

/** The actor's process stops with it, also when the actor hangs because the order could not be completed. */
async function endRunner({ actor, process }: ActorRunner): Promise<void> {
  if (actor.state === 'done') return process.end();
  kill(actor);
  await process.end('killed');
}

/** Creates the payment request of the stage, and brings it into its starting state. */
export async function prepareBase(base: BaseName, stage: Stage, runner: Runner): Promise<void> {
  const body = JSON.stringify({ amount: 10, unit: 'EUR', notifyUrl: stage.notifyUrl });
  const created = await post(stage, runner, '/payment-requests', body);
  const { paymentRequest } = JSON.parse(created.text) as { readonly paymentRequest: { readonly id: number } };
  stage.paymentId = paymentRequest.id;
  await bases[base].prepare(stage, runner);
}

const byLabel = (one: Message, other: Message): number =>
  one.label < other.label ? -1 : Number(one.label > other.label);

async function playMessages(plan: Plan, actors: readonly Actor[]): Promise<Omit<Played, 'violations' | 'books'>> {
  const trace: string[] = [];
  const sent = actors.map(() => 0);
  let [kills, losses] = [0, 0];
  for (;;) {
    await waitUntilAllWait(actors);
    const choices = actors.flatMap(({ waiting, hasBegun, mayStart: may }, actor) =>
      // Side branches reach their messages in any order.
      hasBegun || may() ? waiting.toSorted(byLabel).map((message) => ({ actor, message })) : [],
    );
    if (!choices.length) return { trace, messages: trace.length, sent, kills, losses };
    if (trace.length >= MAX_MESSAGES) throw new Error(`more than ${MAX_MESSAGES} messages`);
    const { index, fate } = plan.next(choices);
    const { actor: at, message } = choices[index]!;
    const actor = actors[at]!;
    trace.push(`${actor.name}: ${message.label}${fate === 'pass' ? '' : ` (${fate})`}`);
    sent[at]! += 1;
    clock.pass(1);
    if (fate === 'killed') {
      kills += 1;
      kill(actor);
      continue;
    }
    if (fate === 'answer_lost') losses += 1;
    actor.waiting.splice(actor.waiting.indexOf(message), 1);
    message.release(fate);
  }
}

/** Time before each recovery round: soon, after every lease, and by policies that last days. */
const pauses = [10 * SECOND, 10 * MINUTE, 10 * MINUTE, HOUR, 7 * HOUR, 8 * HOUR, 25 * HOUR, 25 * HOUR];
/** Within the time for which a key is stored. */
const ROUND_OF_REPETITIONS = 2;

/** Completes all remaining work, until the books agree or all rounds are done. */
export async function recover(
  plan: Pick<Plan, 'decidesInRound' | 'losesCallbacks'>,
  stage: Stage,
  runner: Runner,
  books: () => Promise<Books>,
): Promise<string[]> {
  let violations: string[] = [];
  for (const [round, pause] of pauses.entries()) {
    clock.pass(pause);
    if (round >= plan.decidesInRound) stage.provider.decideAll();
    if (!plan.losesCallbacks) await deliverCallbacks(stage, runner);
    if (round === ROUND_OF_REPETITIONS)
      for (const request of stage.requests) await repeatUntilAnswered(stage, runner, request);
    await drain(stage, runner);
    await reconcile(stage, runner);
    if (round < Math.max(ROUND_OF_REPETITIONS, plan.decidesInRound)) continue;
    await relay(stage, runner);
    await deliver(stage, runner);
    violations = violationsOf(await books());
    if (!violations.length) return violations;
  }
  return violations;
}

/** The merchant repeats the request until it has an answer, and then once more. */
async function repeatUntilAnswered(stage: Stage, runner: Runner, request: KeyedRequest): Promise<void> {
  for (let times = 0; times < 3 && !isAnswered(request); times += 1) await sendKeyed(stage, runner, request);
  await sendKeyed(stage, runner, request);
}

function isAnswered({ answers }: KeyedRequest): boolean {
  const last = answers.at(-1);
  return last !== undefined && isFinal(last);
}

export async function booksOf(
  { provider, paymentId, requests }: Stage,
  parts: Pick<OrderDeps, 'steady' | 'receiver'>,
  attemptsBefore: number,
): Promise<Books> {
  const { connection } = parts.steady.gateway;
  const all = async (name: string): Promise<unknown[]> => {
    return (await connection.collection(name).find({}).toArray()).map(fromDocument);
  };
  return {
    provider,
    attemptsBefore,
    requests,
    record: await recordOf(parts.steady, paymentId),
    inbox: (await all('inbox')) as Books['inbox'],
    notifications: (await all('notifications')) as Books['notifications'],
    received: parts.receiver.ofPayment(paymentId),
  };
}

export async function recordOf({ gateway }: Process, id: number): Promise<Books['record']> {
  return (await gateway.payments.store.load(id))!;
}

export async function clearData({ steady, receiver }: Pick<OrderDeps, 'steady' | 'receiver'>): Promise<void> {
  receiver.forgetReceived();
  for (const name of ['paymentRequests', 'inbox', 'notifications', 'idempotencyRecords', 'clients', 'exchanges'])
    await steady.gateway.connection.collection(name).deleteMany({});
}
