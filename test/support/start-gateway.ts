/**
 * A whole gateway in one process on real parts: mongod, HTTP, the providers' sandboxes. It processes due work
 * immediately.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listen } from '@paywright/contract/sandbox';
import type { CreateSandbox } from '@paywright/contract';
import { sandboxAddresses } from '@paywright/contract/core';
import pino from 'pino';
import { loadConfig } from '../../config/load-config.ts';
import { makeCollections } from '../../core/database/collections.ts';
import { createGateway, type Gateway } from '../../core/gateway.ts';
import { jobOfWork, type Work } from '../../core/engine/jobs/index.ts';
import { createReturnAddresses } from '../../core/engine/payments/present/return-address.ts';
import { createMetrics, type Metrics } from '../../core/base/metrics/index.ts';
import type { RunConfig } from '../../core/base/run-config.ts';
import { until } from '../../core/base/testing/until.ts';
import { SECOND } from '../../core/base/async/time.ts';
import { deliverNotifications } from '../../workers/jobs/deliver-notifications.ts';
import { drainCallbacks } from '../../workers/jobs/drain-callbacks.ts';
import { jobs } from '../../workers/jobs/index.ts';
import { reconcile } from '../../workers/jobs/reconcile.ts';
import { relayOutbox } from '../../workers/jobs/relay-outbox.ts';
import { createApp } from '../../core/app.ts';
import { startServer } from '../../core/http/index.ts';
import type { OpenApiDocument } from '../../core/http/index.ts';
import { createJudge, type Judge } from '../../core/http/testing/judge-exchanges.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { importPackage } from '../../core/engine/providers/index.ts';

export interface StartOptions {
  /** Names of the adapters to start, with their sandboxes. */
  readonly adapters: readonly string[];
  readonly delayMs?: number;
  /** Changes the config before anything starts. */
  readonly config?: (config: MutableConfig) => void;
  /** If false, only `work()` processes the queues. */
  readonly works?: boolean;
  /** Also processes work that becomes due later, within a second: a callback may arrive before its payment is known. */
  readonly worksLater?: boolean;
  /** Sends the notifications of a drain immediately, as a worker does. */
  readonly deliversHere?: boolean;
}

// The config's type is read-only for the code that runs with it. A test may change it before the start.
// oxlint-disable-next-line typescript/no-explicit-any
type MutableConfig = any;

export interface TestGateway {
  readonly url: string;
  readonly key: string;
  readonly ownerId: number;
  readonly webhookSecret: string;
  readonly gateway: Gateway;
  /** Its run config, to start another process on the same data. */
  readonly run: RunConfig;
  readonly sandboxes: Readonly<Record<string, string>>;
  /** Log lines, as JSON text. */
  readonly logged: readonly string[];
  readonly metrics: Metrics;
  /** Waits until the calls to providers are stored: those of a payment, or all. */
  waitForExchanges(paymentRequestId?: string): Promise<void>;
  /** Processes everything that is due now. */
  work(): Promise<void>;
  /** Validates against the OpenAPI document. Every response of `post` and `get` was already validated. */
  readonly judge: Judge;
  /** POST with the key, as JSON. Returns status, headers and body. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** The address to which the payer of this payment request returns. */
  payPage(id: number): string;
  close(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read single members
  readonly json: any;
}

/** The repository's root, derived from the path of the built file. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

export async function startGateway({
  adapters,
  delayMs = 20,
  config: bend,
  works = true,
  worksLater = false,
  deliversHere = false,
}: StartOptions): Promise<TestGateway> {
  const loaded = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const port = await chooseFreePort();
  const url = `http://127.0.0.1:${port}`;
  const config = structuredClone(loaded.config) as MutableConfig;
  config.server = { ...config.server, port, publicUrl: url };
  config.database.uri = `${process.env['TEST_MONGODB_URI']?.replace(/\/\?/, `/t-${randomUUID()}?`)}`;
  config.security.encryptionKey = [randomBytes(32).toString('base64')];
  config.threeDs.tokenSecrets = [randomBytes(32).toString('hex')];
  config.provider.callTimeoutMs = 20_000;
  config.keys.rateLimitPerMinute = 1_000_000;
  for (const name of Object.keys(config.adapters)) if (!adapters.includes(name)) delete config.adapters[name];
  // oxlint-disable-next-line typescript/no-explicit-any
  config.routes = config.routes.filter(({ use }: any) => use.every((name: string) => adapters.includes(name)));

  const running: { close(): Promise<void> }[] = [];
  const sandboxes: Record<string, string> = {};
  for (const name of adapters) {
    const adapter = config.adapters[name];
    adapter.state = 'on';
    const module = (await importPackage(`${adapter.package}/sandbox`, [root])) as { readonly default: CreateSandbox };
    const others: { options: object }[] = Object.values(adapter.accounts ?? {});
    const otherAccounts = others.map((one) => ({ ...adapter.options, ...one.options }));
    const { options, sandbox: side } = adapter;
    const setup = { options, otherAccounts, providerSide: side.options, publicUrl: url, delayMs };
    // `config` may change the options after the sandbox has started, so adapter and sandbox share one object.
    const sandbox = await listen((given) => {
      Object.assign(given.options as object, sandboxAddresses(module.default, given.baseUrl));
      return module.default(given);
    }, setup);
    sandboxes[name] = sandbox.baseUrl;
    adapter.options.sandboxBaseUrl = sandbox.baseUrl;
    adapter.sandboxUrl = sandbox.baseUrl;
    running.push(sandbox);
  }
  bend?.(config);

  const logged: string[] = [];
  const metrics = createMetrics();
  const log = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) });
  const stop = new AbortController();
  const active = new Set<Promise<unknown>>();
  let gateway: Gateway | undefined;
  const run = (what: Work): void => {
    if (!gateway || !works || stop.signal.aborted) return;
    const job = jobs.find(({ name }) => name === jobOfWork[what])!;
    const running: Promise<unknown> = job
      .run(gateway, stop.signal)
      .catch((error: unknown) => log.error({ err: error }, 'work failed'))
      .finally(() => active.delete(running));
    active.add(running);
  };
  await makeCollections(config.database.uri, log);
  const workHere = deliversHere ? (): void => void gateway?.notifications.deliverDue({ worker: 'test' }) : undefined;
  const setup = { ...loaded, config, root, log, worker: 'test', metrics, notifyWorkers: run };
  gateway = await createGateway({ ...setup, ...(workHere && { workHere }) });
  const ready = async (): Promise<{ ok: boolean; parts: Record<string, unknown> }> => ({ ok: true, parts: {} });
  const server = await startServer(createApp({ ...gateway.httpDeps, health: { ready } }), { host: '127.0.0.1', port });
  const later: readonly Work[] = ['callbacks', 'reconcile', 'notifications'];
  const everySecond = worksLater ? setInterval(() => later.forEach(run), SECOND) : undefined;
  const { key, ownerId, webhookSecret } = await gateway.access.keys.create({ owner: 'demo', environment: 'sandbox' });
  const judge = createJudge((await (await fetch(`${url}/openapi.json?all`)).json()) as OpenApiDocument);

  const call = async (
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<Answer> => {
    const requestHeaders = new Headers({
      'X-API-Key': key,
      Accept: 'application/json',
      'Content-Type': 'application/json-patch+json',
      ...headers,
    });
    const requestBody = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(`${url}${path}`, {
      method,
      headers: requestHeaders,
      redirect: 'manual',
      ...(requestBody === undefined ? {} : { body: requestBody }),
    });
    const text = await response.text();
    const { status, headers: answered } = response;
    judge.judge({ method, path, requestHeaders, requestBody, status, headers: answered, body: text });
    const isJson = /json/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
  };

  /** Calls to providers do not wait until their exchange is stored, so a timeline could be read before that. */
  const waitForExchanges = async (id?: string): Promise<void> => {
    const calls = logged.filter((line) => line.includes('"msg":"provider called"'));
    const about = calls.map(
      (line) => (JSON.parse(line) as { readonly paymentRequestId: string | number | null }).paymentRequestId,
    );
    const made = about.filter((one) => one !== null && (id === undefined || String(one) === id)).length;
    const exchanges = gateway.connection.collection('exchanges');
    const filter = id === undefined ? {} : { paymentRequestId: Number(id) };
    await until('the exchanges are kept', async () => (await exchanges.countDocuments(filter)) >= made);
  };

  return {
    url,
    key,
    ownerId,
    webhookSecret,
    gateway,
    run: { config, environment: loaded.environment, isProduction: false, root, adapterDirs: loaded.adapterDirs },
    sandboxes,
    logged,
    metrics,
    judge,
    waitForExchanges,
    async work() {
      const { signal } = stop;
      for (const job of [drainCallbacks, reconcile, relayOutbox, deliverNotifications]) await job.run(gateway, signal);
    },
    post: async (path, body, headers = {}) => call('POST', path, headers, body),
    async get(path, headers = {}) {
      const [, id] = /^\/payment-requests\/(\d+)\/timeline/.exec(path) ?? [];
      if (id !== undefined) await waitForExchanges(id);
      return call('GET', path, headers);
    },
    payPage: (id) => createReturnAddresses(gateway.httpDeps.encrypter, url).of(id),
    async close() {
      clearInterval(everySecond);
      stop.abort();
      await server.close(1000);
      await Promise.all(running.map(async (one) => one.close()));
      while (active.size) await Promise.all(active);
      await gateway?.connection.dropDatabase();
      await gateway?.close();
    },
  };
}
