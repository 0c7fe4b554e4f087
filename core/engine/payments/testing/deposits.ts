/** Clients with payments for a test suite, and the counting of their deposits. */
import { after, before } from 'mocha';
import { pino } from 'pino';
import { createBackgroundTasks, type BackgroundTasks } from '../../../base/async/background-tasks.ts';
import { openTestDatabase, type TestDatabase } from '../../access/testing/test-database.ts';
import { clientModel } from '../../../database/collections/client.ts';
import { ensureCollections } from '../../../database/collections.ts';
import type { DepositSums } from '../../../database/collections/deposit.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { createClients, type Clients } from '../clients/clients.ts';
import { createDepositCounting, type DepositCounting } from '../clients/count-deposits.ts';
import { at } from './steps.ts';

const noClient = { name: null, email: null, address: null, phone: null, memberId: null };

export interface TestDeposits {
  readonly database: TestDatabase;
  readonly clients: Clients;
  /** The next id, for a payment or a client. */
  readonly nextId: () => number;
  readonly newClient: () => Promise<number>;
  /** Counts every client with due payments; returns the number of payments. */
  readonly countDeposits: () => Promise<number>;
  /** Settles when no read is counting any more. */
  readonly counted: () => Promise<void>;
  readonly shownSums: (clientId: number) => Promise<DepositSums>;
}

/** One database for the suite, opened before its tests. */
export function useDeposits(): TestDeposits {
  let opened:
    { readonly database: TestDatabase; readonly clients: Clients; readonly counting: DepositCounting } | undefined;
  const backgroundTasks: BackgroundTasks = createBackgroundTasks(pino({ level: 'silent' }));
  let lastId = 40_000;
  before(async () => {
    const database = await openTestDatabase();
    const connection = database.here;
    await ensureCollections(connection, pino({ level: 'silent' }), [clientModel, paymentRequestModel]);
    const ids = { next: async () => (lastId += 1), drop: () => undefined };
    const money = { reportingCurrency: 'EUR', exchangeRates: {} };
    const counting = createDepositCounting({ connection, backgroundTasks });
    const onManyDue = counting.countSoon;
    opened = { database, counting, clients: createClients({ connection, ids, ...money, onManyDue, now: () => at(0) }) };
  });
  after(() => opened?.database.drop());
  return {
    get database() {
      return opened!.database;
    },
    get clients() {
      return opened!.clients;
    },
    nextId: () => (lastId += 1),
    newClient: async () => opened!.clients.findOrCreate(1, 'test', noClient),
    async countDeposits() {
      const { collection } = paymentRequestModel(opened!.database.here);
      let counted = 0;
      for (const clientId of await collection.distinct('clientId', { depositDue: { $type: 'number' } }))
        counted += await opened!.counting.count(clientId as number);
      return counted;
    },
    counted: async () => backgroundTasks.settled(),
    shownSums: async (clientId) => (await opened!.clients.get([clientId])).get(clientId)!.deposits,
  };
}
