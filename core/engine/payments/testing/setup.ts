/** The payments domain for tests: a separate database, and fake adapters whose answers a test scripts. */
import { testDatabaseUri } from '../../../database/testing/test-database-uri.ts';
import { randomUUID } from 'node:crypto';
import {
  noInformation,
  unknown,
  type Outcome,
  type StatusReport,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import { after, before } from 'mocha';
import { pino } from 'pino';
import { raiseInto } from '../../alarms/index.ts';
import { createBackgroundTasks } from '../../../base/async/background-tasks.ts';
import { createMetrics, type Metrics } from '../../../base/metrics/index.ts';
import { clientModel } from '../../../database/collections/client.ts';
import { ensureCollections } from '../../../database/collections.ts';
import { connectDatabase, type Database } from '../../../database/connect.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { schemaVersionModel } from '../../../database/collections/schema-version.ts';
import { velocityModel } from '../../../database/collections/velocity.ts';
import { createTargetGuard } from '../../notifications/target-guard.ts';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import type { Owner } from '../../access/index.ts';
import {
  accountRefOf,
  createProviderCalls,
  createRegistry,
  type AccountUser,
  type ActiveAdapter,
} from '../../providers/index.ts';
import { fakeActive, type FakeChanges } from '../../providers/testing/fake-adapter.ts';
import { createPayments, type PaymentsConfig, type PaymentsDomain } from '../index.ts';
import type { Caller } from '../types/caller.ts';
import type { OrderInput, PayerInput } from '../types/input.ts';
import { createFeeOf, type FeeOf } from '../state/fee.ts';
import { payer } from './steps.ts';

const silent = pino({ level: 'silent' });

/** A provider that answers with the given outcomes in order, then with `unknown`. */
export interface FakeProvider {
  /** What was submitted to the provider, in order. */
  readonly submitted: readonly Submission[];
  readonly fetched: readonly StoredPayment[];
  answerWith(...outcomes: readonly (Outcome | (() => Promise<Outcome>))[]): void;
  reportStatus(report: StatusReport): void;
}

export interface TestPayments extends PaymentsDomain {
  readonly providers: Readonly<Record<'first' | 'second', FakeProvider>>;
  readonly feeOf: FeeOf;
  readonly metrics: Metrics;
  /** Parsed lines of the log. */
  readonly logged: readonly Readonly<Record<string, unknown>>[];
}

export const caller: Caller = { ownerId: 1, environment: 'test', requestId: 'r-1' };
export const order: OrderInput = {
  amount: '10',
  unit: 'EUR',
  referenceId: null,
  notifyUrl: null,
  successUrl: null,
  failureUrl: null,
  originDomain: null,
};

/** The input of a card. The number is a test number of the card schemes. */
export function cardInput(members: Partial<PayerInput> = {}): PayerInput {
  return {
    kind: 'card',
    payer,
    card: { number: '4111111111111111', expiration: '12/35', expiryMonth: '12', expiryYear: '2035', cvv: '123' },
    body: {},
    ...members,
  };
}

function fakeProvider() {
  const [submitted, fetched]: [Submission[], StoredPayment[]] = [[], []];
  let outcomes: (Outcome | (() => Promise<Outcome>))[] = [];
  let report: StatusReport = noInformation('not asked');
  const provider: FakeProvider = {
    submitted,
    fetched,
    answerWith: (...given) => void (outcomes = [...given]),
    reportStatus: (given) => void (report = given),
  };
  const adapter: FakeChanges['adapter'] = {
    async submit(payment) {
      submitted.push(payment);
      const outcome = outcomes.shift() ?? unknown('no answer');
      return typeof outcome === 'function' ? outcome() : outcome;
    },
    async fetchStatus(payment) {
      fetched.push(payment);
      return report;
    },
  };
  return { provider, adapter };
}

export interface FakeProviderChanges extends FakeChanges {
  /** Further accounts of the adapter, and how each differs from `main`. */
  readonly accounts?: Readonly<Record<string, Partial<ActiveAdapter>>>;
}

function toAccount(main: ActiveAdapter, account: string, own: Partial<ActiveAdapter>): ActiveAdapter {
  return { ...main, account, ref: accountRefOf({ adapter: main.name, account }), ...own };
}

function testOwner(id: number, user: AccountUser): Owner {
  const brand = { displayName: null, logo: null, colour: null, support: null, terms: null };
  return {
    ...user,
    id,
    notifyUrls: { test: null, live: null },
    email: null,
    reportingCurrency: null,
    notificationTypes: null,
    brand,
    listeningUntil: null,
    createdAt: new Date(0),
  };
}

/** One database for the suite. `create` builds a domain with two adapters, `first` (code 41) and `second` (42). */
export function usePayments() {
  let database: Database | undefined;
  before(async () => {
    const name = `payments_${randomUUID().slice(0, 13)}`;
    database = await connectDatabase(testDatabaseUri(name), { log: silent, patience: 'endless' });
    await ensureCollections(database.connection, silent, [
      paymentRequestModel,
      clientModel,
      velocityModel,
      schemaVersionModel,
    ]);
  });
  after(async () => {
    await database?.connection.dropDatabase();
    await database?.close();
  });
  const connection = () => database!.connection;

  return {
    connection,

    create(
      config: Partial<PaymentsConfig> = {},
      changes: Partial<Record<'first' | 'second', FakeProviderChanges>> = {},
      now = (): Date => new Date(),
      owner?: AccountUser,
    ): TestPayments {
      const logged: Record<string, unknown>[] = [];
      const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) });
      const fakes = { first: fakeProvider(), second: fakeProvider() };
      const registry = createRegistry(
        (['first', 'second'] as const).flatMap((name, index) => {
          const { accounts = {}, ...change } = changes[name] ?? {};
          const main = fakeActive({
            ...change,
            manifest: { name, code: 41 + index, ...change.manifest },
            adapter: { ...fakes[name].adapter, ...change.adapter },
          });
          return [main, ...Object.entries(accounts).map(([account, own]) => toAccount(main, account, own))];
        }),
      );
      const publicUrl = 'https://pay.example';
      const metrics = createMetrics();
      const calls = createProviderCalls({
        registry,
        metrics,
        config: { callTimeoutMs: 20_000, concurrency: 4, breakerFailures: 20, breakerCoolOffMs: 1000 },
        callbackSandbox: true,
        publicUrl,
        now,
        log,
        transcript: () => undefined,
      });
      const domain = createPayments({
        connection: connection(),
        registry,
        calls,
        owners: { get: async (id) => owner && testOwner(id, owner) },
        rateLimiter: { takeMail: async () => undefined },
        notifications: {
          insert: async () => 0,
          insertWith: async () => ({ stored: () => undefined, abandoned: () => undefined }),
          forPayment: async () => [],
          refusalOf: (url) => createTargetGuard().refusalOf(url),
        },
        encrypter: testEncrypter(),
        mailer: undefined,
        backgroundTasks: createBackgroundTasks(log),
        notifyWorkers: () => undefined,
        worker: 'w1',
        config: {
          publicUrl,
          threeDs: { tokenSecrets: ['a secret of thirty-two characters'], tokenTtlSeconds: 1800 },
          callTimeoutMs: 20_000,
          routes: [{ id: 1, when: {}, use: ['first', 'second'], fallback: true }],
          risk: [],
          adapters: {},
          payments: {
            expireCreatedAfterHours: 72,
            openAllCurrencies: false,
            premiumCardBins: [],
            reportingCurrency: 'EUR',
            exchangeRates: {},
            nothingChargedAfterSeconds: 300,
            refundDoubleCharge: false,
            catchUpPaidDays: 180,
          },
          ...config,
        },
        now,
        raise: raiseInto(log),
        metrics,
        clear: () => undefined,
        log,
      });
      const providers = { first: fakes.first.provider, second: fakes.second.provider };
      return { ...domain, feeOf: createFeeOf(config.adapters ?? {}), providers, metrics, logged };
    },

    /** Makes the check of this payment due now. */
    async makeDue(id: number): Promise<void> {
      await paymentRequestModel(connection()).updateOne({ _id: id }, { $set: { nextCheckAt: new Date(0) } });
    },
  };
}
