/** A merchant's clients: found or made per owner by e-mail, and what they have paid so far. */
import {
  addDecimals,
  decimalsOf,
  divideDecimals,
  MAX_DECIMALS,
  multiplyDecimals,
  readDecimal,
  subtractDecimals,
} from '@gateway/contract';
import type { Connection, mongo } from 'mongoose';
import { clientIdOf, clientModel, type Client, type ClientAddress, type ClientInput } from '../../documents/client.ts';
import type { IdBlocks } from '../../documents/counter.ts';
import { fromDocument } from '../../documents/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../documents/payment-request.ts';
import { isDuplicateKey } from '../../documents/duplicate-key.ts';
import type { Environment } from '../../environment.ts';

export interface ClientsDeps {
  readonly connection: Connection;
  readonly ids: IdBlocks;
  /** Config's, that the rates lead to. */
  readonly reportingCurrency: string;
  /** The owner's own; null: config's. */
  readonly currencyOf: (ownerId: number) => Promise<string | null>;
  /** Decimal text: what one unit of a currency is worth in the reporting currency. */
  readonly exchangeRates: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

export interface Clients {
  /** Gives the client's id. */
  findOrMake(ownerId: number, environment: Environment, given: ClientInput): Promise<number>;
  get(id: number): Promise<Client | undefined>;
  /** Gives a client without an e-mail the payer's. */
  adoptEmail(id: number, email: string, name: string): Promise<void>;
  /** Paid and not refunded, in the owner's reporting currency; `record` counts as it is given, not as it is stored. */
  totalDeposits(record: PaymentRecord): Promise<string>;
  /** 1 where the payment request is the client's first paid one. */
  firstTimeType(record: PaymentRecord): Promise<1 | 2>;
}

/** Of what only leads to a client. */
const noClient = { name: null, email: null, address: null, phone: null, memberId: null, firstPaidId: null } as const;

export function createClients(deps: ClientsDeps): Clients {
  const { connection, ids, reportingCurrency, currencyOf, exchangeRates, now } = deps;
  const model = clientModel(connection);
  const payments = paymentRequestModel(connection);

  /** As many others may have the ids of an address; a second one is met once in millions of clients. */
  const maxCollisions = 10;

  /** The client of that address, or what `make` gives for its id. One that is made meanwhile by somebody else counts. */
  async function atAddress(address: ClientAddress, make: (id: number) => Client): Promise<Client> {
    const isOf = ({ ownerId, environment, emailKey }: Client): boolean =>
      ownerId === address.ownerId && environment === address.environment && emailKey === address.emailKey;
    for (let collisions = 0; collisions <= maxCollisions; collisions += 1) {
      const id = clientIdOf(address, collisions);
      const found = (await model.findById(id).lean()) ?? (await createAt(make(id)));
      if (isOf(found)) return found;
    }
    throw new Error('every id of a client with this e-mail is another client’s');
  }

  /** Gives what is stored under its id. */
  async function createAt(client: Client): Promise<Client> {
    try {
      await model.create([client]);
      return client;
    } catch (error) {
      const other = isDuplicateKey(error) && (await model.findById(client._id).lean());
      if (other) return other;
      throw error;
    }
  }

  const rateOf = (currency: string): string | undefined =>
    currency === reportingCurrency ? '1' : exchangeRates[currency];

  /** A currency without a rate cannot be counted; config names the rates. */
  function convert(amount: string, from: string, to: string): string {
    if (from === to) return amount;
    const [rate, back] = [rateOf(from), rateOf(to)];
    if (rate === undefined || back === undefined) return '0';
    return divideDecimals(multiplyDecimals(amount, rate, MAX_DECIMALS), back, decimalsOf(to));
  }

  return {
    async findOrMake(ownerId, environment, given) {
      // An empty address is none: nobody is found by it.
      const email = given.email || null;
      const emailKey = email?.toLowerCase() ?? null;
      const made = { ...given, email, ownerId, environment, emailKey, createdAt: now(), firstPaidId: null };
      if (emailKey !== null) {
        const found = await atAddress({ ownerId, environment, emailKey }, (_id) => ({ ...made, _id }));
        return found.aliasOf ?? found._id;
      }
      for (let tries = 1; tries <= 2; tries += 1) {
        const _id = await ids.next();
        try {
          await model.create([{ ...made, _id }]);
          return _id;
        } catch (error) {
          if (!isDuplicateKey(error)) throw error;
          ids.drop(); // Taken already, as after a restored backup: ask for a new block, once.
        }
      }
      throw new Error('two fresh client ids were taken already: check the document "counters"');
    },
    async get(id) {
      return (await model.findById(id).lean()) ?? undefined;
    },
    async adoptEmail(id, email, name) {
      const client = await model.findOneAndUpdate({ _id: id, email: null }, { $set: { email } }).lean();
      if (client) {
        // After that, so that no address leads to a client who has another one. Where the address has its client already,
        // that one stays who is found by it.
        const { ownerId, environment, createdAt } = client;
        const address = { ownerId, environment, emailKey: email.toLowerCase() };
        await atAddress(address, (_id) => ({ ...noClient, ...address, _id, aliasOf: id, createdAt }));
      }
      await model.updateOne({ _id: id, name: null }, { $set: { name } });
    },
    async totalDeposits(record) {
      const { _id, clientId, ownerId, paidAmount, paidCurrency, refundedAmount } = record;
      const total = (await currencyOf(ownerId)) ?? reportingCurrency;
      const sums = await payments.aggregate<{ _id: string; paid: mongo.Decimal128; refunded: mongo.Decimal128 }>([
        { $match: { clientId, paidCurrency: { $type: 'string' }, _id: { $ne: _id } } },
        { $group: { _id: '$paidCurrency', paid: { $sum: '$paidAmount' }, refunded: { $sum: '$refundedAmount' } } },
      ]);
      const stored = sums.map((sum) => {
        const { _id: currency, paid, refunded } = fromDocument(sum) as { _id: string; paid: string; refunded: string };
        return convert(subtractDecimals(paid, readDecimal(refunded) ?? '0'), currency, total);
      });
      const own =
        paidAmount && paidCurrency ? [convert(subtractDecimals(paidAmount, refundedAmount), paidCurrency, total)] : [];
      return addDecimals(...stored, ...own);
    },
    async firstTimeType({ clientId, _id }) {
      await model.updateOne({ _id: clientId, firstPaidId: null }, { $set: { firstPaidId: _id } });
      const client = await model.findById(clientId).lean();
      return client?.firstPaidId === _id ? 1 : 2;
    },
  };
}
