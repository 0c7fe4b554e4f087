/** Plays one order of messages on one payment, lets everything come to rest, and compares the books. */
import { fromDocument } from '../../core/database/decimals.ts';
import { HOUR, MINUTE, SECOND } from '../../core/base/async/time.ts';
import type { Receiver } from '../support/receiver.ts';
import { begin, createActor, kill, untilAllWait, type Actor, type Message } from './actors.ts';
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
  mayBegin,
  post,
  reconcile,
  relay,
  roles,
  sendKeyed,
  type BaseName,
  type Hand,
  type KeyedRequest,
  type Stage,
} from './roles.ts';

export interface Parts {
  readonly processes: Processes;
  readonly provider: Provider;
  readonly receiver: Receiver;
  /** Sets up, recovers and looks. */
  readonly steady: Process;
}

export interface Played {
  readonly violations: readonly string[];
  /** Messages in the order in which they went, as lines. */
  readonly trace: readonly string[];
  readonly messages: number;
  /** Messages of each actor. */
  readonly sent: readonly number[];
  readonly kills: number;
  readonly losses: number;
  /** What is known in the end, for somebody who repeats the order. */
  readonly books: unknown;
}

/** More messages than this mean that two actors keep each other busy. */
const MAX_MESSAGES = 2000;

export async function runOrder(plan: Plan, parts: Parts): Promise<Played> {
  const { provider, receiver, processes, steady } = parts;
  const abort = new AbortController();
  const hand: Hand = { process: steady, actor: undefined };
  const stage: Stage = {
    processes,
    provider,
    notifyUrl: receiver.url,
    signal: abort.signal,
    requests: [],
    paymentId: 0,
  };
  provider.forget();
  await prepareBase(plan.base, stage, hand);
  const attemptsBefore = (await recordOf(steady, stage.paymentId)).attempts.length;
  provider.behaves(plan.charges, plan.refunds);

  const hands: ActorHand[] = [];
  try {
    for (const [at, role] of plan.roles.entries()) {
      const actor = createActor(`${at + 1} ${role}`, plan.skewsMs[at] ?? 0, mayBegin(role, stage));
      // A new one each time: what one remembers of an earlier order would change this one.
      const process = await processes.start();
      hands.push({ actor, process });
      begin(actor, async () => {
        await roles[role](stage, { actor, process });
      });
    }
    const played = await playMessages(
      plan,
      hands.map(({ actor }) => actor),
    );
    for (const { actor } of hands) if (!actor.hasBegun) kill(actor);
    abort.abort();
    const recovery = { ...stage, signal: new AbortController().signal };
    const books = async (): Promise<Books> => booksOf(recovery, parts, attemptsBefore);
    for (const { actor, process } of hands)
      if (actor.state === 'killed') await steady.gateway.releaseWorker(process.gateway.worker);
    const violations = await recover(plan, recovery, hand, books);
    const { record, inbox } = await books();
    return { ...played, violations, books: { charges: provider.entries, record, inbox, requests: stage.requests } };
  } finally {
    abort.abort();
    await Promise.all(hands.map(endHand));
    await forget(parts);
  }
}

type ActorHand = Hand & { readonly actor: Actor };

/** Its process ends with it, also where an actor hangs because the order could not be played to its end. */
async function endHand({ actor, process }: ActorHand): Promise<void> {
  if (actor.state === 'done') return process.end();
  kill(actor);
  await process.end('killed');
}

/** Makes the payment request of the stage, and brings it where it begins. */
export async function prepareBase(base: BaseName, stage: Stage, hand: Hand): Promise<void> {
  const body = JSON.stringify({ amount: 10, unit: 'EUR', notifyUrl: stage.notifyUrl });
  const created = await post(stage, hand, '/payment-requests', body);
  const { paymentRequest } = JSON.parse(created.text) as { readonly paymentRequest: { readonly id: number } };
  stage.paymentId = paymentRequest.id;
  await bases[base].prepare(stage, hand);
}

const byLabel = (one: Message, other: Message): number =>
  one.label < other.label ? -1 : Number(one.label > other.label);

async function playMessages(plan: Plan, actors: readonly Actor[]): Promise<Omit<Played, 'violations' | 'books'>> {
  const trace: string[] = [];
  const sent = actors.map(() => 0);
  let [kills, losses] = [0, 0];
  for (;;) {
    await untilAllWait(actors);
    const choices = actors.flatMap(({ waiting, hasBegun, mayBegin: may }, actor) =>
      // Side branches come to their messages in any order.
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

/** How much time passes before each look: soon, after every lease, and by the policies of days. */
const pauses = [10 * SECOND, 10 * MINUTE, 10 * MINUTE, HOUR, 7 * HOUR, 8 * HOUR, 25 * HOUR, 25 * HOUR];
/** Within the time for which a key is kept. */
const ROUND_OF_REPETITIONS = 2;

/** Everybody does what remains to be done, until the books agree or nothing helps. */
export async function recover(
  plan: Pick<Plan, 'decidesInRound' | 'losesCallbacks'>,
  stage: Stage,
  hand: Hand,
  books: () => Promise<Books>,
): Promise<string[]> {
  let violations: string[] = [];
  for (const [round, pause] of pauses.entries()) {
    clock.pass(pause);
    if (round >= plan.decidesInRound) stage.provider.decideAll();
    if (!plan.losesCallbacks) await deliverCallbacks(stage, hand);
    if (round === ROUND_OF_REPETITIONS) for (const request of stage.requests) await repeat(stage, hand, request);
    await drain(stage, hand);
    await reconcile(stage, hand);
    if (round < Math.max(ROUND_OF_REPETITIONS, plan.decidesInRound)) continue;
    await relay(stage, hand);
    await deliver(stage, hand);
    violations = violationsOf(await books());
    if (!violations.length) return violations;
  }
  return violations;
}

/** The merchant sends it until it has an answer, and once more. */
async function repeat(stage: Stage, hand: Hand, request: KeyedRequest): Promise<void> {
  for (let times = 0; times < 3 && !isAnswered(request); times += 1) await sendKeyed(stage, hand, request);
  await sendKeyed(stage, hand, request);
}

function isAnswered({ answers }: KeyedRequest): boolean {
  const last = answers.at(-1);
  return last !== undefined && isFinal(last);
}

export async function booksOf(
  { provider, paymentId, requests }: Stage,
  parts: Pick<Parts, 'steady' | 'receiver'>,
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

export async function forget({ steady, receiver }: Pick<Parts, 'steady' | 'receiver'>): Promise<void> {
  receiver.forgetReceived();
  for (const name of ['paymentRequests', 'inbox', 'notifications', 'idempotencyRecords', 'clients', 'exchanges'])
    await steady.gateway.connection.collection(name).deleteMany({});
}
