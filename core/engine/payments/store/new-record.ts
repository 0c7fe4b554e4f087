/** Creates the record of a new payment request. */
import { randomBytes } from 'node:crypto';
import { noLease } from '../../../database/lease.ts';
import type { IdBlocks } from '../../../database/collections/counter.ts';
import { nothingGiven, status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ClientInput } from '../../../database/collections/client.ts';
import { HOUR } from '../../../base/async/time.ts';
import type { Caller } from '../types/caller.ts';
import type { OrderInput } from '../types/input.ts';
import type { Clients } from '../clients/clients.ts';
import type { PaymentStore } from './payment-store.ts';
import { throwIfTakenOver } from '../record/operations.ts';
import type { Environment } from '../../../base/environment.ts';

export interface NewRecord {
  readonly order: OrderInput;
  readonly environment: Environment;
  readonly client: ClientInput;
  readonly isH2h: boolean;
  /** Members of endpoint 8 in addition to the order. */
  readonly further?: Partial<PaymentRecord>;
}

export interface InsertSteps {
  /** The caller's operation names the payment request before it is stored. */
  readonly caller: Pick<Caller, 'operation' | 'onPayment'>;
  readonly opened?: (record: PaymentRecord) => PaymentRecord;
}

export interface NewRecords {
  /** Builds the record. It is not stored yet. */
  make(caller: Caller, given: NewRecord): Promise<PaymentRecord>;
  /**
   * Stores the record and returns what is stored. If the same request made a payment request before (`createdBy`),
   * returns that one. Throws IDEM001 if another request under the same key has started to pay it. `opened` adds the
   * attempt to the new record, because attempts are named after its id.
   */
  insert(made: PaymentRecord, steps: InsertSteps): Promise<PaymentRecord>;
}

/** A payment request of which only the order is known. */
export const blank = {
  ...nothingGiven,
  isPremiumCardBin: false,
  routeRuleId: null,
  ftdTypeId: 0,
  attempts: [],
  refunds: [],
  reportedRefunds: [],
  refundTotals: [],
  disputeStages: [],
  cancelledAt: null,
  expiredAt: null,
  statusId: status.created,
  paidAmount: null,
  paidCurrency: null,
  refundedAmount: '0',
  chargedBack: false,
  depositDue: null,
  countedDeposit: null,
  feeAmount: null,
  exchangeRate: null,
  logs: [],
  transitions: [],
  seenEventIds: [],
  operations: [],
  createdBy: null,
  sequence: 0,
  outbox: [],
  outboxSince: null,
  nextCheckAt: null,
  lease: noLease,
} as const satisfies Partial<PaymentRecord>;

/** The environment of a new payment request: test with a test key, or if the call says so. */
export function environmentOf({ environment }: Caller, isSandbox: boolean | undefined): Environment {
  return isSandbox ? 'test' : environment;
}

export interface NewRecordsDeps {
  readonly store: Pick<PaymentStore, 'insert' | 'load'>;
  readonly ids: IdBlocks;
  readonly clients: Pick<Clients, 'findOrCreate'>;
  readonly config: { readonly expireCreatedAfterHours: number };
  readonly now: () => Date;
}

export function createNewRecords({ store, ids, clients, config, now }: NewRecordsDeps): NewRecords {
  return {
    async make(caller, given) {
      const { order, environment, client, isH2h, further } = given;
      const clientId = await clients.findOrCreate(caller.ownerId, environment, client);
      const createdAt = now();
      const usualEnd = new Date(createdAt.getTime() + config.expireCreatedAfterHours * HOUR);
      return {
        _id: await ids.next(),
        version: 1,
        ownerId: caller.ownerId,
        environment,
        keyEnvironment: caller.environment,
        createdAt,
        linkKey: randomBytes(16).toString('base64url'),
        ...order,
        ...blank,
        clientId,
        client,
        isH2h,
        operations: caller.operation ? [caller.operation.id] : [],
        ...further,
        expiresAt: further?.expiresAt ?? usualEnd,
      };
    },

    async insert(made, { caller: { operation, onPayment }, opened = (record) => record }) {
      for (let tries = 1; tries <= 2; tries += 1) {
        const record = tries === 1 ? made : { ...made, _id: await ids.next() };
        await operation?.bindPayment(record._id);
        const stored = await store.insert(opened(record));
        if (stored !== 'id_taken') {
          onPayment?.(stored._id);
          return stored;
        }
        const other = operation && (await store.load(record._id));
        if (other) throwIfTakenOver(other, { operation });
        // Another payment request has this id, as after a restored backup: ask for a new block, once.
        ids.drop();
      }
      throw new Error('two fresh payment request ids were taken already: check the document "counters"');
    },
  };
}
