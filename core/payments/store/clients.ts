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
import { clientModel, type Client, type ClientInput } from '../../documents/client.ts';
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
  findOrMake(ownerId: number, environment: Environment, given: ClientInput): Promise<Client>;
  get(id: number): Promise<Client | undefined>;
  /** Gives a client without an e-mail the payer's. */
  adoptEmail(id: number, email: string, name: string): Promise<void>;
  /** Paid and not refunded, in the owner's reporting currency; `record` counts as it is given, not as it is stored. */
  totalDeposits(record: PaymentRecord): Promise<string>;
  /** 1 where the payment request is the client's first paid one. */
  firstTimeType(record: PaymentRecord): Promise<1 | 2>;
}

export function createClients(deps: ClientsDeps): Clients {
  const { connection, ids, reportingCurrency, currencyOf, exchangeRates, now } = deps;
  const model = clientModel(connection);
  const payments = paymentRequestModel(connection);

  async function byEmail(ownerId: number, environment: Environment, emailKey: string): Promise<Client | undefined> {
    const text = { $type: 'string', $eq: emailKey } as const;
    return (await model.findOne({ ownerId, environment, emailKey: text }).lean()) ?? undefined;
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
      const emailKey = given.email?.toLowerCase() || null;
      const known = emailKey === null ? undefined : await byEmail(ownerId, environment, emailKey);
      if (known) return known;
      const make = async (): Promise<Client> => {
        const member = {
          ...given,
          email: given.email || null,
          ownerId,
          environment,
          emailKey,
          createdAt: now(),
          firstPaidId: null,
        };
        const client: Client = { ...member, _id: await ids.next() };
        await model.create([client]);
        return client;
      };
      try {
        return await make();
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const other = emailKey === null ? undefined : await byEmail(ownerId, environment, emailKey);
        if (other) return other;
        // Not the address but the id was taken, as after a restored backup: ask for a new block, once.
        ids.drop();
        return make();
      }
    },
    async get(id) {
      return (await model.findById(id).lean()) ?? undefined;
    },
    async adoptEmail(id, email, name) {
      const mine = { _id: id, email: null };
      try {
        await model.updateOne(mine, { $set: { email, emailKey: email.toLowerCase() } });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        await model.updateOne(mine, { $set: { email } }); // Another client is found by that address.
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
