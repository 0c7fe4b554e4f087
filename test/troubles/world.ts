/** The service in which troubles are planted: `paywright start` with its sandboxes, and merchants next to it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listen } from '@paywright/contract/sandbox';
import type { CreateSandbox } from '@paywright/contract';
import { expect } from 'chai';
import mongoose from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { until } from '../../core/base/testing/until.ts';
import type { Alarm, AlarmKind } from '../../core/database/collections/alarm.ts';
import { importPackage } from '../../core/engine/providers/index.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { runGateway, runningState, untilReady, type Ended } from '../../workers/supervisor/testing/running-gateway.ts';
import type { RunningState } from '../../workers/supervisor/data-folder/index.ts';
import { startProxy, type Passing, type Proxy } from '../support/proxy.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- the troubles read single members
export type View = any;

export interface Merchant {
  readonly name: string;
  readonly key: string;
  readonly ownerId: number;
}

export interface Answered {
  readonly status: number;
  readonly json: View;
}

export interface World {
  readonly url: string;
  readonly opsUrl: string;
  readonly folder: string;
  /** In front of nothing: the provider answers what a trouble says. */
  readonly walletProvider: Proxy;
  /** Cuts the connection to the token vault for these calls, and that of its callbacks. Returns the repair. */
  cutVault(isCut: (message: Passing) => boolean): () => void;
  /** The port of provider B, on which nothing listens at first. */
  readonly silentPort: number;
  /** The merchant of all payments that need no merchant of their own. */
  readonly shop: Merchant;
  state(): Promise<RunningState>;
  createMerchant(name: string, notifyUrl?: string): Promise<Merchant>;
  post(path: string, body: unknown, merchant?: Merchant): Promise<Answered>;
  /** Posts a payment, and returns the id of its payment request. */
  pay(path: string, body: unknown, merchant?: Merchant): Promise<number>;
  payment(id: number): Promise<View>;
  /** Waits until the stored payment request matches. */
  waitForPayment(id: number, filter: Readonly<Record<string, unknown>>): Promise<View>;
  collection(name: string): mongoose.mongo.Collection<View>;
  /** Waits for an unresolved alarm of this kind, about this subject if it is given. */
  waitForAlarm(kind: AlarmKind, subject?: string): Promise<Alarm>;
  waitUntilResolved(alarm: Alarm): Promise<void>;
  /** Runs `paywright <words>`. */
  run(...words: readonly string[]): Promise<Ended>;
  /** Runs `paywright <words>` as a preparation: it must succeed. */
  prepare(...words: readonly string[]): Promise<string>;
  /** A merchant's receiver. */
  startReceiver(port?: number): Promise<Receiver>;
  /** Starts to listen on the port, and answers each request with 404, as a provider without this address does. */
  answerOn(port: number): Promise<void>;
  close(): Promise<void>;
}

/** `disableEndpointAfterDays` and `unknownReferenceHours` have the smallest values that config accepts. */
function configOf(addresses: { readonly wallet: string; readonly vault: string; readonly silentPort: number }): object {
  return {
    notifications: { attemptDelaysSeconds: [0, 1, 2], disableEndpointAfterDays: 0.001 },
    callbacks: { unknownReferenceHours: 0.001 },
    adapters: {
      'provider-a': { fee: { percent: '1.4', fixed: { EUR: '0.20' } } },
      'provider-b': { sandboxOptions: { sandboxBaseUrl: `http://127.0.0.1:${addresses.silentPort}` } },
      'provider-f': { sandboxOptions: { sandboxBaseUrl: addresses.wallet } },
      token: { sandboxOptions: { sandboxBaseUrl: addresses.vault } },
    },
  };
}

export async function startWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'paywright-troubles-'));
  const closing: (() => Promise<unknown>)[] = [async () => rm(folder, { recursive: true, force: true })];
  const close = async (): Promise<void> => {
    for (const one of closing.toReversed()) await one();
  };
  try {
    return await openWorld(folder, closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function openWorld(folder: string, closing: (() => Promise<unknown>)[], close: World['close']): Promise<World> {
  const [port, opsPort, silentPort] = [await chooseFreePort(), await chooseFreePort(), await chooseFreePort()];
  const [walletProvider, vault, vaultCallbacks] = [await startProxy(), await startProxy(), await startProxy()];
  const cuts = new Set<(message: Passing) => boolean>();
  vault.before = vaultCallbacks.before = async (message) => {
    if ([...cuts].some((isCut) => isCut(message))) throw new Error('the connection is cut');
  };
  for (const proxy of [walletProvider, vault, vaultCallbacks]) closing.push(async () => proxy.close());
  const [url, opsUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${opsPort}`];
  const sandbox = await startVault(vaultCallbacks.url);
  vaultCallbacks.target = url;
  closing.push(async () => sandbox.close());
  vault.target = sandbox.baseUrl;

  const config = join(folder, 'troubles.yaml');
  await writeFile(config, JSON.stringify(configOf({ wallet: walletProvider.url, vault: vault.url, silentPort })));
  const dataDir = join(folder, 'data');
  const env = { PORT: String(port), OPS_PORT: String(opsPort), GATEWAY_CONFIG: config };
  const service = runGateway(['start'], dataDir, env);
  closing.push(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
  });
  await untilReady(service, 180_000);
  const connection = await mongoose.createConnection((await runningState(dataDir)).mongodbUri).asPromise();
  closing.push(async () => connection.close());

  const run: World['run'] = async (...words) => runGateway(words, dataDir, env).ended;
  const prepare: World['prepare'] = async (...words) => {
    const { code, out, problems } = await run(...words);
    if (code !== 0) throw new Error(`paywright ${words.join(' ')} ended with ${code}: ${problems.join(' ')}`);
    return out;
  };
  const createMerchant: World['createMerchant'] = async (name, notifyUrl) => {
    const created = await prepare('keys', 'create', '--owner', name, '--env', 'sandbox', '--json');
    if (notifyUrl !== undefined) await prepare('owners', 'set', name, '--test-notify-url', notifyUrl);
    return { name, ...(JSON.parse(created) as Pick<Merchant, 'key' | 'ownerId'>) };
  };
  const shop = await createMerchant('Ribeira Books');
  const collection: World['collection'] = (name) => connection.collection<View>(name);

  return {
    url,
    opsUrl,
    folder,
    walletProvider,
    silentPort,
    shop,
    createMerchant,
    collection,
    run,
    prepare,
    close,
    cutVault: (isCut) => {
      cuts.add(isCut);
      return () => void cuts.delete(isCut);
    },
    state: async () => runningState(dataDir),
    ...callsOf(url, shop),
    payment: async (id) => collection('paymentRequests').findOne({ _id: id }),
    waitForPayment: async (id, filter) =>
      until(
        `payment ${id} matches ${JSON.stringify(filter)}`,
        async () => (await collection('paymentRequests').findOne({ ...filter, _id: id })) ?? undefined,
      ),
    waitForAlarm: async (kind, subject) => {
      const filter = { kind, state: { $ne: 'resolved' }, ...(subject !== undefined && { 'subject.id': subject }) };
      return until(
        `the alarm ${kind} ${subject ?? ''}`,
        async () => ((await collection('alarms').findOne(filter)) as Alarm | null) ?? undefined,
        180_000,
      );
    },
    waitUntilResolved: async ({ _id }) => {
      await until(`the alarm ${_id} is resolved`, async () => {
        const found = (await collection('alarms').findOne({ _id })) as Alarm | null;
        return found === null || found.state === 'resolved';
      });
    },
    startReceiver: async (at) => {
      const receiver = await startReceiver(at);
      closing.push(async () => receiver.close());
      return receiver;
    },
    answerOn: async (at) => {
      const server = createServer((_, response) => response.writeHead(404).end('{}'));
      await new Promise<void>((resolve) => {
        server.listen(at, '127.0.0.1', resolve);
      });
      closing.push(async () => {
        server.closeAllConnections();
        server.close();
      });
    },
  };
}

/** The token vault: its calls pass through the proxy, so the service does not start its sandbox. */
async function startVault(publicUrl: string) {
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const { package: name, options, sandbox } = config.adapters['token']!;
  const module = (await importPackage(`${name}/sandbox`, [root])) as { readonly default: CreateSandbox };
  return listen(module.default, { options, providerSide: sandbox.options, publicUrl, delayMs: 50 });
}

function callsOf(url: string, shop: Merchant): Pick<World, 'post' | 'pay'> {
  const post: World['post'] = async (path, body, { key } = shop) => {
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json', Accept: 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, json: text === '' ? null : JSON.parse(text) };
  };
  return {
    post,
    pay: async (path, body, merchant) => {
      const { json } = await post(path, body, merchant);
      const id: unknown = json?.paymentRequest?.id ?? json?.details?.paymentRequest?.id;
      expect(id, JSON.stringify(json)).to.be.a('number');
      return id as number;
    },
  };
}
