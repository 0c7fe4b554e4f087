/**
 * The clients of merchants: found or created per owner by e-mail, their first paid requests, and what they have paid so
 * far.
 */
import {
  addDecimals,
  decimalsOf,
  divideDecimals,
  MAX_DECIMALS,
  multiplyDecimals,
  subtractDecimals,
} from '@paywright/contract';
import { LRUCache } from 'lru-cache';
import type { Connection } from 'mongoose';
import {
  clientIdOf,
  clientModel,
  nothingCounted,
  type Client,
  type ClientAddress,
  type ClientInput,
} from '../../../database/collections/client.ts';
import type { IdBlocks } from '../../../database/collections/counter.ts';
import { fromDocument } from '../../../database/decimals.ts';
import type { DepositSum, DepositSums } from '../../../database/collections/deposit.ts';
import { paymentRequestModel, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { createInsertBatcher } from '../../../database/insert-batcher.ts';
import { createBatcher } from '../../../database/batcher.ts';
import { driverCodecOf } from '../../../database/driver-codec.ts';
import type { Environment } from '../../../base/environment.ts';
import { groupBy } from '../../../base/group-by.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { changeSums, type DepositChange } from './deposits.ts';
import { createFirstPaid, type FirstTimeTypes } from './first-paid.ts';

export interface ClientsDeps {
  readonly connection: Connection;
  readonly ids: IdBlocks;
  /** The reporting currency of config, into which the rates convert. */
  readonly reportingCurrency: string;
  /** Decimal text: what one unit of a currency is worth in the reporting currency. */
  readonly exchangeRates: Readonly<Record<string, string>>;
  /** Called with each client that was read and has so many due payments that they are to be counted. */
  readonly onManyDue: (clientId: number) => void;
  readonly now: () => Date;
}

export interface Clients {
  /** Returns the client's id. */
  findOrCreate(ownerId: number, environment: Environment, given: ClientInput): Promise<number>;
  /** The stored clients, by id. Their sums include every payment as it is at one moment. */
  get(ids: readonly number[]): Promise<ReadonlyMap<number, Client>>;
  /** A payment with its client, both of one moment and read by one query. Undefined: the payment is not stored. */
  withPayment(id: number): Promise<PaymentOfClient | undefined>;
  /** Gives the payer's e-mail to a client without one. */
  adoptEmail(id: number, email: string, name: string): Promise<void>;
  /**
   * Paid and not refunded, in the owner's reporting currency; null: the one of config. `changes`: changes of payments
   * that are not stored yet and are to be included.
   */
  totalDeposits(sums: DepositSums, currency: string | null, changes?: readonly DepositChange[]): string;
  /** For each payment request: 1 if it is the client's first paid one. */
  readonly firstTimeTypes: FirstTimeTypes;
}

export interface PaymentOfClient {
  readonly record: PaymentRecord;
  readonly client: Client | undefined;
}

/**
 * A client with more due payments than this is counted. Summing them takes the server about a microsecond each, from
 * the index alone. Most clients never have as many, so their payments are never counted.
 */
const MANY_DUE = 100;

const cachedAddresses = 10_000;
/** An address leads to another client only after the client before was erased. */
const cachedMs = MINUTE;
/**
 * The ids of an address may be taken by this many other clients: clients that were erased since, or, once in millions,
 * clients of another address.
 */
const maxCollisions = 100;

export type MarkedPayment = Pick<PaymentRecord, '_id' | 'countedDeposit'>;

/** Sums of the due payments of a client, by currency: what is paid now, and what is counted of the same payments. */
interface DueSum extends DepositSum {
  /** `client`: only if many clients are read together. */
  readonly _id: { readonly client?: number; readonly currency: string; readonly counted?: string | null };
  readonly payments: number;
  readonly countedPaid: string;
  readonly countedRefunded: string;
}

/** A client as the database has it, with what its sums do not include yet. */
interface ClientWithDue extends Client {
  readonly due: readonly DueSum[];
  readonly marked: readonly MarkedPayment[];
}

/** Members of a document that only leads to a client. */
const noClient = {
  name: null,
  email: null,
  address: null,
  phone: null,
  memberId: null,
  firstPaidId: null,
  ...nothingCounted,
} as const;

export function createClients(deps: ClientsDeps): Clients {
  const { connection, ids, reportingCurrency, exchangeRates, onManyDue, now } = deps;
  const model = clientModel(connection);
  const { collection } = driverCodecOf(model);
  const { collection: paymentRequests } = driverCodecOf(paymentRequestModel(connection));
  const payments = paymentRequests.collectionName;
  const idsByAddress = new LRUCache<string, number>({ max: cachedAddresses, ttl: cachedMs });

  const reads = createBatcher<number, Client | undefined>({
    async run(ids) {
      const found = await collection.find({ _id: { $in: [...ids] } }).toArray();
      const byId = new Map(found.map((one) => [one._id, one as unknown as Client]));
      return ids.map((id) => ({ value: byId.get(id) }));
    },
  });
  const inserts = createInsertBatcher(model);

  /**
   * The client of that address, or what `make` returns for its id. If another process creates the client at the same
   * time, that one counts.
   */
  async function atAddress(address: ClientAddress, make: (id: number) => Client): Promise<Client> {
    const isOf = ({ ownerId, environment, emailKey }: Client): boolean =>
      ownerId === address.ownerId && environment === address.environment && emailKey === address.emailKey;
    for (let collisions = 0; collisions <= maxCollisions; collisions += 1) {
      const id = clientIdOf(address, collisions);
      const found = await createAt(make(id));
      if (isOf(found)) return found;
    }
    throw new Error('every id for a client with this e-mail is taken by another client');
  }

  /**
   * Returns what is stored under the client's id. Most clients that are not cached are new, so nothing is read first.
   */
  async function createAt(client: Client): Promise<Client> {
    if ((await inserts(client)) === 'stored') return client;
    const other = await reads(client._id);
    if (!other) throw new Error(`client ${client._id} was deleted while it was read`);
    return other;
  }

  /** Sums and payments of one moment, because counting moves amounts from the payments to the sums. */
  async function readWithSums(wanted: readonly number[]): Promise<ReadonlyMap<number, Client>> {
    const parts = await readAtOnce<Client | DueSum>(stepsOfMany(wanted, payments));
    const dueOf = groupBy(
      parts.filter((part): part is DueSum => !('ownerId' in part)),
      ({ _id }) => _id.client,
    );
    const clients = parts.filter((part): part is Client => 'ownerId' in part);
    // A process is counting them, or died while it did.
    const half = clients.flatMap(({ _id, counting }) => (counting.length ? [_id] : []));
    const again = half.length ? await readAtOnce<ClientWithDue>([matching(half), ...lookups(payments)]) : [];
    const found = clients.map((client) => ({ ...client, due: dueOf.get(client._id) ?? [], marked: [] }));
    return new Map([...found, ...again].map((client) => [client._id, withDue(client, onManyDue)]));
  }

  async function readAtOnce<T>(steps: readonly object[]): Promise<T[]> {
    const found = await collection.aggregate([...steps], { readConcern: 'snapshot' }).toArray();
    return fromDocument(found) as T[];
  }

  // Many concurrent callers ask for clients, often for the same one.
  const readsWithSums = createBatcher<number, Client | undefined>({
    everyMs: 0,
    async run(items) {
      const known = await readWithSums([...new Set(items)]);
      return items.map((id) => ({ value: known.get(id) }));
    },
  });

  const rateOf = (currency: string): string | undefined =>
    currency === reportingCurrency ? '1' : exchangeRates[currency];

  /** A currency without a rate cannot be counted. Config holds the rates. */
  function convert(amount: string, from: string, to: string): string {
    if (from === to) return amount;
    const [rate, back] = [rateOf(from), rateOf(to)];
    if (rate === undefined || back === undefined) return '0';
    return divideDecimals(multiplyDecimals(amount, rate, MAX_DECIMALS), back, decimalsOf(to));
  }

  return {
    async findOrCreate(ownerId, environment, given) {
      // An empty address counts as no address: no client is found by it.
      const email = given.email || null;
      const emailKey = email?.toLowerCase() ?? null;
      const made = {
        ...given,
        email,
        ownerId,
        environment,
        emailKey,
        createdAt: now(),
        firstPaidId: null,
        ...nothingCounted,
      };
      if (emailKey !== null) {
        const name = JSON.stringify([ownerId, environment, emailKey]);
        const known = idsByAddress.get(name);
        if (known !== undefined) return known;
        const found = await atAddress({ ownerId, environment, emailKey }, (_id) => ({ ...made, _id }));
        const id = found.aliasOf ?? found._id;
        idsByAddress.set(name, id);
        return id;
      }
      for (let tries = 1; tries <= 2; tries += 1) {
        const _id = await ids.next();
        if ((await inserts({ ...made, _id })) === 'stored') return _id;
        ids.drop(); // Taken already, as after a restored backup: ask for a new block, once.
      }
      throw new Error('two fresh client ids were taken already: check the document "counters"');
    },
    async get(wanted) {
      if (wanted.length !== 1) return readWithSums(wanted);
      const client = await readsWithSums(wanted[0]!);
      return new Map(client && [[client._id, client]]);
    },
    async withPayment(id) {
      const by = { localField: 'clientId', foreignField: '_id', pipeline: [...lookups(payments)], as: 'ofClient' };
      const steps = [{ $match: { _id: id } }, { $lookup: { from: collection.collectionName, ...by } }];
      const [found] = await paymentRequests.aggregate(steps, { readConcern: 'snapshot' }).toArray();
      if (!found) return undefined;
      const { ofClient, ...payment } = fromDocument(found) as PaymentRecord & { readonly ofClient: ClientWithDue[] };
      return { record: payment, client: ofClient[0] && withDue(ofClient[0], onManyDue) };
    },
    async adoptEmail(id, email, name) {
      const client = await model.findOneAndUpdate({ _id: id, email: null }, { $set: { email } }).lean();
      if (client) {
        // This comes second, so that no address leads to a client with another address. If the address already has a
        // client, that client stays the one that is found by it.
        const { ownerId, environment, createdAt } = client;
        const address = { ownerId, environment, emailKey: email.toLowerCase() };
        await atAddress(address, (_id) => ({ ...noClient, ...address, _id, aliasOf: id, createdAt }));
      }
      await model.updateOne({ _id: id, name: null }, { $set: { name } });
    },
    totalDeposits(sums, currency, changes = []) {
      const total = currency ?? reportingCurrency;
      return addDecimals(
        ...Object.entries(changeSums(sums, changes)).map(([from, { paid, refunded }]) =>
          convert(subtractDecimals(paid, refunded), from, total),
        ),
      );
    },
    firstTimeTypes: createFirstPaid(connection),
  };
}

/** Only members of the index `deposits` are used below, so that no payment is read. */
const isDue = { depositDue: { $type: 'number' } } as const;
const dueSums = {
  payments: { $sum: 1 },
  paid: { $sum: '$paidAmount' },
  refunded: { $sum: '$refundedAmount' },
  countedPaid: { $sum: '$countedDeposit.paid' },
  countedRefunded: { $sum: '$countedDeposit.refunded' },
} as const;
const dueBy = { currency: '$paidCurrency', counted: '$countedDeposit.currency' } as const;

function lookups(payments: string): readonly object[] {
  const due = [{ $match: isDue }, { $group: { _id: dueBy, ...dueSums } }];
  return [
    { $lookup: { from: payments, localField: '_id', foreignField: 'clientId', pipeline: due, as: 'due' } },
    ...markedSteps(payments),
  ];
}

/**
 * The clients, followed by their due sums. A lookup for each of a hundred clients would cost the server more than the
 * rest of the query.
 */
function stepsOfMany(wanted: readonly number[], payments: string): readonly object[] {
  const due = [
    { $match: { clientId: { $in: wanted }, ...isDue } },
    { $group: { _id: { client: '$clientId', ...dueBy }, ...dueSums } },
  ];
  return [matching(wanted), { $unionWith: { coll: payments, pipeline: due } }];
}

function matching(ids: readonly number[]): object {
  return { $match: { _id: { $in: ids } } };
}

/** Adds `marked`: the payments of `counting`, with the deposit that each is marked as counted with. */
export function markedSteps(payments: string): readonly object[] {
  const pipeline = [{ $project: { countedDeposit: 1 } }];
  const counting = { localField: 'counting.paymentRequestId', foreignField: '_id' };
  return [{ $lookup: { from: payments, ...counting, pipeline, as: 'marked' } }];
}

/** The client with sums that include what is due. */
function withDue({ due, marked, ...client }: ClientWithDue, onManyDue: ClientsDeps['onManyDue']): Client {
  if (due.reduce((sum, { payments }) => sum + payments, 0) > MANY_DUE) onManyDue(client._id);
  const changes = [...due.map(toDepositChange), ...unmarkedChanges(client.counting, marked)];
  return { ...client, deposits: changeSums(client.deposits, changes) };
}

function toDepositChange({ _id, paid, refunded, countedPaid, countedRefunded }: DueSum): DepositChange {
  const { currency, counted } = _id;
  return {
    before: typeof counted === 'string' ? { currency: counted, paid: countedPaid, refunded: countedRefunded } : null,
    after: { currency, paid, refunded },
  };
}

/** The changes from what the sums include to what the payments say, for payments that are not marked yet. */
export function unmarkedChanges(counting: Client['counting'], marked: readonly MarkedPayment[]): DepositChange[] {
  return counting.flatMap((counted) => {
    const said = marked.find(({ _id }) => _id === counted.paymentRequestId)?.countedDeposit ?? null;
    return said && said.version >= counted.version ? [] : [{ before: counted, after: said }];
  });
}
