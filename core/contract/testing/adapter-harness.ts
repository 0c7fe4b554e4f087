/**
 * Everything that the tests of one adapter share: parsed options, a fixed clock, an ordinary payment, and the calls of
 * the adapter with scripted answers of the provider. A test names its own provider messages and nothing else.
 *
 * The harness calls the adapter directly, so that a test sees what the adapter returns or throws. `startRoundTrip` puts
 * the adapter behind real HTTP, and `describeAdapter` checks the rules that hold for every adapter.
 */
import * as v from 'valibot';
import type { CallbackRoute, ProviderAdapter } from '../adapter.ts';
import { acknowledgeByDefault, type AckOutcome, type Acknowledgement, type RawCallback } from '../callback.ts';
import { defined } from '../http/defined.ts';
import type { StatusReport } from '../event.ts';
import type { Outcome } from '../outcome.ts';
import type { AttemptFacts, CompletionStep, InputKind, RefundRequest, StoredPayment, Submission } from '../payment.ts';
import type { AdapterContext, HttpReply, HttpRequest } from '../provider.ts';
import { playCallback, type CoreSays, type PlayedCallback } from './play-callback.ts';
import { firstRefund, sampleStored, sampleSubmissionBy, type AnySubmission } from './sample-payment.ts';
import { scriptedHttp, scriptedProvider, testNow, type ProviderSetup, type Script } from './scripted-provider.ts';

/** The provider's answers: one, several in their order (null: the connection breaks), or a script. */
export type Answers = HttpReply | readonly (HttpReply | null)[] | Script;

export interface HarnessOptions<I extends InputKind> {
  /** The adapter's options as an operator writes them. The schema of the manifest parses them. */
  readonly options: unknown;
  /** The clock; the time of `scriptedProvider` by default. */
  readonly now?: Date;
  /** The input of `submission`; `card` by default. */
  readonly input?: I;
  /** Replaces facts of the sample payment, for `submission` and `stored` alike. */
  readonly payment?: Partial<AttemptFacts>;
  /** Replaces members of the sample submission. */
  readonly submission?: Partial<Submission<I, never>>;
  /** Replaces members of the stored payment. Its method is the one that the adapter gives the submission by default. */
  readonly stored?: Partial<StoredPayment>;
  /** A call that continues 3D Secure gets this token; none by default. */
  readonly threeDsToken?: string;
}

/** What a single call changes: members of the options, and anything else of the context. */
export type ContextChanges<Options> = Omit<Partial<ProviderSetup<Options>>, 'options'> & {
  readonly options?: Partial<Options>;
};

/** A callback as the provider sends it. */
export interface SentCallback {
  /** The path of the route; the adapter's first route by default. */
  readonly route?: string;
  /** The method of the route by default. Name it if two routes share a path. */
  readonly method?: 'GET' | 'POST';
  readonly query?: string;
  readonly headers?: RawCallback['headers'];
  readonly body?: string | Uint8Array;
}

/** What the adapter made of a callback. */
export interface DeliveredCallback extends PlayedCallback {
  /** `genuine`, or why the callback is not trusted or cannot be read. */
  readonly verdict: Exclude<PlayedCallback['genuine'], true> | 'genuine';
}

export interface DeliveryChanges<Options> extends ContextChanges<Options> {
  /** What core decides about a callback that it can read; `accepted` by default. */
  readonly coreSays?: CoreSays;
  /** A whole context, for a test that shares one cache or clock among callbacks. */
  readonly context?: AdapterContext<Options>;
}

/** Members are independent functions and values, so that a test can take them out by destructuring. */
export interface AdapterHarness<Options, I extends InputKind = InputKind> {
  readonly options: Options;
  readonly now: Date;
  /** Unix seconds of `now`. */
  readonly seconds: number;
  readonly submission: Submission<I>;
  readonly stored: StoredPayment;
  /** `stored` if the answer to its submission was lost: its `providerReference` is not known. */
  readonly unanswered: StoredPayment;
  /** The first refund of `stored`: 10 of its currency. */
  readonly refundRequest: RefundRequest;
  /** The sample payment with another input. */
  readonly submissionBy: <K extends InputKind>(input: K, changes?: Partial<Submission<K, never>>) => Submission<K>;
  /** What core gives the adapter; `answers` answer the requests that the adapter sends. */
  readonly createContext: (answers?: Answers, changes?: ContextChanges<Options>) => AdapterContext<Options>;
  /** Makes any call of the adapter. */
  readonly callWith: <T>(
    answers: Answers,
    call: (ctx: AdapterContext<Options>) => Promise<T>,
    changes?: ContextChanges<Options>,
  ) => Promise<T>;
  /** Makes any call of the adapter and records the requests that it sends. */
  readonly recordCall: <T>(
    answers: Answers,
    call: (ctx: AdapterContext<Options>) => Promise<T>,
    changes?: ContextChanges<Options>,
  ) => Promise<{ readonly result: T; readonly requests: readonly HttpRequest[] }>;
  readonly submit: (answers: Answers, payment?: AnySubmission, changes?: ContextChanges<Options>) => Promise<Outcome>;
  readonly complete: (
    answers: Answers,
    step?: CompletionStep,
    payment?: StoredPayment,
    changes?: ContextChanges<Options>,
  ) => Promise<Outcome>;
  readonly fetchStatus: (
    answers: Answers,
    payment?: StoredPayment,
    subReference?: string,
    changes?: ContextChanges<Options>,
  ) => Promise<StatusReport>;
  readonly refund: (
    answers: Answers,
    request?: RefundRequest,
    payment?: StoredPayment,
    changes?: ContextChanges<Options>,
  ) => Promise<Outcome>;
  /** A callback with everything that core adds to it. */
  readonly toRaw: (sent: SentCallback) => RawCallback;
  /** Verifies, parses, maps and acknowledges a callback, as core does. */
  readonly deliver: (sent: SentCallback, changes?: DeliveryChanges<Options>) => Promise<DeliveredCallback>;
  /** The acknowledgement of a callback for one outcome, including the outcomes that `deliver` cannot produce. */
  readonly acknowledge: (
    sent: SentCallback,
    outcome: AckOutcome,
    changes?: ContextChanges<Options>,
  ) => Promise<Acknowledgement>;
}

/**
 * Makes the harness of an adapter. A package makes one and shares it among its test files:
 *
 * ```ts
 * export const { options, submission, stored, submit, deliver } = createAdapterHarness(acme, {
 *   options: { baseUrl: 'https://api.acme.example', sandboxBaseUrl: 'https://sandbox.acme.example', shop: 'shop-7' },
 *   stored: { providerReference: 'A-1' },
 * });
 * ```
 */
export function createAdapterHarness<Options, I extends InputKind = 'card'>(
  adapter: ProviderAdapter<Options>,
  harnessOptions: HarnessOptions<I>,
): AdapterHarness<Options, I> {
  const { now = testNow, payment: facts, threeDsToken } = harnessOptions;
  const options = v.parse(adapter.manifest.options, harnessOptions.options);
  const submissionBy = <K extends InputKind>(input: K, changes?: Partial<Submission<K, never>>): Submission<K> => ({
    ...sampleSubmissionBy(input),
    ...facts,
    ...changes,
  });
  const submission = submissionBy((harnessOptions.input ?? 'card') as I, harnessOptions.submission);
  // TypeScript does not see that `Submission<I>` is one of the submissions.
  const anySubmission = submission as unknown as Submission;
  const method = adapter.methodOf?.(anySubmission, options) ?? adapter.manifest.ways[0].method;
  const stored: StoredPayment = { ...sampleStored('P-1', now), ...facts, method, ...harnessOptions.stored };
  const { providerReference: _lost, ...unanswered } = stored;
  const refundRequest: RefundRequest = {
    reference: `${stored.reference}-R1`,
    money: { amount: '10', currency: stored.money.currency },
    ...firstRefund,
  };

  const contextOver = (
    http: ReturnType<typeof scriptedHttp>,
    { options: changed, ...changes }: ContextChanges<Options>,
  ): AdapterContext<Options> =>
    scriptedProvider({
      now,
      sandbox: submission.sandbox,
      ...defined({ threeDsToken }),
      http,
      ...changes,
      options: { ...options, ...changed },
    });
  const createContext: AdapterHarness<Options, I>['createContext'] = (answers = [], changes = {}) =>
    contextOver(scriptedHttp(toScript(answers)), changes);
  const callWith: AdapterHarness<Options, I>['callWith'] = async (answers, call, changes) =>
    call(createContext(answers, changes));

  function routeFor({ route: path = adapter.callbacks[0]?.path, method: named }: SentCallback) {
    const found = adapter.callbacks.find((one) => one.path === path && (named ?? one.method) === one.method);
    if (!found) throw new Error(`the adapter has no route ${named ?? ''} ${path}: add it to \`callbacks\``);
    return found;
  }
  function rawFor(route: CallbackRoute<Options, never>, { query = '', headers = [], body = '' }: SentCallback) {
    return {
      method: route.method,
      path: `/callbacks/${route.path}`,
      query,
      headers,
      body: typeof body === 'string' ? Buffer.from(body) : body,
      remoteAddress: '127.0.0.1',
      receivedAt: now,
    };
  }

  return {
    options,
    now,
    seconds: Math.floor(now.getTime() / 1000),
    submission,
    stored,
    unanswered,
    refundRequest,
    submissionBy,
    createContext,
    callWith,
    async recordCall(answers, call, changes = {}) {
      const http = scriptedHttp(toScript(answers));
      return { result: await call(contextOver(http, changes)), requests: http.requests };
    },
    submit: (answers, payment = anySubmission, changes = {}) =>
      callWith(answers, (ctx) => adapter.submit(payment as Submission, ctx), changes),
    complete: (answers, step = { kind: 'return' }, payment = stored, changes = {}) =>
      callWith(answers, (ctx) => abilityOf(adapter, 'complete')(payment, step, ctx), changes),
    fetchStatus: (answers, payment = stored, subReference, changes = {}) =>
      callWith(answers, (ctx) => abilityOf(adapter, 'fetchStatus')(payment, ctx, subReference), changes),
    refund: (answers, request = refundRequest, payment = stored, changes = {}) =>
      callWith(answers, (ctx) => abilityOf(adapter, 'refund')(payment, request, ctx), changes),
    toRaw: (sent) => rawFor(routeFor(sent), sent),
    async deliver(sent, { coreSays, context, ...changes } = {}) {
      const route = routeFor(sent);
      const ctx = context ?? createContext([], changes);
      const played = await playCallback(adapter, route, rawFor(route, sent), ctx, coreSays);
      return { ...played, verdict: played.genuine === true ? 'genuine' : played.genuine };
    },
    async acknowledge(sent, outcome, changes) {
      const route = routeFor(sent);
      const raw = rawFor(route, sent);
      const ctx = createContext([], changes);
      const verdict = await route.verifySignature(raw, ctx);
      const verified = 'verified' in verdict ? { verified: verdict.verified } : {};
      return (route.acknowledge?.bind(route) ?? acknowledgeByDefault)({ outcome, raw, ...verified }, ctx);
    },
  };
}

function toScript(answers: Answers): Script | readonly (HttpReply | null)[] {
  return 'status' in answers ? [answers] : answers;
}

/** A method that an adapter may lack. */
function abilityOf<Options, Name extends 'complete' | 'fetchStatus' | 'refund'>(
  adapter: ProviderAdapter<Options>,
  name: Name,
): Required<ProviderAdapter<Options>>[Name] {
  const method = adapter[name];
  if (!method) throw new Error(`the adapter ${adapter.manifest.name} has no \`${name}\``);
  return method.bind(adapter) as Required<ProviderAdapter<Options>>[Name];
}

/** The claim of an outcome in two words, for tables: `nothing charged`, `misconfigured`, `declined 05`, `pending`. */
export function claimOf(outcome: Outcome): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.misconfigured) return 'misconfigured';
  return outcome.nothingCharged ? 'nothing charged' : `declined ${outcome.decline}`;
}

/** A provider's answer as the title of a test: its status and the beginning of its body. */
export function titleOf({ status, body }: HttpReply): string {
  return `${status} ${Buffer.from(body).toString().slice(0, 44)}`;
}
