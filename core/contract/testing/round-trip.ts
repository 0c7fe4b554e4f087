/** A small gateway for round trips: an adapter behind real HTTP on loopback, with the sandbox of its own package. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderAdapter } from '../adapter.ts';
import type { StatusReport } from '../event.ts';
import type { Outcome } from '../outcome.ts';
import type { StoredPayment, Submission } from '../payment.ts';
import {
  ProviderCallError,
  type HttpReply,
  type HttpRequest,
  type AdapterContext,
  type ProviderHttp,
} from '../provider.ts';
import {
  sandboxAddresses,
  type CallbackReply,
  type CreateSandbox,
  type DeliveryReport,
  type Sandbox,
  type Trigger,
} from '../sandbox/sandbox-contract.ts';
import { listen, type RunningSandbox } from '../sandbox/listen.ts';
import { createRouter, type SandboxRequest } from '../sandbox/router.ts';
import { textReply, type Reply } from '../sandbox/reply.ts';
import type { MappedEvent } from './compare-result.ts';
import { isObject } from './difference.ts';
import { answered, playFetch, settled, withKept } from './play-call.ts';
import { playCallback, type CoreSays } from './play-callback.ts';
import { realHttp } from './real-http.ts';
import type { AnySubmission } from './sample-payment.ts';
import { scriptedProvider } from './scripted-provider.ts';
import { toStep } from './vector-payment.ts';

export interface RoundTripSetup<Options> {
  readonly adapter: ProviderAdapter<Options>;
  readonly createSandbox: CreateSandbox<Options>;
  /**
   * The options, or a function that makes them if they hold the gateway's address. The second addresses that the
   * sandbox plays (`createSandbox.addresses`) are put into them, as the service does for test payments.
   */
  readonly options: Options | ((publicUrl: string) => Options);
  /** The provider's half of key pairs. */
  readonly providerSide?: Readonly<Record<string, unknown>>;
  /** The sandbox delay; 8 ms by default. */
  readonly delayMs?: number;
  /** How long `until` waits; 20 s by default. */
  readonly patienceMs?: number;
}

/** One callback, and its result. */
export interface Heard {
  readonly route: string;
  /** The outcome that core acknowledges: `accepted`, `invalid_signature` and so on. */
  readonly outcome: string;
  readonly events: readonly MappedEvent[];
}

/**
 * What the payer's browser brings to `/callbacks/3ds`: members of a form that it posts (`{ cres: '…' }`), or the query
 * that the provider's page adds to the address. `{}` is a plain return, and `{ code: '…' }` the member code.
 */
export type Brought = string | Readonly<Record<string, string>>;

/** A visit of the payer's browser to a page of the gateway. */
export interface Returned {
  /** `3ds` is `/callbacks/3ds`, and `page` is the payer's page. */
  readonly to: '3ds' | 'page';
  readonly brought: Brought;
}

export interface RoundTrip<Options> {
  /**
   * Its `http` goes to the sandbox, and it has a `threeDsToken`. A request with `to` goes to the address in the options
   * if that is on this machine; any other address fails as if it could not be reached. A request that was answered 429
   * is sent once more, immediately.
   */
  readonly provider: AdapterContext<Options>;
  readonly sandboxUrl: string;
  /** Requests that left for an address beyond this machine, in words. None of them was sent. */
  readonly strays: readonly string[];
  /** The visits of the payer's browser to the gateway, in order. */
  readonly returns: readonly Returned[];
  /** Callbacks in the order of their arrival. */
  readonly heard: readonly Heard[];
  readonly deliveries: readonly DeliveryReport[];
  /** The statuses of the sandbox's complete answers, in order. */
  readonly statuses: readonly number[];
  /** `<provider status> <status>` of every event received, in order. */
  reported(): string[];
  /** Sets core's decision about readable callbacks from now on; `accepted` at first. */
  answer(coreSays: CoreSays): void;
  /** Resolves when the condition holds; checks it after each callback. Rejects after `patienceMs`. */
  until(condition: () => boolean): Promise<void>;
  /** The outcome as core settles it: a call without an answer is unknown. */
  submit(payment: AnySubmission): Promise<Outcome>;
  /**
   * Completes as core does, with what the payer's browser brought. Absent: the payer came back without it. The outcome
   * has the state that the call left by `ctx.keep`.
   */
  complete(payment: StoredPayment, brought?: Brought): Promise<Outcome>;
  fetchStatus(payment: StoredPayment, subReference?: string): Promise<StatusReport>;
  /** `<provider status> <status> <amount>` of each event that a fetch reports, or its result. */
  fetched(payment: StoredPayment): Promise<string[]>;
  /** The payment as later calls get it, for a submission that has just ended. */
  toStored(payment: AnySubmission, outcome: Outcome): StoredPayment;
  trigger(trigger: Trigger): Promise<readonly CallbackReply[]>;
  close(): Promise<void>;
}

/** Replaces the token that core makes for each step. */
const threeDsToken = 'cm91bmQtdHJpcC10b2tlbg';

/** Starts the adapter behind real HTTP with its sandbox. Close it after the test. */
export async function startRoundTrip<Options>(setup: RoundTripSetup<Options>): Promise<RoundTrip<Options>> {
  const { adapter, createSandbox, patienceMs = 20_000 } = setup;
  const heard: Heard[] = [];
  const deliveries: DeliveryReport[] = [];
  const statuses: number[] = [];
  const strays: string[] = [];
  const returns: Returned[] = [];
  const watchers = new Set<() => void>();
  let says: CoreSays = 'accepted';
  let own: Sandbox | undefined;

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stopListening = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  // Refused options, or a sandbox that throws, must not leave the port open.
  const { options, running } = await startSandbox().catch(async (error: unknown) => {
    await stopListening();
    throw error;
  });

  async function startSandbox(): Promise<{ options: Options; running: RunningSandbox }> {
    const given = isMaker(setup.options) ? setup.options(publicUrl) : setup.options;
    let made = given;
    const create: CreateSandbox<Options> = (listening) => {
      made = { ...given, ...sandboxAddresses(createSandbox, listening.baseUrl) };
      return (own = createSandbox({ ...listening, options: made }));
    };
    const started = await listen<Options>(create, {
      options: given,
      providerSide: setup.providerSide ?? {},
      publicUrl,
      delayMs: setup.delayMs ?? 8,
      onDelivery(report) {
        deliveries.push(report);
        for (const look of watchers) look();
      },
    });
    return { options: made, running: started };
  }
  const ctx: AdapterContext<Options> = {
    ...scriptedProvider({ options, publicUrl, sandbox: true, now: () => new Date(), threeDsToken }),
    baseUrl: running.baseUrl,
    http: sendingTwice(withinMachine(realHttp(running.baseUrl, undefined, options), options, strays), statuses),
  };

  // Callbacks are handled in the order of their arrival: a slow check of one does not let the next overtake it.
  let before: Promise<unknown> = Promise.resolve();
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const done = before.then(work);
    before = done.catch(() => undefined);
    return done;
  };

  async function receive(request: SandboxRequest, path: string): Promise<Reply> {
    const route = adapter.callbacks.find((one) => one.path === path && one.method === request.method);
    if (!route) return textReply(404, 'no such route');
    const raw = { ...request, remoteAddress: '127.0.0.1', receivedAt: new Date() };
    const { outcome, events, acknowledgement } = await playCallback(adapter, route, raw, ctx, says);
    heard.push({ route: path, outcome, events });
    const { status, headers = {}, body } = acknowledgement;
    return { status, headers, body: body ?? '' };
  }
  const receiveInOrder = (request: SandboxRequest, path: string): Promise<Reply> =>
    inOrder(() => receive(request, path));
  const returned = (to: Returned['to']) => (request: SandboxRequest) => {
    returns.push({ to, brought: to === 'page' ? {} : toBrought(request) });
    return textReply(200, 'back at the gateway');
  };
  const handle = createRouter({
    'GET /callbacks/3ds': returned('3ds'),
    'POST /callbacks/3ds': returned('3ds'),
    'GET /pay/:id': returned('page'),
    'POST /callbacks/:route': receiveInOrder,
    'GET /callbacks/:route': receiveInOrder,
  });
  server.on('request', (request, response) => {
    void handle(request, response);
  });

  const fetchStatus = (payment: StoredPayment, subReference?: string): Promise<StatusReport> => {
    if (!adapter.fetchStatus) throw new TypeError(`${adapter.manifest.name} has no fetchStatus`);
    return playFetch(adapter.fetchStatus(payment, ctx, subReference));
  };

  return {
    provider: ctx,
    sandboxUrl: running.baseUrl,
    heard,
    deliveries,
    statuses,
    strays,
    returns,
    reported: () =>
      heard.flatMap(({ events }) => events.map(({ providerStatus, status }) => `${providerStatus} ${status}`)),
    answer(coreSays) {
      says = coreSays;
    },
    until: (condition) =>
      waitUntil(condition, watchers, patienceMs, () => `waited in vain; heard: ${JSON.stringify(heard)}`),
    submit: (payment) => settled(ctx, (watched) => adapter.submit(payment as Submission, watched)),
    async complete(payment, brought = {}) {
      if (!adapter.complete) throw new TypeError(`${adapter.manifest.name} has no complete`);
      const complete = adapter.complete.bind(adapter);
      const step = toStep(typeof brought === 'string' ? { returned: brought } : { ...brought, posted: brought });
      return withKept(ctx, (kept) => answered(complete(payment, step, kept)));
    },
    fetchStatus,
    async fetched(payment) {
      const report = await fetchStatus(payment);
      if (report.result !== 'events') return [report.result];
      return report.events.map(
        (event) => `${event.providerStatus} ${adapter.mapStatus(event, 'fetch')} ${event.amount}`,
      );
    },
    toStored: (payment, outcome) => toStored(adapter, options, payment, outcome),
    async trigger(trigger) {
      if (!own?.trigger) throw new TypeError(`the sandbox of ${adapter.manifest.name} has no trigger`);
      return own.trigger(trigger);
    },
    async close() {
      await running.close();
      await stopListening();
    },
  };
}

function isMaker<Options>(
  options: Options | ((publicUrl: string) => Options),
): options is (publicUrl: string) => Options {
  return typeof options === 'function';
}

/** What a browser brings to `/callbacks/3ds`: its form, or the query without the gateway's own token. */
function toBrought(request: SandboxRequest): Brought {
  if (request.method === 'POST') return Object.fromEntries(request.form() ?? []);
  const added = request.query.split('&').filter((pair) => pair !== '' && !pair.startsWith('t='));
  return added.length > 0 ? added.join('&') : {};
}

function toStored<Options>(
  adapter: ProviderAdapter<Options>,
  options: Options,
  payment: AnySubmission,
  outcome: Outcome,
): StoredPayment {
  const { paymentRequestId, attempt, reference, money, unit, sandbox, isH2h } = payment;
  const action = outcome.outcome === 'pending' ? outcome.action : undefined;
  const { providerReference, providerReferences, adapterState } = outcome;
  return {
    paymentRequestId,
    attempt,
    reference,
    money,
    unit,
    sandbox,
    isH2h,
    method: adapter.methodOf?.(payment as Submission, options) ?? adapter.manifest.ways[0].method,
    endedAt: new Date(),
    ...(providerReference === undefined ? {} : { providerReference }),
    ...(providerReferences === undefined ? {} : { providerReferences }),
    ...(adapterState === undefined ? {} : { adapterState }),
    ...(action ? { action } : {}),
  };
}

function waitUntil(
  condition: () => boolean,
  watchers: Set<() => void>,
  patienceMs: number,
  complaint: () => string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void): void => {
      clearTimeout(timer);
      watchers.delete(look);
      finish();
    };
    const look = (): void => {
      if (condition()) end(resolve);
    };
    const timer = setTimeout(() => end(() => reject(new Error(complaint()))), patienceMs);
    watchers.add(look);
    look();
  });
}

/** Sends only to this machine: a test never calls the provider itself. Notes every request for another address. */
function withinMachine(http: ProviderHttp, options: unknown, strays: string[]): ProviderHttp {
  return {
    async send(request) {
      const { to } = request;
      const address = to !== undefined && isObject(options) ? options[to] : undefined;
      if (typeof address === 'string' && !isLoopback(address)) {
        strays.push(`${request.method} ${request.path} to ${to} (${address})`);
        throw new ProviderCallError('not_sent', `${to} is not an address of the sandbox`);
      }
      return http.send(request);
    },
  };
}

function isLoopback(address: string): boolean {
  return URL.canParse(address) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(address).hostname);
}

/** Repeats a request that was answered 429 with a short `Retry-After` as core's client does, but without the wait. */
function sendingTwice(http: ProviderHttp, statuses: number[]): ProviderHttp {
  const send = async (request: HttpRequest): Promise<HttpReply> => {
    const reply = await http.send(request);
    statuses.push(reply.status);
    return reply;
  };
  return {
    async send(request) {
      const first = await send(request);
      return first.status === 429 ? send(request) : first;
    },
  };
}
