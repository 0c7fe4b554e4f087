/**
 * Callbacks for tests: a separate database, a fake adapter whose callbacks are JSON, and payments to which they are
 * applied.
 */
import { testDatabaseUri } from '../../../database/testing/test-database-uri.ts';
import { raiseInto } from '../../alarms/index.ts';
import { randomUUID } from 'node:crypto';
import {
  defineRoute,
  invalidSignature,
  tryLater,
  genuine,
  text,
  statusTable,
  unproven,
  type RawCallback,
  type ReportedEvent,
} from '@paywright/contract';
import { after, before } from 'mocha';
import { pino } from 'pino';
import { ensureCollections } from '../../../database/collections.ts';
import { connectDatabase, type Database } from '../../../database/connect.ts';
import { inboxModel, type InboxRow } from '../../../database/collections/inbox-row.ts';
import { refusedCallbacksModel } from '../../../database/collections/refused-callbacks.ts';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { noLease } from '../../../database/lease.ts';
import { driverCodecOf } from '../../../database/driver-codec.ts';
import { notificationModel } from '../../../database/collections/notification.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { createMetrics, type Metrics } from '../../../base/metrics/index.ts';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import type { ApplyEvents } from '../../payments/index.ts';
import type { FeeOf } from '../../payments/state/fee.ts';
import { createApplyEvents } from '../../payments/store/apply-event-batch.ts';
import { createChangeMany } from '../../payments/store/change-many.ts';
import { createPaymentStore, type PaymentStore, type StoreDeps } from '../../payments/store/payment-store.ts';
import { newAttempt, paymentRecord } from '../../payments/testing/steps.ts';
import type { AdapterOptions } from '../../providers/load/load-adapters.ts';
import {
  accountRefOf,
  createProviderCalls,
  createRegistry,
  mainAccount,
  type ActiveAdapter,
} from '../../providers/index.ts';
import { fakeActive, fakeOptions } from '../../providers/testing/fake-adapter.ts';
import { createCallbacks, type Callbacks, type CallbacksDeps } from '../index.ts';

const adapter = 'provider-1';
const silent = pino({ level: 'silent' });

/** A message of the fake provider. The adapter cannot read `unreadable` events. */
interface Message {
  readonly proof?: 'good' | 'bad' | 'none';
  /** The accounts whose secret fits. Absent: the account of the address. */
  readonly by?: readonly string[];
  /** The same for each event of a batch. */
  readonly itemsBy?: readonly (readonly string[])[];
  /** What `accountHint` reads, if the test enables it. */
  readonly names?: string | readonly string[];
  readonly events: readonly ReportedEvent[] | 'unreadable';
}

/** A message as an account reads it. */
interface ReadMessage extends Message {
  /** The positions of the events that the account does not prove. */
  readonly refusedAt: readonly number[];
}

export interface TestCallbacks {
  readonly callbacks: Callbacks;
  readonly metrics: Metrics;
  /** Parsed lines of the log. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
  /** How often workers were notified. */
  readonly notified: () => number;
  /** Receives a message and returns the text of the answer, else its status. */
  readonly receive: (message: Message, raw?: Partial<RawCallback>) => Promise<string>;
}

export interface SentCommand {
  readonly name: string;
  readonly collection: string;
  /** The number of the transaction to which the command belongs. */
  readonly transaction: string | undefined;
}

/** A success of the payment's first attempt, as the provider reports it. */
export function paidEvent(paymentRequestId: number, members: Partial<ReportedEvent> = {}): ReportedEvent {
  return {
    kind: 'payment',
    providerStatus: 'paid',
    reference: `GW-${paymentRequestId}-1`,
    providerReference: `P-${paymentRequestId}`,
    amount: '10',
    currency: 'EUR',
    dedupeKey: `paid-${paymentRequestId}`,
    ...members,
  };
}

/** `secretOf` represents the secrets of an account. */
type FakeOptions = AdapterOptions & { readonly secretOf?: string };

const readMessage = ({ body }: Pick<RawCallback, 'body'>): Message =>
  JSON.parse(Buffer.from(body).toString()) as Message;

const fromServer = defineRoute<FakeOptions, ReadMessage>({
  path: 'fake',
  method: 'POST',
  caller: 'server',
  reports: 'payments',
  verifySignature(raw, { options: { secretOf = mainAccount } }) {
    const message = readMessage(raw);
    const { proof, by = [raw.path.split('/')[3] ?? mainAccount], itemsBy = [] } = message;
    const refusedAt = [...itemsBy.keys()].filter((at) => !itemsBy[at]!.includes(secretOf));
    const isProven = itemsBy.length > 0 ? refusedAt.length < itemsBy.length : by.includes(secretOf);
    if (proof === 'none') return unproven({ ...message, refusedAt });
    return proof === 'bad' || !isProven
      ? invalidSignature('the signature does not match')
      : genuine({ ...message, refusedAt });
  },
  parseCallback({ value: { events, itemsBy, refusedAt } }) {
    if (events === 'unreadable') return { malformed: 'no events' };
    if (!itemsBy) return { events };
    return { events: events.filter((_, at) => !refusedAt.includes(at)), refused: refusedAt.length, refusedAt };
  },
  acknowledge: ({ outcome }) => text(outcome),
});
/** The same route, for a callback that a payer's browser sends. */
const fromBrowser = { ...fromServer, path: 'from-browser', caller: 'browser' } as const;

/** The adapter knows every status except one. */
const mapStatus = statusTable({}, (_, { providerStatus }) =>
  providerStatus === 'half-paid' ? 'unknown' : 'succeeded',
);

/** Members of a notification that has not been sent yet. */
const waiting = {
  receiver: 'shop.example:443',
  state: 'waiting',
  round: 1,
  tries: 0,
  fresh: true,
  lease: noLease,
  attempts: [],
} as const;

/** The dependencies that a test replaces when events are applied to payments. */
type ApplyChanges = Partial<StoreDeps> & { readonly feeOf?: FeeOf };
type Changes = Partial<Omit<CallbacksDeps, 'payments'>> & {
  readonly applyEvents?: ApplyEvents;
  /** The mode whose secret proves each callback; absent: no secret proves a mode. */
  readonly provenMode?: 'live' | 'test';
  /** Further accounts of the adapter, each with an address of its own. */
  readonly accounts?: readonly string[];
  /** What the adapter's `accountKey` returns, for every account. Absent: each has its name in capitals. */
  readonly keys?: ActiveAdapter['keys'];
  /** The route reads from a message whose account it names. */
  readonly hasHint?: boolean;
  /** A proof needs a call to the provider. */
  readonly needsCall?: boolean;
};

/** One database for the suite. */
export function useCallbacks() {
  let database: Database | undefined;
  let lastId = 30_000;
  before(async () => {
    const name = `callbacks_${randomUUID().slice(0, 13)}`;
    database = await connectDatabase(`${testDatabaseUri(name)}&monitorCommands=true`, {
      log: silent,
      patience: 'endless',
    });
    await ensureCollections(database.connection, silent, [
      inboxModel,
      refusedCallbacksModel,
      paymentRequestModel,
      notificationModel,
    ]);
  });
  after(async () => {
    await database?.connection.dropDatabase();
    await database?.close();
  });

  const connection = () => database!.connection;
  const storeDeps = (): StoreDeps => {
    return {
      connection: connection(),
      renderBody: async (_, { type }) => JSON.stringify({ type }),
      wantedTypes: async () => [],
      firstTimeType: async () => 1,
      nextCheckAt: () => null,
      onStored: () => undefined,
      now: () => new Date(),
    };
  };
  const store = (): PaymentStore => createPaymentStore(storeDeps());
  const notifications = (of = connection()) => driverCodecOf(notificationModel(of));
  const applyEvents = ({ feeOf = () => '0', ...members }: ApplyChanges = {}): ApplyEvents => {
    const deps = { ...storeDeps(), ...members };
    const changeMany = createChangeMany({
      ...deps,
      wantedTypes: async (_, types) => types,
      contextOf: async () => deps,
      readWithClient: async (id) => {
        const record = await createPaymentStore(deps).load(id);
        return record && { record, client: undefined };
      },
      urlOf: async ({ notifyUrl }) => notifyUrl,
      insertNotifications: async (all, _at, session) => {
        const { collection, toDocument } = notifications(deps.connection);
        const rows = all.map(({ id, ...entry }) => toDocument({ ...entry, ...waiting, _id: id }));
        await collection.insertMany(rows as { _id: string }[], { session });
        return { stored: () => undefined, abandoned: () => undefined };
      },
    });
    return createApplyEvents({ changeMany, feeOf, now: deps.now });
  };

  return {
    connection,
    store,
    applyEvents,

    create({
      applyEvents: applied = applyEvents(),
      provenMode,
      accounts = [],
      keys,
      hasHint = false,
      needsCall = false,
      ...changes
    }: Changes = {}): TestCallbacks {
      const logged: Record<string, unknown>[] = [];
      let notified = 0;
      const metrics = createMetrics();
      const write = (line: string): void => void logged.push(JSON.parse(line) as Record<string, unknown>);
      const accountHint = (raw: RawCallback) => readMessage(raw).names;
      const callbacksOf = [fromServer, fromBrowser].map((route) => ({ ...route, ...(hasHint && { accountHint }) }));
      const fake = fakeActive({ manifest: { name: adapter }, adapter: { callbacks: callbacksOf, mapStatus } });
      const all = [mainAccount, ...accounts].map((account): ActiveAdapter => {
        const key = account.toUpperCase();
        const options = { ...fakeOptions, secretOf: account };
        const ref = accountRefOf({ adapter, account });
        return { ...fake, account, ref, options, sandboxOptions: options, keys: keys ?? { live: key, test: key } };
      });
      const registry = createRegistry(all);
      const log = pino({}, { write });
      const config = { callTimeoutMs: 20_000, concurrency: 1, breakerFailures: 20, breakerCoolOffMs: 1000 };
      const publicUrl = 'https://pay.example';
      const now = (): Date => new Date();
      const calls = createProviderCalls({
        registry,
        config,
        callbackSandbox: true,
        publicUrl,
        now,
        log,
        transcript: () => undefined,
      });
      const verify: typeof calls.verify = async (route, raw, options) => {
        if (needsCall && options?.mayCall === false) return { verdict: tryLater('it needs a call'), side: 'live' };
        return { ...(await calls.verify(route, raw, options)), ...(provenMode && { mode: provenMode }) };
      };
      const callbacks = createCallbacks({
        connection: connection(),
        registry,
        calls: { ...calls, verify },
        payments: { applyEvents: applied },
        encrypter: testEncrypter(),
        config: {
          publicUrl,
          threeDs: { tokenSecrets: ['a secret of thirty-two characters'], tokenTtlSeconds: 1800 },
          callbacks: { unknownReferenceHours: 24, keepDays: 90 },
          adapters: { [adapter]: { networks: [] } },
        },
        worker: 'w1',
        notifyWorkers: () => (notified += 1),
        now,
        raise: raiseInto(log),
        metrics,
        log,
        ...changes,
      });
      return {
        callbacks,
        metrics,
        logged,
        notified: () => notified,
        async receive(message, members = {}) {
          const raw: RawCallback = {
            method: 'POST',
            path: '/callbacks/fake',
            query: '',
            headers: [],
            body: Buffer.from(JSON.stringify(message)),
            remoteAddress: '192.0.2.1',
            receivedAt: new Date(),
            ...members,
          };
          const path = raw.path.slice('/callbacks/'.length);
          const admission = await callbacks.admit(path, raw, 'r1');
          const isRefused = admission !== undefined && 'refusal' in admission;
          const answer = isRefused ? admission.refusal : await callbacks.receive(path, raw, 'r1');
          return answer?.body ? Buffer.from(answer.body).toString() : String(answer?.status);
        },
      };
    },

    /** Stores a payment of 10 EUR that was submitted and not answered yet, and returns its id. */
    async createPending(members: Partial<PaymentRecord> = {}, own: Partial<Attempt> = {}): Promise<number> {
      lastId += 1;
      const attempt = newAttempt(1, { adapter, reference: `GW-${lastId}-1`, endedAt: new Date(), ...own });
      await store().insert(paymentRecord({ _id: lastId, statusId: 1, attempts: [attempt], ...members }));
      return lastId;
    },

    payment: async (id: number): Promise<PaymentRecord> => (await store().load(id))!,
    /** The rows of the inbox, oldest first. */
    rows: async (): Promise<InboxRow[]> => inboxModel(connection()).find().sort({ receivedAt: 1 }).lean<InboxRow[]>(),
    /** The ids of notifications of these payments. */
    async notified(ids: readonly number[]): Promise<string[]> {
      const found = await notifications().collection.find({}).sort({ _id: 1 }).toArray();
      return found.map(({ _id }) => _id).filter((id) => ids.includes(Number(id.split('-')[0])));
    },
    /** Returns a function that gives the commands sent since this call. */
    watchCommands(): () => readonly SentCommand[] {
      const sent: SentCommand[] = [];
      connection()
        .getClient()
        .on('commandStarted', ({ commandName: name, command }) => {
          const { txnNumber, autocommit } = command as { txnNumber?: unknown; autocommit?: boolean };
          const target: unknown = command[name];
          const collection = typeof target === 'string' ? target : '';
          sent.push({ name, collection, transaction: autocommit === false ? String(txnNumber) : undefined });
        });
      return () => sent;
    },
    /** Makes everything that waits due now, or at the given time. */
    async makeDue(at = new Date(0)): Promise<void> {
      for (const due of ['dueAt', 'pingDueAt'])
        await inboxModel(connection()).updateMany({ [due]: { $type: 'date' } }, { $set: { [due]: at } });
    },
    async clear(): Promise<void> {
      await inboxModel(connection()).deleteMany({});
    },
  };
}
