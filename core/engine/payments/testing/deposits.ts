/** Clients with payments for a test suite, and the job that counts their deposits. */
import { after, before } from 'mocha';
import { pino } from 'pino';
import { openTestDatabase, type TestDatabase } from '../../access/testing/test-database.ts';
import { clientModel } from '../../../database/collections/client.ts';
import { ensureCollections } from '../../../database/collections.ts';
import type { DepositSums } from '../../../database/collections/deposit.ts';
import { paymentRequestModel } from '../../../database/collections/payment-request.ts';
import { createClients, type Clients } from '../clients/clients.ts';
import { createDepositCounting } from '../clients/count-deposits.ts';
import { at } from './steps.ts';

const noClient = { name: null, email: null, address: null, phone: null, memberId: null };

export interface TestDeposits {
  readonly database: TestDatabase;
  readonly clients: Clients;
  /** The next id, for a payment or a client. */
  readonly nextId: () => number;
  readonly newClient: () => Promise<number>;
  readonly countDeposits: () => Promise<number>;
  readonly shownSums: (clientId: number) => Promise<DepositSums>;
}

/** One database for the suite, opened before its tests. */
export function useDeposits(): TestDeposits {
  let opened: { readonly database: TestDatabase; readonly clients: Clients } | undefined;
  let lastId = 40_000;
  before(async () => {
    const database = await openTestDatabase();
    const connection = database.here;
    await ensureCollections(connection, pino({ level: 'silent' }), [clientModel, paymentRequestModel]);
    const ids = { next: async () => (lastId += 1), drop: () => undefined };
    const money = { reportingCurrency: 'EUR', exchangeRates: {} };
    opened = { database, clients: createClients({ connection, ids, ...money, now: () => at(0) }) };
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
    countDeposits: async () => createDepositCounting({ connection: opened!.database.here }).count(),
    shownSums: async (clientId) => (await opened!.clients.get([clientId])).get(clientId)!.deposits,
  };
}
