/** Reads: one payment, a list, and a payment of a client with very many payments. */
import mongoose from 'mongoose';
import { makePending } from '../../faults/load.ts';
import { startBare } from '../bare.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import { measure, withGateway, type Bench } from '../measure.ts';
import { request } from '../wire.ts';

export async function measureReads(bench: Bench): Promise<void> {
  const count = Math.ceil(bench.count / 5);
  await withGateway(bench, { workers: 1 }, async (gateway) => {
    const made = await makePending(gateway, 'http://127.0.0.1:9/', 1000);
    const bare = await startBare(bench, gateway.mongodbUri);
    const headers = { 'X-API-Key': gateway.key, Accept: 'application/json' };
    const byId = (base: string): string[] =>
      Array.from({ length: count }, (_, index) => request('GET', `${base}/${made[index % made.length]}`, headers));
    const lists = (base: string): string[] =>
      Array.from({ length: Math.ceil(count / 5) }, () => request('GET', `${base}?limit=50`, headers));
    for (const [name, messages] of [
      ['read by id', byId],
      ['list of 50', lists],
    ] as const) {
      bench.record(name, 'theirs', (await measure(bench, bare.port, messages('/payments'))).perSecond);
      bench.record(name, 'ours', (await measure(bench, gateway.port, messages('/payment-requests'))).perSecond);
    }
    bare.close();

    const alone = await measure(bench, gateway.port, byId('/payment-requests'));
    bench.record('read by id, client with 200,000 paid', 'theirs', alone.perSecond);
    await payMany(gateway, made[0]!, paidPayments);
    const among = await measure(bench, gateway.port, byId('/payment-requests'));
    bench.record('read by id, client with 200,000 paid', 'ours', among.perSecond);
  });
}

const paidPayments = 200_000;

/** Adds paid and counted payments to the client of a payment, with only the members that a sum could need. */
async function payMany({ connection }: BenchGateway, id: number, count: number): Promise<void> {
  const payments = connection.collection<{ _id: number }>('paymentRequests');
  const { clientId, ownerId, environment } = (await payments.findOne({ _id: id })) as unknown as Record<string, number>;
  const { Decimal128 } = mongoose.mongo.BSON;
  const one = { paid: Decimal128.fromString('10'), refunded: Decimal128.fromString('0') };
  const members = { paidAmount: one.paid, paidCurrency: 'EUR', refundedAmount: one.refunded, depositDue: null };
  const countedDeposit = { version: 2, currency: 'EUR', ...one };
  const pageSize = 10_000;
  for (let made = 0; made < count; made += pageSize) {
    const page = Array.from({ length: pageSize }, (_, at) => {
      const payment = { _id: made + at + 1, clientId, ownerId, environment, version: 2, statusId: 2 };
      return { ...payment, createdAt: new Date(0), ...members, countedDeposit };
    });
    // Only the members that a sum could need: complete payments would take minutes.
    const quickly = { ordered: false, bypassDocumentValidation: true, writeConcern: { w: 1 } } as const;
    await payments.insertMany(page, quickly);
  }
  const deposits = { EUR: { paid: Decimal128.fromString(`${count * 10}`), refunded: one.refunded } };
  await connection.collection<{ _id: number }>('clients').updateOne({ _id: clientId! }, { $set: { deposits } });
}
