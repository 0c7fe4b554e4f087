/** The adapter under test with the content of its vectors: options, good callbacks, submissions. */
import * as v from 'valibot';
import type { CallbackRoute, ProviderAdapter } from '../../adapter.ts';
import type { RawCallback } from '../../callback.ts';
import type { Outcome } from '../../outcome.ts';
import type { HttpRequest, AdapterContext } from '../../provider.ts';
import type { Submission } from '../../payment.ts';
import type { CallResult, MappedEvent } from '../compare-result.ts';
import { hideAll, payerSecrets, secretsIn, type Hide } from '../difference.ts';
import { toSubmission, type VectorPayment } from '../vector-payment.ts';
import { playCall, settled } from '../play-call.ts';
import { playCallback, routeOf, type CoreSays, type PlayedCallback } from '../play-callback.ts';
import { createRun, toRawCallback } from '../play-vector.ts';
import {
  addressOf,
  scriptedHttp,
  scriptedProvider,
  testNow,
  testPublicUrl,
  type Script,
  type ScriptedHttp,
} from '../scripted-provider.ts';
import type { ProviderSide } from '../../sandbox/sandbox-contract.ts';
import { standingOf, withStanding } from '../standing-answers.ts';
import { callLimitMs, withinLimit } from '../time-limit.ts';
import { readVectorFile, type CallbackVector, type CallVector, type VectorFile } from '../vector-file.ts';
import { createMemory } from './memory.ts';
import { believedMembers, demand, Finding, type BelievedMember, type Kit, type RouteKit } from './kit.ts';

/** A genuine callback that reports something. */
export interface GoodCallback<Options> {
  readonly vector: CallbackVector;
  readonly route: CallbackRoute<Options, never>;
  /** `POST providerA`. */
  readonly routeName: string;
  readonly raw: RawCallback;
  readonly now: Date;
}

/** The change that is made to a good callback. */
export interface Variation {
  readonly raw?: RawCallback;
  readonly options?: Readonly<Record<string, unknown>>;
  /** Options that only `verifySignature` gets. */
  readonly verifyOptions?: Readonly<Record<string, unknown>>;
  readonly now?: Date;
  readonly coreSays?: CoreSays;
  /** `standing` of the vectors is not available. */
  readonly withoutStanding?: boolean;
  /** Changes the value that `verifySignature` decoded. */
  readonly value?: (value: unknown) => unknown;
}

interface Patience {
  ms: number;
}

/** The result of one submission. */
export interface Submitted {
  readonly outcome: Outcome;
  readonly requests: readonly HttpRequest[];
}

/** The result of any call. */
export interface Called {
  readonly result: CallResult;
  readonly requests: readonly HttpRequest[];
}

/** A submission whose vector has a good answer. */
export interface GoodSubmission {
  readonly vector: CallVector;
  readonly payment: VectorPayment;
}

export interface Subject<Options> {
  readonly adapter: ProviderAdapter<Options>;
  readonly kit: Kit<Options>;
  readonly file: VectorFile;
  /** The provider's half of key pairs. */
  readonly providerSide: ProviderSide;
  readonly hide: Hide;
  /** Runs work of the adapter. If it throws or never answers, that becomes a finding. */
  readonly contain: <T>(what: string, work: () => T | Promise<T>) => Promise<T>;
  /** Reads options as the loader does; throws a finding if they are refused. */
  readonly readOptions: (given: Readonly<Record<string, unknown>>) => Options;
  /** The options, or undefined if the schema refuses them. */
  readonly tryOptions: (given: Readonly<Record<string, unknown>>) => Options | undefined;
  readonly goodCallbacks: readonly GoodCallback<Options>[];
  /** A context whose provider answers only the `standing` requests of the vectors. */
  readonly quietContext: (options: Options, now: Date) => AdapterContext<Options>;
  readonly goodSubmissions: readonly GoodSubmission[];
  /** Every vector of a call that the adapter has, and whose requests are all answered, however it ends. */
  readonly answered: (call: string) => readonly CallVector[];
  /** Those of `answered` whose answer is good. */
  readonly wellAnswered: (call: string) => readonly CallVector[];
  /** Results of calls, by everything that the call depends on: the same call is made once in a run. */
  readonly played: Map<string, Promise<Called>>;
  routeKit(routeName: string): RouteKit<Options>;
  /** Delivers a good callback with a variation; undefined if the varied options are refused at load. */
  deliver(good: GoodCallback<Options>, variation?: Variation): Promise<PlayedCallback | undefined>;
  /** The facts of the callback that core would believe. */
  believed(good: GoodCallback<Options>, played: PlayedCallback | undefined): string[];
  submit(good: GoodSubmission, script: Script, setup?: SubmitOptions): Promise<Submitted>;
  /** Makes any call of a vector, answered by a script. */
  call(vector: CallVector, script: Script, setup?: CallOptions): Promise<Called>;
}

export interface CallOptions {
  /** Members that replace those of the vector's `payment`. */
  readonly payment?: VectorPayment;
  /** Options that replace the vector's. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly randomSeed?: number;
  /** How much later than the vector the call is made, in milliseconds. */
  readonly laterMs?: number;
}

export interface SubmitOptions {
  readonly submission?: (base: Submission) => Submission;
}

export function createSubject<Options>(adapter: ProviderAdapter<Options>, kit: Kit<Options>): Subject<Options> {
  const file = readVectorFile(kit.vectors);
  // The checks of keys and certificates in a schema are slow, and nearly every call has the same options.
  const known = new Map<string, Options | undefined>();
  const tryOptions = (given: Readonly<Record<string, unknown>>): Options | undefined => {
    const text = JSON.stringify(given);
    if (!known.has(text)) {
      const read = v.safeParse(adapter.manifest.options, given);
      known.set(text, read.success ? read.output : undefined);
    }
    return known.get(text);
  };
  const readOptions = (given: Readonly<Record<string, unknown>>): Options => {
    const options = tryOptions(given);
    demand(options !== undefined, 'the options of the vectors are refused', 'let `manifest.options` accept them');
    return options;
  };

  const memory = createMemory();
  const answered = (call: string): readonly CallVector[] =>
    call in adapter ? file.submissions.filter((vector) => vector.call === call && isAnswered(vector)) : [];

  const contextOf = (
    vector: CallVector,
    http: ScriptedHttp,
    { randomSeed = 1, laterMs = 0 }: Pick<CallOptions, 'randomSeed' | 'laterMs'> = {},
  ): AdapterContext<Options> => {
    const { payment, publicUrl } = vector;
    const now = new Date((vector.now === undefined ? testNow : new Date(vector.now)).getTime() + laterMs);
    const address = payment['publicUrl'] ?? publicUrl ?? file.publicUrl;
    const options = readOptions({ ...file.options, ...vector.optionsOverride });
    const sandbox = payment['isSandbox'] === true;
    return scriptedProvider({
      options,
      http: withStanding(http, standingOf(file, vector), addressOf(options, sandbox)),
      sandbox,
      now,
      randomSeed,
      cache: memory.cacheFor({ options, sandbox, standing: vector.standing }, now, () => http.requests.length),
      publicUrl: typeof address === 'string' ? address : testPublicUrl,
      threeDsToken: 'b25lLTNkcy10b2tlbg',
      ...addresses(payment),
    });
  };
  const patience = { ms: callLimitMs };
  return {
    adapter,
    kit,
    file,
    providerSide: kit.sandbox?.providerSide ?? file.providerSide,
    contain: (what, work) => nameFailure(patience, what, work),
    hide: hideAll([
      ...secretsIn(adapter, file.options),
      ...file.submissions.flatMap(({ payment }) => payerSecrets(payment)),
    ]),
    readOptions,
    tryOptions,
    goodCallbacks: file.callbacks.filter(isGoodCallback).flatMap((vector) => {
      const { method } = vector.request;
      const route = adapter.callbacks.find((one) => one.path === vector.route && one.method === method);
      const now = vector.now === undefined ? testNow : new Date(vector.now);
      const raw = toRawCallback(vector, now);
      return route ? [{ vector, route, routeName: `${method} ${vector.route}`, raw, now }] : [];
    }),
    quietContext: (options, now) => {
      const http = withStanding(scriptedHttp([]), file.standing, addressOf(options, false));
      return scriptedProvider({ options, now, http });
    },
    answered,
    wellAnswered: (call) => answered(call).filter(isAnsweredWell),
    played: new Map(),
    goodSubmissions: file.submissions
      .filter((vector) => vector.call === 'submit' && isAnsweredWell(vector))
      .map((vector) => ({ vector, payment: vector.payment })),
    routeKit: (routeName) => kit.routes?.[routeName] ?? {},

    async deliver(good, { raw = good.raw, options = {}, now = good.now, coreSays = 'accepted', ...more } = {}) {
      const read = tryOptions({ ...file.options, ...options });
      if (read === undefined) return undefined;
      const standing = more.withoutStanding ? [] : standingOf(file, good.vector);
      const vector = { ...good.vector, now: now.toISOString(), standing: [] };
      const given = { ...file, standing };
      const { context } = createRun(adapter, read, given, vector, {}).contextFor([], good.vector.payment);
      // Other options of the proof, or a missing answer, must leave nothing behind for other deliveries.
      const isShared = !more.verifyOptions && !more.withoutStanding;
      const { sandbox } = context;
      const ctx = isShared
        ? { ...context, cache: memory.cacheFor({ options: read, sandbox, standing: good.vector.standing }, now) }
        : context;
      const route = routeOf(adapter, good.route.path, good.route.method);
      const verifier = more.verifyOptions && readOptions({ ...file.options, ...more.verifyOptions });
      const verified = verifier ? withVerifier(route, verifier) : route;
      const played = more.value ? withValue(verified, more.value) : verified;
      return nameFailure(patience, `callback ${good.routeName}`, () =>
        playCallback(adapter, played, raw, ctx, coreSays),
      );
    },

    believed(good, played) {
      if (!played || played.genuine !== true) return [];
      const { notCovered = [] } = kit.routes?.[good.routeName] ?? {};
      if (notCovered === 'all') return [];
      const members = believedMembers.filter((name) => !notCovered.includes(name));
      return played.events.filter((event) => !event.mustFetch).map((event) => factOf(event, members));
    },

    async submit(good, script, { submission }: SubmitOptions = {}) {
      const http = scriptedHttp(script);
      const ctx = contextOf(good.vector, http);
      const base = toSubmission(adapter, good.payment);
      const payment = submission?.(base) ?? base;
      const outcome = await nameFailure(patience, 'submit', () =>
        settled(ctx, (watched) => adapter.submit(payment, watched)),
      );
      return { outcome, requests: http.requests };
    },

    async call(vector, script, { payment, options, ...more }: CallOptions = {}) {
      const http = scriptedHttp(script);
      const asked = { ...vector.payment, ...payment };
      const ctx = contextOf(options ? { ...vector, optionsOverride: options } : vector, http, more);
      const result = await nameFailure(patience, vector.call, () => playCall(adapter, vector.call, asked, ctx));
      return { result, requests: http.requests };
    },
  };
}

/** The same submission with another reference. */
export function withOtherReference(base: Submission): Submission {
  return { ...base, paymentRequestId: '99999', reference: 'GW-99999-1' };
}

function addresses(payment: VectorPayment): { callbackUrl?: string; returnUrl?: string; cancelUrl?: string } {
  const { callbackUrl, returnUrl, cancelUrl } = payment;
  return {
    ...(typeof callbackUrl === 'string' && { callbackUrl }),
    ...(typeof returnUrl === 'string' && { returnUrl }),
    ...(typeof cancelUrl === 'string' && { cancelUrl }),
  };
}

function isGoodCallback({ expect, keyFetch, optionsOverride }: CallbackVector): boolean {
  const isTaken = expect.genuine === true || (expect.genuine === 'unproven' && expect.mustFetch === true);
  const reported = isTaken && (expect.events?.length ?? 0) > 0;
  return reported && !keyFetch && !optionsOverride && expect.ack?.outcome !== 'invalid_signature';
}

function isAnswered({ exchanges, keyFetch, orRefuseOptions }: CallVector): boolean {
  return !keyFetch && !orRefuseOptions && exchanges.every(({ request, reply }) => request && reply);
}

/** True if the vector has a good answer to the call: with status 2xx, and an outcome that continues the payment. */
export function isAnsweredWell({ expect, exchanges, keyFetch, optionsOverride }: CallVector): boolean {
  const outcome = expect['outcome'] === 'succeeded' || expect['outcome'] === 'pending';
  const answer = exchanges.every(({ request, reply }) => request && reply && reply.status >= 200 && reply.status < 300);
  return outcome && answer && !keyFetch && !optionsOverride;
}

/** The believed members of an event, as text to compare. */
function factOf(event: MappedEvent, members: readonly BelievedMember[]): string {
  return JSON.stringify(members.map((name) => event[name] ?? null));
}

/** The route, with a change to the value that its messages decode to. */
function withValue<Options>(
  route: CallbackRoute<Options, never>,
  change: (value: unknown) => unknown,
): CallbackRoute<Options, never> {
  return {
    ...route,
    async verifySignature(raw, ctx) {
      const verdict = await route.verifySignature(raw, ctx);
      if (!('verified' in verdict)) return verdict;
      const { verified } = verdict;
      return { ...verdict, verified: { ...verified, value: change(verified.value) as never } };
    },
  };
}

/** The route, whose `verifySignature` gets these options. */
function withVerifier<Options>(route: CallbackRoute<Options, never>, options: Options): CallbackRoute<Options, never> {
  return { ...route, verifySignature: (raw, ctx) => route.verifySignature(raw, { ...ctx, options }) };
}

/** Turns an error of the adapter, or a missing answer, into a finding about the adapter. */
async function nameFailure<T>(patience: Patience, what: string, work: () => T | Promise<T>): Promise<T> {
  const started = performance.now();
  try {
    return await withinLimit(work, patience.ms);
  } catch (error) {
    if (error instanceof Finding) throw error;
    // After one missing answer, later calls wait less.
    if (performance.now() - started >= patience.ms) patience.ms = 50;
    const said = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    throw new Finding(
      `${what} did not end well: ${said}`,
      'answer every input with a result: read what comes from outside with a schema, and await what you start',
    );
  }
}
