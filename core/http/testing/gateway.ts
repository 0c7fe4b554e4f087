/** The complete HTTP layer on a real port, with service doubles that record their calls. */
import { JsonNumber, text } from '@paywright/contract';
import type { Acknowledgement, Action, InputKind, RawCallback } from '@paywright/contract';
import { pino } from 'pino';
import { rateLimitHeaders } from '../../engine/access/index.ts';
import type { Authenticated, Logo } from '../../engine/access/index.ts';
import { pngImage } from '../../engine/access/testing/images.ts';
import { GatewayError, notFound } from '../../base/errors.ts';
import type { Caller, Operation } from '../../engine/payments/types/caller.ts';
import type { PaymentAnswer, PaymentRequestView } from '../../engine/payments/types/answer.ts';
import type { PayPage } from '../../engine/payments/types/pay-page.ts';
import type { Payments } from '../../engine/payments/service.ts';
import { createMetrics } from '../../base/metrics/index.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { createApp, createOpenApi } from '../../app.ts';
import type { AdapterEntry, HttpConfig, HttpDeps } from '../deps.ts';
import { paidExample } from '../payment-requests/view.ts';
import type { Problem } from '../middleware/problem.ts';
import { startServer } from '../start-server.ts';
import { createIdempotencyDouble } from './idempotency-double.ts';
import { createJudge } from './judge-exchanges.ts';
import type { Judge } from './judge-exchanges.ts';

export const now = new Date('2026-11-21T12:00:00.000Z');
export const publicUrl = 'https://gateway.example';
export const webhookSecrets = { current: 'whsec_Y3VycmVudA==', previous: 'whsec_cHJldmlvdXM=' };

/** The logo of owner 7. */
export const logo: Logo = {
  hash: '0123456789abcdef',
  type: 'image/png',
  bytes: pngImage(132, 36, { colour: '#0b7443' }),
};

/** The scopes of each key. The name is the key. */
const scopes = {
  full: ['payments:write', 'requests:write', 'requests:read', 'notifications:write'],
  reader: ['requests:read'],
  writer: ['requests:write'],
  live: ['payments:write', 'requests:write', 'requests:read'],
} as const satisfies Record<string, Authenticated['scopes']>;
type KeyName = keyof typeof scopes;

/** The inputs that each provider code accepts in these tests. */
const inputs: Readonly<Record<number, readonly InputKind[]>> = {
  11: ['card'],
  27: ['billing'],
  51: ['token'],
  31: ['upi'],
  58: ['card', 'token', 'billing'],
};

const adapters: readonly AdapterEntry[] = Object.entries(inputs).map(([code, kinds]) => ({
  state: 'on',
  adapter: {
    manifest: { title: `Provider ${code}`, code: Number(code), inputs: kinds, currencies: 'any' },
    callbacks: [],
  },
}));

export interface Call {
  readonly name: string;
  readonly args: readonly unknown[];
}

export interface SendOptions {
  readonly method?: string;
  /** null: no key. */
  readonly key?: KeyName | 'wrong' | null;
  /** Converted to JSON unless it is text or bytes. */
  readonly body?: unknown;
  /** null removes a default header. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** False: the exchange is not compared with the document, because a double answers what no service answers. */
  readonly isJudged?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON; an empty object if it is no JSON. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly problem: Problem;
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>;

export function paymentView(id = 10042, members: Record<string, unknown> = {}): PaymentRequestView {
  const { id: _, amount, ...rest } = paidExample(publicUrl, id);
  return { id, amount: new JsonNumber(amount.toFixed(2)), ...rest, ...members };
}

export const config: HttpConfig = {
  publicUrl,
  bodyLimitBytes: 102_400,
  batchLimitBytes: 4_194_304,
  callbackLimitBytes: 1_048_576,
  bodyBudgetBytes: 64 * 1_048_576,
  trustedProxies: 0,
  rateLimitPerMinute: 600,
  expireAtMostAfterHours: 8760,
  delivery: { timeoutMs: 30_000, attemptDelaysSeconds: [0, 5, 300] },
  refuseCardNumbers: false,
};

const judges = new Map<string, Judge>();
/**
 * The same judge for all gateways that serve the same addresses. It ignores providers' callbacks: the double that
 * receives them has no documented routes.
 */
function judgeOf({ notifications, reports }: Partial<HttpDeps>): Judge {
  const [hasNotifications, hasReports] = [notifications !== undefined, reports !== undefined];
  const key = `${hasNotifications} ${hasReports}`;
  const document = createOpenApi({ config, adapters, hasNotifications, hasReports, now });
  const judge = judges.get(key) ?? createJudge(document, { ignores: /^\/callbacks\/(?!test\/)/, isStrict: true });
  judges.set(key, judge);
  return judge;
}

export function paidAnswer(id: number, action: Action | null = null): PaymentAnswer {
  return { id, present: async () => ({ view: paymentView(id), action }) };
}

export async function startGateway(changes: { config?: Partial<HttpConfig>; deps?: Partial<HttpDeps> } = {}) {
  const calls: Call[] = [];
  const callbacks: { path: string; raw: RawCallback; requestId: string }[] = [];
  const logLines: Record<string, unknown>[] = [];
  /** The counts of batches: key, limit, entries. */
  const entries: [string, number, number][] = [];
  const notices: unknown[] = [];
  const metrics = createMetrics();
  /** Called when the database stops answering. */
  const listeners = new Set<() => void>();
  const answers = {
    acknowledgement: text('[taken]') as Acknowledgement | undefined,
    remaining: 599,
    isDatabaseUp: true,
    isFenced: false,
    ready: { ok: true, parts: { database: 'up' } } as Awaited<ReturnType<HttpDeps['health']['ready']>>,
    page: undefined as PayPage | undefined,
    /** The answer of an operation whose payment request exists. */
    isApplied: true,
    currentAnswer: undefined as Operation['currentAnswer'] | undefined,
    /** Replaces the answers of the payments service, by method. */
    payments: {} as Partial<Payments>,
  };

  const record = <T>(name: keyof Payments, args: readonly unknown[], usual: () => T): T => {
    calls.push({ name, args });
    const own = answers.payments[name] as ((...args: readonly unknown[]) => T) | undefined;
    return own ? own(...args) : usual();
  };
  /** Records a call about a payment request. It exists unless the answer is NOT_FOUND. */
  const recordOf = async <T>(
    name: keyof Payments,
    args: readonly [Caller, number, ...unknown[]],
    usual: () => Promise<T>,
  ): Promise<T> => {
    const [{ onPayment, ...caller }, ...others] = args;
    try {
      const answer = await record(name, [caller, ...others], usual);
      onPayment?.(args[1]);
      return answer;
    } catch (error) {
      if (!(error instanceof GatewayError && error.kind === 'NOT_FOUND')) onPayment?.(args[1]);
      throw error;
    }
  };
  const paid = async (id: number): Promise<PaymentAnswer> => paidAnswer(id);
  const noEntry: Operation = {
    id: '',
    bindPayment: async () => undefined,
    isApplied: async () => false,
    currentAnswer: async () => Promise.reject(new Error('an entry of a batch has no answer of its own')),
    forEntries: async () => [],
  };
  const payments: Payments = {
    create: (...args) => record('create', args, async () => paymentView()),
    get: (...args) => recordOf('get', args, async () => paymentView(args[1])),
    answer: (...args) => paid(args[1]),
    reserveId: async () => 10099,
    exists: async (caller, id) => {
      const exists = (await answers.payments.exists?.(caller, id)) ?? false;
      if (exists) caller.onPayment?.(id);
      return exists;
    },
    operation: (caller, { id, bindPayment, paymentRequestId }) => ({
      id,
      bindPayment,
      forEntries: async (count) => Array.from({ length: count }, (_, index) => ({ ...noEntry, id: `${id}-${index}` })),
      isApplied: async () => answers.isApplied && paymentRequestId !== undefined,
      currentAnswer: async () => {
        const { currentAnswer = async () => paid(paymentRequestId!) } = answers;
        calls.push({ name: 'currentAnswer', args: [caller, paymentRequestId] });
        return currentAnswer();
      },
    }),
    list: (...args) => record('list', args, async () => ({ items: [paymentView()], nextCursor: 'next' })),
    timeline: (...args) =>
      recordOf('timeline', args, async () => [
        { at: now, kind: 'transition' as const, from: 0, to: 1, cause: 'submitted' },
      ]),
    payH2h: (...args) =>
      record('payH2h', args, async () => {
        await args[0].operation?.bindPayment(10042);
        return paid(10042);
      }),
    pay: (...args) => recordOf('pay', args, () => paid(args[1])),
    resume: (...args) => recordOf('resume', args, () => paid(args[1])),
    confirm: (...args) => recordOf('confirm', args, () => paid(args[1])),
    refund: (...args) => recordOf('refund', args, () => paid(args[1])),
    settleRefund: (...args) => recordOf('settleRefund', args, () => paid(args[1])),
    capture: (...args) => recordOf('capture', args, () => paid(args[1])),
    cancel: (...args) => recordOf('cancel', args, () => paid(args[1])),
    payPage: (id, visit, admit) =>
      record('payPage', [id, visit], async () => {
        if (answers.page) await admit();
        return answers.page;
      }),
    payerOf: (...args) =>
      record('payerOf', args, async () => ({ ownerId: 7, environment: 'test' as const, requestId: args[2] })),
    picture: (file) => answers.payments.picture?.(file),
    warningsOf: async (...args) => answers.payments.warningsOf?.(...args) ?? [],
    canCancel: () => false,
    canRefund: () => false,
    inputKindsOf: (code) => inputs[code],
    whyUnpayable: async () => undefined,
    unknownProvider: async () => notFound('a provider with this code'),
  };

  const app = createApp({
    payments,
    callbacks: {
      admit: async (path) => {
        if (path === 'unwanted') return { refusal: text('try later', 503) };
        const admitted = { maxBodyBytes: path === 'small' ? 1000 : Infinity, isStranger: path !== 'known' };
        return answers.acknowledgement && admitted;
      },
      receive: async (path, raw, requestId) => {
        callbacks.push({ path, raw, requestId });
        return answers.acknowledgement;
      },
      refuse: (path, _, __, why) => (path === 'small' ? text(why, 400) : undefined),
    },
    access: {
      authenticate: async ({ apiKey = '' }) => {
        const held = scopes[apiKey as KeyName] as Authenticated['scopes'] | undefined;
        if (!held) throw new GatewayError('UNAUTHORIZED', 'the API key is unknown');
        const environment = apiKey === 'live' ? 'live' : 'test';
        return { keyId: `key_${apiKey}`, ownerId: 7, ownerName: 'Shop', environment, scopes: held, limit: 600 };
      },
      webhookSecrets: async () => webhookSecrets,
      logo: async (ownerId, hash) => (ownerId === 7 && hash === logo.hash ? logo : undefined),
    },
    rateLimiter: {
      take: async (_keyId, limit) => {
        if (answers.remaining > 0) return { limit, remaining: answers.remaining, resetSeconds: 42 };
        const state = { limit, remaining: 0, resetSeconds: 42 };
        const headers = { 'Retry-After': '42', ...rateLimitHeaders(state) };
        const details = { limit, window: '1m', retryAfter: 42 };
        throw new GatewayError('RATE_LIMIT_EXCEEDED', 'too many', { details, headers });
      },
      takeEntries: async (keyId, limit, count) => void entries.push([keyId, limit, count]),
    },
    idempotency: createIdempotencyDouble(),
    encrypter: testEncrypter(),
    health: {
      ready: async () => answers.ready,
      isDatabaseUp: () => answers.isDatabaseUp,
      isFenced: () => answers.isFenced,
      onDatabaseLost(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    merchantVersionNotice: async ({ ownerId }, notice) => void notices.push({ ownerId, ...notice }),
    now: () => now,
    metrics,
    log: pino(
      { base: null },
      { write: (line: string) => void logLines.push(JSON.parse(line) as Record<string, unknown>) },
    ),
    config: { ...config, ...changes.config },
    adapters: () => adapters,
    ...changes.deps,
  });
  const judge = judgeOf(changes.deps ?? {});
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${server.port}`;

  /** Sends a POST of JSON with the full key, unless the options differ. */
  async function send(
    path: string,
    { method = 'POST', key = 'full', body, headers, isJudged = true }: SendOptions = {},
  ): Promise<Reply> {
    const isRaw = typeof body === 'string' || body instanceof Uint8Array;
    const all = {
      ...(key !== null && { 'X-API-Key': key }),
      ...(body !== undefined && { 'Content-Type': 'application/json-patch+json' }),
      ...headers,
    };
    const requestHeaders = new Headers(
      Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== null),
    );
    const requestBody = isRaw ? body : JSON.stringify(body);
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: requestHeaders,
      ...(requestBody !== undefined && { body: requestBody }),
    });
    const answer = await response.text();
    if (isJudged) {
      const { status, headers: answered } = response;
      const asText = typeof requestBody === 'string' ? requestBody : undefined;
      judge.judge({ method, path, requestHeaders, requestBody: asText, status, headers: answered, body: answer });
    }
    const json = isJson(response) ? (JSON.parse(answer) as Record<string, unknown>) : {};
    const problem = json as unknown as Problem;
    return { status: response.status, headers: response.headers, text: answer, json, problem };
  }

  async function get(path: string, options: SendOptions = {}): Promise<Reply> {
    return send(path, { method: 'GET', ...options });
  }

  /** The arguments of the only call of a method of the payments service, without the caller. */
  function askedOnly(name: keyof Payments): readonly unknown[] {
    const found = calls.filter((call) => call.name === name);
    if (found.length !== 1) throw new Error(`${name} was called ${found.length} times`);
    return found[0]!.args.slice(1);
  }

  /** Reports that the database stopped answering. */
  function loseDatabase(): void {
    for (const listener of listeners) listener();
  }

  function reset(): void {
    entries.length = calls.length = callbacks.length = logLines.length = notices.length = 0;
    Object.assign(answers, {
      isDatabaseUp: true,
      isFenced: false,
      acknowledgement: text('[taken]'),
      remaining: 599,
      page: undefined,
      isApplied: true,
      payments: {},
    });
  }

  return {
    url,
    port: server.port,
    entries,
    calls,
    callbacks,
    logLines,
    notices,
    metrics,
    answers,
    send,
    get,
    askedOnly,
    loseDatabase,
    reset,
    server,
  };
}

/** The code and the field of a refusal. */
export async function fieldOf(reply: Promise<Reply>): Promise<[code: string, field: unknown]> {
  const { problem } = await reply;
  return [problem.code, problem.details['field']];
}

function isJson({ headers }: Response): boolean {
  return /^application\/(problem\+)?json/.test(headers.get('content-type') ?? '');
}
