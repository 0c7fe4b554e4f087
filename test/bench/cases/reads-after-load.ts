/** Reads of one payment before and after many payments of many clients: the cost of a read must not grow. */
import { cpuPerItem, measure, withGateway, type Bench } from '../measure.ts';
import { request } from '../wire.ts';
import { submitMessages } from './submits.ts';

const clients = 100;
/** A fresh process uses several times the CPU time. */
const warmingReads = 3000;
const paymentsBefore = 3 * clients;
const paymentsOfLoad = 6000;

export async function measureReadsAfterLoad(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    const pay = async (count: number) => measure(bench, gateway.port, submitMessages(gateway, count));
    await pay(paymentsBefore);
    const payments = gateway.connection.collection<{ _id: number }>('paymentRequests');
    const ids = (await payments.find({}, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id);
    const headers = { 'X-API-Key': gateway.key, Accept: 'application/json' };
    const read = async (count: number): Promise<number> => {
      const messages = Array.from({ length: count }, (_, at) =>
        request('GET', `/payment-requests/${ids[at % ids.length]}`, headers),
      );
      return cpuPerItem(bench, gateway, async () => {
        await measure(bench, gateway.port, messages);
        return count;
      });
    };
    await read(warmingReads);
    const before = await read(bench.count);
    await pay(paymentsOfLoad);
    const after = await read(bench.count);
    bench.record(readsAfterLoad.cpu, 'ours', after);
    bench.record(readsAfterLoad.growth, 'theirs', before);
    bench.record(readsAfterLoad.growth, 'ours', after);
  });
}

export const readsAfterLoad = {
  cpu: 'CPU per read by id, after 6,000 payments of 100 clients',
  growth: 'CPU per read by id, after to before these payments',
} as const;
