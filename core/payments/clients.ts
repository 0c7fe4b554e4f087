/** A merchant's clients: found or made per owner by e-mail, and what they have paid so far. */
import { addDecimals, multiplyDecimals, readDecimal, subtractDecimals } from '@gateway/contract';
import type { Connection, mongo } from 'mongoose';
import { clientModel, type Client } from '../documents/client.ts';
import type { IdBlocks } from '../documents/counter.ts';
import { fromDocument } from '../documents/decimals.ts';
import { paymentRequestModel } from '../documents/payment-request.ts';
import type { PaymentRecord } from './facts.ts';
import { isDuplicateKey } from './payment-store.ts';
import type { ClientInput, Environment } from './service.ts';

export interface ClientsDeps {
  readonly connection: Connection;
  readonly ids: IdBlocks;
  readonly reportingCurrency: string;
  /** Decimal text: what one unit of a currency is worth in the reporting currency. */
  readonly exchangeRates: Readonly<Record<string, string>>;
  readonly now: () => Date;
}

export interface Clients {
  findOrMake(ownerId: number, environment: Environment, given: ClientInput): Promise<Client>;
  get(id: number): Promise<Client | undefined>;
  /** Gives a client without an e-mail the payer's. */
  adoptEmail(id: number, email: string, name: string): Promise<void>;
  /** Paid and not refunded, in the reporting currency; `changed` counts as it stands, not as it is stored. */
  totalDeposits(clientId: number, changed?: PaymentRecord): Promise<string>;
  /** 1 where the payment request is the client's first paid one. */
  firstTimeType(record: PaymentRecord): Promise<1 | 2>;
}

export function createClients({ connection, ids, reportingCurrency, exchangeRates, now }: ClientsDeps): Clients {
  const model = clientModel(connection);
  const payments = paymentRequestModel(connection);

  async function byEmail(ownerId: number, environment: Environment, emailKey: string): Promise<Client | undefined> {
    return (await model.findOne({ ownerId, environment, emailKey }).lean()) ?? undefined;
  }

  function inReportingCurrency(amount: string, currency: string): string {
    // A currency without a rate cannot be counted; config names the rates.
    const rate = currency === reportingCurrency ? '1' : exchangeRates[currency];
    return rate === undefined ? '0' : multiplyDecimals(amount, rate, 2);
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
    async totalDeposits(clientId, changed) {
      const sums = await payments.aggregate<{ _id: string; paid: mongo.Decimal128; refunded: mongo.Decimal128 }>([
        { $match: { clientId, paidAmount: { $ne: null }, ...(changed ? { _id: { $ne: changed._id } } : {}) } },
        { $group: { _id: '$paidCurrency', paid: { $sum: '$paidAmount' }, refunded: { $sum: '$refundedAmount' } } },
      ]);
      const stored = sums.map((sum) => {
        const { _id: currency, paid, refunded } = fromDocument(sum) as { _id: string; paid: string; refunded: string };
        return inReportingCurrency(subtractDecimals(paid, readDecimal(refunded) ?? '0'), currency);
      });
      const own =
        changed?.paidAmount && changed.paidCurrency
          ? [inReportingCurrency(subtractDecimals(changed.paidAmount, changed.refundedAmount), changed.paidCurrency)]
          : [];
      return addDecimals(...stored, ...own);
    },
    async firstTimeType({ clientId, _id }) {
      await model.updateOne({ _id: clientId, firstPaidId: null }, { $set: { firstPaidId: _id } });
      const client = await model.findById(clientId).lean();
      return client?.firstPaidId === _id ? 1 : 2;
    },
  };
}
