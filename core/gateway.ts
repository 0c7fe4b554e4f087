/** Puts the domain together for one process: what http, the workers and the commands call. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { compareDecimals, decimalsOf, addDecimals, multiplyDecimals, stringifyExact } from '@gateway/contract';
import type { Config } from '../config/schema.ts';
import { accessModels, createIdempotency, createKeys, createOwners, createRateLimiter } from './access/index.ts';
import type { Keys, Owners } from './access/index.ts';
import { createInbox } from './callbacks/drain-inbox.ts';
import { createCallbacks } from './callbacks/receive-callback.ts';
import { adapterChangeModel, adapterRunModel, adapterStatesModel } from './documents/adapter-state.ts';
import { createIdBlocks } from './documents/counter.ts';
import { connectDatabase, ensureIndexes } from './documents/database.ts';
import { exchangeModel, type Exchange as ExchangeRow } from './documents/exchange.ts';
import { notificationModel } from './documents/notification.ts';
import { paymentRequestModel } from './documents/payment-request.ts';
import { riskEventModel } from './documents/risk-event.ts';
import type { HttpDeps } from './http/index.ts';
import { createMailer } from './mail.ts';
import { createNotifications } from './notifications/index.ts';
import { createVersionNotice } from './notifications/version-notice.ts';
import { createAsker, foldFacts } from './payments/ask.ts';
import { nextAskAt, policyDelay, type DelayOf } from './payments/ask-schedule.ts';
import { toStoredPayment } from './payments/attempts.ts';
import { createClients } from './payments/clients.ts';
import { createPayments } from './payments/create-payments.ts';
import type { FeeOf } from './payments/decide.ts';
import type { PaymentsDeps } from './payments/deps.ts';
import type { NotificationType, PaymentRecord } from './payments/facts.ts';
import { createPaymentStore } from './payments/payment-store.ts';
import { describeAmount, presentPayment } from './payments/present-payment.ts';
import { createRelay } from './payments/relay-outbox.ts';
import { reportPayments } from './payments/report-payments.ts';
import { createRisk } from './payments/risk.ts';
import { createRouting } from './payments/routing.ts';
import type { PaymentRequestView, TimelineItem } from './payments/service.ts';
import { createSubmitter, readAction } from './payments/submit.ts';
import { createProviderCalls, createRegistry, loadAdapters } from './providers/index.ts';
import type { CallExchange, LoadedAdapter, Registry } from './providers/index.ts';
import { followToggles } from './providers/follow-toggles.ts';
import { createToggles, type States } from './providers/toggles.ts';
import { createSealer } from './sealing.ts';

/** Everything a process needs to know, as JSON: the supervisor makes it once and sends it to its children. */
export interface RunConfig {
  readonly config: Config;
  readonly environment: string;
  /** The gateway's own folder. */
  readonly root: string;
  /** By adapter: the folder of the config file that lists it. */
  readonly adapterDirs: Readonly<Record<string, string>>;
}

/** What can wait for a worker. */
export type Work = 'callbacks' | 'asks' | 'notifications';

export interface GatewaySetup extends RunConfig {
  readonly log: Logger;
  /** Names this process in leases. */
  readonly worker: string;
  /** Something waits: tell the worker pool. Cheap, may be called often, never throws. */
  readonly wake: (work: Work) => void;
}

export interface WorkDone {
  readonly done: number;
  /** The limit was reached: run it again at once. */
  readonly more: boolean;
  /** When something becomes due by itself. */
  readonly nextDueAt?: Date | undefined;
}

export type Worker = (signal: AbortSignal) => Promise<WorkDone>;

export interface Gateway {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly owners: Owners;
  readonly keys: Keys;
  readonly httpDeps: Omit<HttpDeps, 'health'>;
  readonly work: {
    readonly drainCallbacks: Worker;
    readonly askProviders: Worker;
    readonly deliverNotifications: Worker;
    /** Relays what a crash left in the outboxes. */
    readonly relayOutbox: Worker;
    readonly expirePayments: Worker;
    readonly retain: Worker;
    /** Frees the rows and leases that a dead worker held. */
    releaseWorker(worker: string): Promise<void>;
  };
  /** True while the database answers. */
  isUp(): Promise<boolean>;
  close(): Promise<void>;
}

const stateModels = [adapterStatesModel, adapterChangeModel, adapterRunModel];
const apiVersion = '2.1';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Whoever settled relays at once; what is older than this was left by a crash. */
const RELAY_AFTER_MS = 3000;
const SWEEP_LIMIT = 100;

/** Connects and loads. Rejects with an error whose message says what to do. */
export async function createGateway(setup: GatewaySetup): Promise<Gateway> {
  const { config, log, worker, wake } = setup;
  const { publicUrl } = config.server;
  const now = (): Date => new Date();
  const { uri } = config.database;
  const { encryptionKey } = config.security;
  const { tokenSecrets, tokenTtlSeconds } = config.threeDs;
  if (!uri) throw new Error('no database address: set MONGODB_URI');
  if (!encryptionKey) throw new Error('no encryption key: set security.encryptionKey');
  if (!tokenSecrets) throw new Error('no 3D Secure token secret: set threeDs.tokenSecrets');

  // Wrong options are told before anything is connected to.
  const load = async (states: States): Promise<LoadedAdapter[]> =>
    loadAdapters(adapterEntries(setup, states), { gatewayRoot: setup.root, environment: setup.environment });
  await load({});
  const database = await connectDatabase(uri, { log });
  const { connection } = database;
  await ensureIndexes(connection, [notificationModel, riskEventModel, ...stateModels, ...accessModels]);

  const toggles = createToggles(connection, now);
  const fileStates = Object.fromEntries(Object.entries(config.adapters).map(([name, { state }]) => [name, state]));
  await toggles.applyFile(fileStates);
  const { version, states } = await toggles.read();
  const registry = createRegistry(await load(states));
  const following = followToggles({ toggles, registry, load, process: worker, version, log });

  const sealer = createSealer(encryptionKey);
  const ids = createIdBlocks(connection, 'paymentRequest', 1000, () => Date.now());
  const ownerIds = createIdBlocks(connection, 'owner', 1, () => 1);
  const owners = createOwners({ connection, sealer, now, nextOwnerId: async () => ownerIds.next() });
  const keys = createKeys({ connection, owners, now, log, ...config.keys });
  const clients = createClients({
    connection,
    ids: createIdBlocks(connection, 'client', 100, () => 1),
    reportingCurrency: config.payments.reportingCurrency,
    exchangeRates: config.payments.exchangeRates,
    now,
  });
  const notifications = createNotifications({
    connection,
    config: {
      ...config.notifications,
      breakerFailures: config.provider.breakerFailures,
      breakerCoolOffMs: config.provider.breakerCoolOffMs,
    },
    secrets: async (ownerId) => owners.webhookSecrets(ownerId),
    now,
    log,
  });
  const exchanges = exchangeModel(connection);
  const background = createBackground(log);
  const calls = createProviderCalls({
    registry,
    config: config.provider,
    publicUrl,
    now,
    log,
    callbackSandbox: !config.keys.liveKeys,
    transcript: (exchange) => {
      log.info({ ...exchange, at: undefined }, 'provider called');
      const row = toExchangeRow(exchange);
      if (row) background.run('an exchange could not be kept', exchanges.insertMany([row], { lean: true }));
    },
  });

  const present = async (record: PaymentRecord): Promise<PaymentRequestView> => {
    const [owner, client, totalDeposits] = await Promise.all([
      owners.get(record.ownerId),
      clients.get(record.clientId),
      clients.totalDeposits(record.clientId, record),
    ]);
    if (!client) throw new Error(`client ${record.clientId} of payment request ${record._id} is not stored`);
    return presentPayment(record, { publicUrl, ownerName: owner?.name ?? '', client, totalDeposits });
  };
  const defaultUrl = async (ownerId: number): Promise<string | null> => (await owners.get(ownerId))?.notifyUrl ?? null;
  const relay = createRelay({
    connection,
    defaultUrl,
    insert: async (entries) => {
      if (await notifications.insert(entries)) wake('notifications');
    },
  });
  const delayOf: DelayOf = (record, attempt) => {
    const active = registry.byName(attempt.adapter);
    if (!active) return HOUR_MS / 1000; // Off: ask again when it may be on.
    const action = active.adapter.nextFetch && attempt.action ? readAction(sealer.open(attempt.action)) : null;
    const seconds = calls.nextFetch(active, toStoredPayment(record, attempt, action), attempt.asked);
    return seconds === 'by_policy' ? policyDelay(active.adapter.manifest.reconcile, attempt, now()) : seconds;
  };
  const store = createPaymentStore({
    connection,
    now,
    freeze: async (record, type, sequence, at) => freeze(await present(record), type, sequence, at),
    isNotified: async ({ notifyUrl, ownerId }) => notifyUrl !== null || (await defaultUrl(ownerId)) !== null,
    firstTimeType: async (record) => clients.firstTimeType(record),
    nextAskAt: (record, at) => nextAskAt(record, delayOf, at),
    onStored: (record) => {
      if (record.outbox.length) background.run('an outbox could not be relayed; the sweep will', relay.relay(record));
      if (record.askAt && record.askAt <= now()) wake('asks');
    },
  });
  const feeOf = createFeeOf(config);
  const mailer = createMailer(config.mail.smtp);
  const deps: PaymentsDeps = {
    store,
    ids,
    clients,
    registry,
    calls,
    routing: createRouting({ rules: config.routes, registry, openCurrencies: openCurrencies(config) }),
    risk: createRisk({ connection, rules: config.risk, sealer, now }),
    mailLink:
      mailer &&
      (async (record, to) => {
        const { link, client } = (await present(record)) as unknown as { link: string; client: { ownerName: string } };
        const text = `${client.ownerName} asks you to pay ${describeAmount(record)}.\n\n${link}\n`;
        await mailer.send({ to, subject: `Payment request of ${client.ownerName}`, text });
      }),
    sealer,
    present,
    feeOf,
    delayOf,
    config: {
      publicUrl,
      threeDs: { tokenSecrets, tokenTtlSeconds },
      callTimeoutMs: config.provider.callTimeoutMs,
      openCurrencies: openCurrencies(config),
      premiumCardBins: config.payments.premiumCardBins,
    },
    now,
    log,
  };
  const submitter = createSubmitter(deps);
  const asker = createAsker({ ...deps, connection }, submitter);
  const payments = createPayments(
    {
      ...deps,
      connection,
      notificationsOf: async (id) =>
        (await notifications.forPayment(id)).map(({ createdAt, ...one }): TimelineItem => ({
          at: createdAt,
          kind: 'notification',
          ...one,
        })),
    },
    submitter,
  );
  const threeDs = { tokenSecrets, tokenTtlSeconds };
  const callbacks = createCallbacks({
    connection,
    registry,
    calls,
    sealer,
    threeDs,
    publicUrl,
    networks: Object.fromEntries(Object.entries(config.adapters).map(([name, { networks }]) => [name, networks])),
    keepDays: config.callbacks.keepDays,
    wake: () => wake('callbacks'),
    now,
    log,
  });
  const noteVersion = createVersionNotice({
    owners,
    apiVersion,
    insert: async (entries) => {
      await notifications.insert(entries);
      wake('notifications');
    },
    mail: async ({ name, email }, data) => {
      const text = `${name} still calls API version ${data['version']}, whose support ended on ${data['supportEnded']}.`;
      await mailer?.send({
        to: email ?? '',
        subject: 'Your API version is past its support',
        text: `${text}\n${data['documentation']}\n`,
      });
    },
    now,
  });
  const waking = async <T>(resent: Promise<T>): Promise<T> => {
    const result = await resent;
    wake('notifications');
    return result;
  };
  const { unknownReferenceHours } = config.callbacks;
  const inbox = createInbox({ connection, store, sealer, threeDs, feeOf, unknownReferenceHours, worker, now, log });

  return {
    connection,
    registry,
    owners,
    keys,
    httpDeps: {
      payments,
      callbacks,
      access: {
        authenticate: async (credentials) => keys.authenticate(credentials),
        webhookSecrets: async (ownerId) => owners.webhookSecrets(ownerId),
      },
      rateLimiter: createRateLimiter({ connection, now }),
      idempotency: createIdempotency({ connection, sealer, now }),
      sealer,
      notifications: {
        list: async (query) => notifications.list(query),
        resend: async (one) => waking(notifications.resend(one)),
        resendSpan: async (span) => waking(notifications.resendSpan(span)),
      },
      reports: { payments: reportPayments(connection) },
      merchantVersionNotice: async (ownerId, notice) => noteVersion(ownerId, { ...notice }),
      now,
      log,
      config: { publicUrl, trustedProxies: config.server.trustedProxies, ...config.http },
    },
    work: {
      async drainCallbacks(signal) {
        let done = 0;
        let more = true;
        while (more && !signal.aborted) {
          const drained = await inbox.drain();
          done += drained.done;
          more = drained.more;
        }
        return { done, more, nextDueAt: await inbox.nextDueAt() };
      },
      async askProviders(signal) {
        const done = await asker.askDue(worker, SWEEP_LIMIT, () => signal.aborted);
        return { done, more: done === SWEEP_LIMIT, nextDueAt: await asker.nextDueAt() };
      },
      async deliverNotifications(signal) {
        const result = await notifications.deliverDue({ worker, signal });
        return { done: result.delivered + result.failed, more: false, nextDueAt: result.nextDueAt ?? undefined };
      },
      async relayOutbox() {
        const done = await relay.sweep(new Date(now().getTime() - RELAY_AFTER_MS), SWEEP_LIMIT);
        return { done, more: done === SWEEP_LIMIT };
      },
      async expirePayments(signal) {
        const before = new Date(now().getTime() - config.payments.expireCreatedAfterHours * HOUR_MS);
        const found = await paymentRequestModel(connection)
          .find({ statusId: 0, createdAt: { $lt: before } }, { _id: 1 })
          .limit(SWEEP_LIMIT)
          .lean();
        for (const { _id } of found) {
          if (signal.aborted) break;
          await store.change(_id, `expire-${_id}`, (record) =>
            foldFacts(record, [{ type: 'lapse', at: now() }], feeOf),
          );
        }
        return { done: found.length, more: found.length === SWEEP_LIMIT };
      },
      async retain() {
        const before = new Date(now().getTime() - config.callbacks.keepDays * DAY_MS);
        const ended = { createdAt: { $lt: before }, state: { $in: ['delivered', 'gone'] as const } };
        const gone = await notificationModel(connection).deleteMany(ended);
        const old = await exchanges.deleteMany({ at: { $lt: before } });
        return { done: gone.deletedCount + old.deletedCount, more: false };
      },
      async releaseWorker(name) {
        await Promise.all([inbox.releaseWorker(name), asker.releaseWorker(name), notifications.releaseWorker(name)]);
      },
    },
    isUp: async () => database.isUp(),
    async close() {
      await following.stop();
      await background.settled();
      calls.close();
      mailer?.close();
      await database.close();
    },
  };
}

/** What config lists, in the states that are in force. */
function adapterEntries({ config, adapterDirs, root }: RunConfig, states: States): Parameters<typeof loadAdapters>[0] {
  return Object.entries(config.adapters).map(([name, { package: packageName, state, options }]) => {
    return { name, package: packageName, state: states[name] ?? state, options, from: adapterDirs[name] ?? root };
  });
}

/** What the operator opened of each adapter's currencies; where all are open, nothing is narrowed. */
export function openCurrencies({ adapters, payments }: Config): Record<string, readonly string[]> {
  if (payments.openAllCurrencies) return {};
  return Object.fromEntries(
    Object.entries(adapters).flatMap(([name, { currencies }]) => (currencies ? [[name, currencies]] : [])),
  );
}

/** The bytes of a notification, the same on every attempt. */
function freeze(view: PaymentRequestView, type: NotificationType, sequence: number, at: Date): string {
  const body = {
    id: `${view.id}-${sequence}`,
    type,
    apiVersion,
    createdAt: at.toISOString(),
    sequence,
    data: { paymentRequest: view },
  };
  return stringifyExact(body);
}

/** Percent and fixed part by adapter, exact, rounded half up to the currency's decimals, never more than was paid. */
function createFeeOf({ adapters }: Config): FeeOf {
  return ({ adapter, amount, currency }) => {
    const fee = adapters[adapter]?.fee;
    if (!fee) return '0';
    const rate = multiplyDecimals(fee.percent, '0.01', 18);
    const total = addDecimals(multiplyDecimals(amount, rate, decimalsOf(currency)), fee.fixed[currency] ?? '0');
    return compareDecimals(total, amount) > 0 ? amount : total;
  };
}

function toExchangeRow(exchange: CallExchange): ExchangeRow | undefined {
  const { adapter, call, method, path, at, ms, status = null, failure = null, paymentRequestId, attempt } = exchange;
  if (paymentRequestId === null) return undefined;
  return {
    paymentRequestId: Number(paymentRequestId),
    attempt: attempt ?? 0,
    adapter,
    call,
    method,
    path,
    at,
    ms,
    status,
    failure,
  };
}

/** Work that nobody waits for, but that a shutdown does. */
function createBackground(log: Logger): {
  run(failed: string, work: Promise<unknown>): void;
  settled(): Promise<void>;
} {
  const running = new Set<Promise<unknown>>();
  return {
    run(failed, work) {
      const tracked: Promise<unknown> = work
        .catch((error: unknown) => log.warn({ err: error }, failed))
        .finally(() => running.delete(tracked));
      running.add(tracked);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
