/** Puts the domain together for one process: what http, the workers and the commands call. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../config/schema.ts';
import { createIdempotency, createKeys, createOwners, createRateLimiter } from './access/index.ts';
import type { Keys, Owners } from './access/index.ts';
import { createInbox } from './callbacks/drain-inbox.ts';
import { createCallbacks } from './callbacks/receive-callback.ts';
import { createBackground } from './background-tasks.ts';
import { apiVersion, createLinkMail, freeze, mailVersion } from './compose/messages.ts';
import { adapterEntries, createFeeOf, fileStates, openCurrencies } from './compose/settings.ts';
import { createWork } from './compose/work.ts';
import { createIdBlocks } from './documents/counter.ts';
import { connectDatabase } from './documents/connect.ts';
import { exchangeModel, type Exchange as ExchangeRow } from './documents/exchange.ts';
import type { HttpDeps } from './http/index.ts';
import { createMailer } from './mail.ts';
import { createNotifications } from './notifications/index.ts';
import { createVersionNotice } from './notifications/version-notice.ts';
import { createAsker } from './payments/ask.ts';
import { nextAskAt, policyDelay, type DelayOf } from './payments/ask-schedule.ts';
import { toStoredPayment } from './payments/submit/attempt.ts';
import { createClients } from './payments/store/clients.ts';
import { createPayments } from './payments/create-payments.ts';
import type { PaymentsDeps } from './payments/deps.ts';
import type { PaymentRecord } from './payments/facts.ts';
import { createPaymentStore } from './payments/store/payment-store.ts';
import { presentPayment } from './payments/read/present.ts';
import { createRelay } from './payments/store/outbox.ts';
import { reportPayments } from './payments/read/report.ts';
import { createRisk } from './payments/submit/risk.ts';
import { createRouting } from './payments/submit/routing.ts';
import type { PaymentRequestView, TimelineItem } from './payments/service.ts';
import { createSubmitter, readAction } from './payments/submit/submit.ts';
import { createProviderCalls, createRegistry, loadAdapters } from './providers/index.ts';
import type { CallExchange, LoadedAdapter, Registry } from './providers/index.ts';
import { followToggles } from './providers/states/follow-states.ts';
import { createToggles, type States } from './providers/states/adapter-states.ts';
import { createSealer } from './encryption.ts';

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

export interface GatewayWork {
  readonly drainCallbacks: Worker;
  readonly askProviders: Worker;
  readonly deliverNotifications: Worker;
  /** Relays what a crash left in the outboxes. */
  readonly relayOutbox: Worker;
  readonly expirePayments: Worker;
  readonly retain: Worker;
  /** Frees the rows and leases that a dead worker held. */
  releaseWorker(worker: string): Promise<void>;
}

export interface Gateway {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly owners: Owners;
  readonly keys: Keys;
  readonly httpDeps: Omit<HttpDeps, 'health'>;
  readonly work: GatewayWork;
  /** True while the database answers. */
  isUp(): Promise<boolean>;
  close(): Promise<void>;
}

/** An adapter that is off cannot be asked; it may be on by then. */
const OFF_DELAY_SECONDS = 3600;

/** Connects and loads; who starts the processes makes the indexes before. Rejects with an error that says what to do. */
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

  const toggles = createToggles(connection, now);
  await toggles.begin(fileStates(config));
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
    currencyOf: async (ownerId) => (await owners.get(ownerId))?.reportingCurrency ?? null,
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

  const presentWith = async (record: PaymentRecord, total: Promise<string>): Promise<PaymentRequestView> => {
    const [owner, client, totalDeposits] = await Promise.all([
      owners.get(record.ownerId),
      clients.get(record.clientId),
      total,
    ]);
    if (!client) throw new Error(`client ${record.clientId} of payment request ${record._id} is not stored`);
    return presentPayment(record, { publicUrl, ownerName: owner?.name ?? '', client, totalDeposits });
  };
  const present = async (record: PaymentRecord): Promise<PaymentRequestView> =>
    presentWith(record, clients.totalDeposits(record));
  const presentAll = async (records: readonly PaymentRecord[]): Promise<PaymentRequestView[]> => {
    const totals = new Map<number, Promise<string>>();
    const totalOf = (record: PaymentRecord): Promise<string> => {
      const total = totals.get(record.clientId) ?? clients.totalDeposits(record);
      totals.set(record.clientId, total);
      return total;
    };
    return Promise.all(records.map(async (record) => presentWith(record, totalOf(record))));
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
    if (!active) return OFF_DELAY_SECONDS;
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
    onStored: (record, before) => {
      if (record.logs.slice(before?.logs.length).some(({ code }) => code === 'DOUBLE_CHARGE'))
        log.error({ alarm: true, paymentRequestId: record._id }, 'charged twice: a person must review it');
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
    mailLink: createLinkMail(mailer, present),
    later: (work) => background.run('what nobody waits for went wrong', work),
    sealer,
    ownerNameOf: async (ownerId) => (await owners.get(ownerId))?.name ?? '',
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
      presentAll,
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
    mail: async (owner, data) => mailVersion(mailer, owner, data),
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
      adapters: () => registry.all(),
      notifications: {
        list: async (query) => notifications.list(query),
        resend: async (one) => waking(notifications.resend(one)),
        resendSpan: async (span) => waking(notifications.resendSpan(span)),
      },
      reports: { payments: reportPayments(connection) },
      merchantVersionNotice: async ({ ownerId, environment }, notice) =>
        noteVersion(ownerId, environment, { ...notice }),
      now,
      log,
      config: { publicUrl, trustedProxies: config.server.trustedProxies, ...config.http },
    },
    work: createWork({ connection, config, worker, store, inbox, asker, relay, notifications, feeOf, now, log }),
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
