/** What can happen to one payment concurrently, and the states in which the payment starts. */
import { HOUR, MINUTE, SECOND } from '../../core/base/async/time.ts';
import { cardBody } from '../support/bodies.ts';
import { beforeMessage, currentActor, type Actor } from './actors.ts';
import { clock } from './clock.ts';
import type { Process, Processes } from './processes.ts';
import { callbackOf, challengeOf, chargeIdOf, type Behaviour, type Provider } from './provider.ts';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A merchant's request under an `Idempotency-Key`. At the end it is repeated until it has an answer. */
export interface KeyedRequest {
  readonly key: string;
  readonly path: string;
  readonly body: string | undefined;
  readonly answers: Answer[];
}

/** One payment and everything that belongs to its test. */
export interface Stage {
  readonly processes: Processes;
  readonly provider: Provider;
  readonly notifyUrl: string;
  readonly signal: AbortSignal;
  readonly requests: KeyedRequest[];
  paymentId: number;
}

/** An actor in its process. Without an actor, the code runs unobserved. */
export interface Runner {
  readonly process: Process;
  readonly actor: Actor | undefined;
}

export type Role = keyof typeof roles;
export type Act = (stage: Stage, runner: Runner) => Promise<unknown>;

export async function post(
  { processes, signal }: Stage,
  { process, actor }: Runner,
  path: string,
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const journey = processes.beginJourney(actor);
  const request = {
    method: 'POST',
    signal,
    headers: {
      'X-API-Key': processes.key,
      Accept: 'application/json',
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
      ...journey.headers,
    },
    ...(body !== undefined && { body }),
  };
  try {
    // The merchant's side has its own timers, which belong to no actor.
    return await currentActor.exit(async () => {
      const response = await fetch(`${process.url}${path}`, request);
      return { status: response.status, text: await response.text() };
    });
  } finally {
    journey.end();
  }
}

/** Sends the request under its key, and records the answer. */
export async function sendKeyed(stage: Stage, runner: Runner, request: KeyedRequest): Promise<void> {
  const answer = await post(stage, runner, request.path, request.body, { 'Idempotency-Key': request.key });
  request.answers.push(answer);
}

/** Sends a request under a key. `{id}` in its path and body is replaced by the payment request's id. */
export function keyed(name: string, path: string, body?: string): Act {
  return async (stage, runner) => {
    const key = `${name} ${stage.paymentId}`;
    let request = stage.requests.find((one) => one.key === key);
    if (!request) {
      const [ownPath, ownBody] = [path, body].map((text) => text?.replaceAll('{id}', String(stage.paymentId)));
      request = { key, path: ownPath!, body: ownBody, answers: [] };
      stage.requests.push(request);
    }
    await sendKeyed(stage, runner, request);
  };
}

/** The provider sends callbacks that are not acknowledged yet, and a worker drains the inbox. */
export async function deliverCallbacks(stage: Stage, runner: Runner): Promise<void> {
  for (const event of stage.provider.events.filter(({ isAcknowledged }) => !isAcknowledged)) {
    const { path, body, headers } = callbackOf(event);
    const { status } = await post(stage, runner, path, body, headers);
    if (status === 200) event.isAcknowledged = true;
  }
  await drain(stage, runner);
}

export async function drain(_stage: Stage, { process }: Runner): Promise<void> {
  while (await process.gateway.callbacks.drain(200));
}

export async function reconcile(_stage: Stage, { process }: Runner): Promise<void> {
  const { reconciler } = process.gateway.payments;
  for (let times = 0; times < 10; times += 1) {
    const claimed = await reconciler.claim([]);
    if (!claimed) return;
    await reconciler.reconcile(claimed);
  }
}

export async function relay(_stage: Stage, { process }: Runner): Promise<void> {
  await process.gateway.payments.outbox.sweep(0, 100);
}

export async function deliver(_stage: Stage, { process }: Runner): Promise<void> {
  const { gateway } = process;
  await gateway.notifications.deliverDue({ worker: gateway.worker });
}

async function passTime(ms: number, what: string): Promise<void> {
  await beforeMessage(`${what} pass`);
  clock.pass(ms);
}

export const card = (more: Readonly<Record<string, unknown>> = {}): string => {
  const {
    amount: _,
    unit: __,
    ...members
  } = JSON.parse(cardBody('4111111111111111', 10, more)) as Record<string, unknown>;
  return JSON.stringify(members);
};

const resumePath = `/payments/creditCard/{id}?transaction3dsId=${challengeOf('GW-{id}-1')}`;

const confirmPath = '/payments/cardMemberConfirm/{id}';
const memberCode = JSON.stringify({ paymentId: chargeIdOf('GW-{id}-1'), code: '1234' });

/**
 * All actions of actors. Those with "late" in their name wait until every lease and deadline of the others has passed.
 */
export const roles = {
  submit: keyed('pay', '/payments/creditCard/{id}', card()),
  'submit again under its key': keyed('pay', '/payments/creditCard/{id}', card()),
  'submit again late under its key': async (stage, runner) => {
    await passTime(2 * MINUTE, 'two minutes');
    await roles.submit(stage, runner);
  },
  'submit another time': keyed('pay another time', '/payments/creditCard/{id}', card()),
  cancel: keyed('cancel', '/payment-requests/{id}/cancel'),
  refund: keyed('refund', '/payment-requests/{id}/refund', '{"amount":4}'),
  'refund again under its key': keyed('refund', '/payment-requests/{id}/refund', '{"amount":4}'),
  'refund again late under its key': async (stage, runner) => {
    await passTime(2 * MINUTE, 'two minutes');
    await roles.refund(stage, runner);
  },
  'refund another time': keyed('refund another time', '/payment-requests/{id}/refund', '{"amount":5}'),
  capture: keyed('capture', '/payment-requests/{id}/capture'),
  'capture again under its key': keyed('capture', '/payment-requests/{id}/capture'),
  'capture a part': keyed('capture a part', '/payment-requests/{id}/capture', '{"amount":4}'),
  'the payer returns': keyed('return', resumePath, card()),
  'the payer returns again': keyed('return again', resumePath, card()),
  'the payer types the code': keyed('confirm', confirmPath, memberCode),
  'the payer types the code again': keyed('confirm again', confirmPath, memberCode),
  callback: deliverCallbacks,
  'the bank decides': async (stage, runner) => {
    stage.provider.decideAll();
    await deliverCallbacks(stage, runner);
  },
  dispute: async (stage, runner) => {
    stage.provider.dispute();
    await deliverCallbacks(stage, runner);
  },
  'drain late': async (stage, runner) => {
    await passTime(2 * MINUTE, 'two minutes');
    await drain(stage, runner);
  },
  reconcile,
  'reconcile late': async (stage, runner) => {
    await passTime(10 * MINUTE, 'ten minutes');
    await reconcile(stage, runner);
  },
  expire: async ({ paymentId }, { process }) => {
    // Far beyond the deadline, also for a clock that is an hour wrong.
    await passTime(4 * HOUR, 'four hours');
    const { expiry } = process.gateway.payments;
    const due = await expiry.due(100);
    if (due.includes(paymentId)) await expiry.expire(paymentId);
  },
  /** The sweep selected the payment before it was paid. */
  'expire what was due': async ({ paymentId }, { process }) => process.gateway.payments.expiry.expire(paymentId),
  relay,
  deliver,
  resend: async (stage, runner) => post(stage, runner, `/notifications/${stage.paymentId}-1/resend`),
} satisfies Record<string, Act>;

/** What must exist before an actor can start. */
export function mayStart(role: Role, { provider }: Stage): () => boolean {
  if (role === 'callback') return () => provider.events.some(({ isAcknowledged }) => !isAcknowledged);
  if (role === 'the bank decides') return () => provider.entries.length > 0;
  return () => true;
}

export interface Base {
  readonly roles: readonly Role[];
  /** What the provider may do with the actors' charges and refunds. */
  readonly charges: readonly Behaviour[];
  readonly refunds: readonly Behaviour[];
  readonly prepare: (stage: Stage, runner: Runner) => Promise<void>;
}

async function pay(stage: Stage, runner: Runner, charges: Behaviour): Promise<void> {
  stage.provider.behaves(charges, 'succeeds');
  await post(stage, runner, `/payments/creditCard/${stage.paymentId}`, card());
}

export const bases = {
  created: {
    roles: [
      'submit',
      'submit again under its key',
      'submit again late under its key',
      'submit another time',
      'cancel',
      'expire',
      'callback',
      'reconcile late',
      'relay',
    ],
    charges: ['succeeds', 'fails', 'pends', 'queues', 'falls back', 'falls back and pends'],
    refunds: ['succeeds'],
    prepare: async () => undefined,
  },
  authorised: {
    roles: [
      'capture',
      'capture again under its key',
      'capture a part',
      'cancel',
      'the bank decides',
      'callback',
      'reconcile late',
      'submit another time',
      'expire what was due',
      'resend',
    ],
    charges: ['authorises'],
    refunds: ['succeeds'],
    prepare: async (stage, runner) => pay(stage, runner, 'authorises'),
  },
  'challenged by the bank': {
    roles: [
      'the payer returns',
      'the payer returns again',
      'the bank decides',
      'drain late',
      'reconcile late',
      'cancel',
      'submit another time',
      'expire what was due',
    ],
    charges: ['succeeds'],
    refunds: ['succeeds'],
    prepare: async (stage, runner) => pay(stage, runner, 'challenges'),
  },
  'asked for a member code': {
    roles: [
      'the payer types the code',
      'the payer types the code again',
      'the bank decides',
      'reconcile late',
      'cancel',
      'submit another time',
      'expire what was due',
    ],
    charges: ['succeeds'],
    refunds: ['succeeds'],
    prepare: async (stage, runner) => pay(stage, runner, 'asks for a code'),
  },
  'pending at the bank': {
    roles: [
      'the bank decides',
      'drain late',
      'reconcile late',
      'reconcile',
      'submit another time',
      'cancel',
      'deliver',
      'resend',
      'expire what was due',
    ],
    charges: ['succeeds'],
    refunds: ['succeeds'],
    prepare: async (stage, runner) => pay(stage, runner, 'pends'),
  },
  'failed, and still queued at the provider': {
    roles: [
      'the bank decides',
      'submit another time',
      'cancel',
      'reconcile late',
      'drain late',
      'refund',
      'deliver',
      'resend',
      'expire what was due',
    ],
    charges: ['succeeds', 'fails', 'pends'],
    refunds: ['succeeds'],
    async prepare(stage, runner) {
      await pay(stage, runner, 'queues');
      for (let times = 0; times < 3; times += 1) {
        clock.pass(10 * MINUTE);
        await reconcile(stage, runner);
      }
    },
  },
  paid: {
    roles: [
      'refund',
      'refund again under its key',
      'refund again late under its key',
      'refund another time',
      'callback',
      'dispute',
      'reconcile late',
      'cancel',
      'submit another time',
      'relay',
      'deliver',
      'resend',
    ],
    charges: ['succeeds'],
    refunds: ['succeeds', 'fails', 'pends', 'queues'],
    async prepare(stage, runner) {
      await pay(stage, runner, 'succeeds');
      clock.pass(SECOND);
      await deliverCallbacks(stage, runner);
    },
  },
} satisfies Record<string, Base>;

export type BaseName = keyof typeof bases;
