/** Paywright with its default processes on a mongod of its own. */
import { call } from '../../faults/load.ts';
import { amounts, providerCode } from '../../faults/provider.ts';
import { cardBody } from '../../support/bodies.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import { roles, startBenchGateway, type BenchGateway } from '../bench-gateway.ts';
import { submitMessages } from '../cases/submits.ts';
import { allDelivered, callbacks, makePayments, receiveAll } from '../measure.ts';
import { request } from '../wire.ts';
import { nothingToWaitFor, type System } from './system.ts';

export const ourName = 'Paywright';

export interface PaywrightSetup {
  readonly mongodbUri: string;
  readonly mongodCpuMs: () => Promise<number>;
  readonly providerUrl: string;
}

/** What the service asks of mongod when it stores a payment, as mongod's profiler has it. */
async function writeConcernOf({ connection, key, url }: BenchGateway): Promise<unknown> {
  const db = connection.getClient().db(connection.name);
  await db.command({ profile: 2 });
  await call({ url, key }, `/payments/h2h/${providerCode}`, cardBody('4111111111111111', amounts.charged));
  await db.command({ profile: 0 });
  const filter = { ns: `${db.databaseName}.paymentRequests`, 'command.writeConcern': { $exists: true } };
  const stored = await db.collection('system.profile').findOne(filter);
  if (!stored) throw new Error('the profiler of mongod has no write of a payment');
  await db.collection('system.profile').drop();
  return (stored['command'] as { readonly writeConcern: unknown }).writeConcern;
}

export async function startPaywright({ mongodbUri, mongodCpuMs, providerUrl }: PaywrightSetup): Promise<System> {
  const gateway = await startBenchGateway({ mongodbUri, providerUrl, workers: 2 });
  const { connection, key, port } = gateway;
  const payments = connection.collection<{ _id: number }>('paymentRequests');
  const admin = connection.getClient().db('admin');
  const { storageEngine, version } = await admin.command({ serverStatus: 1 });
  const { writeMajorityCount, members } = await admin.command({ replSetGetStatus: 1 });
  const concern = JSON.stringify(await writeConcernOf(gateway));
  let receiver: Receiver | undefined;
  return {
    name: ourName,
    port,
    settings: [
      `MongoDB ${version}, ${storageEngine.name}, persistent=${storageEngine.persistent}`,
      `replica set of ${members.length}, majority=${writeMajorityCount}, write concern of payments ${concern}`,
    ],
    counts: { charge: 1500, webhook: 1500, read: 2000 },
    async cpuMs() {
      const [database, ...times] = await Promise.all([
        mongodCpuMs(),
        ...roles.map(async (role) => gateway.cpuMs(role)),
      ]);
      return { all: times.reduce((sum, ms) => sum + ms, database), database };
    },
    async prepare(workload, count) {
      if (workload === 'charge') return { messages: submitMessages(gateway, count), done: nothingToWaitFor };
      if (workload === 'read') {
        const paid = await payments.find({ statusId: 2 }, { projection: { _id: 1 }, limit: count }).toArray();
        const headers = { 'X-API-Key': key, Accept: 'application/json' };
        const messages = Array.from({ length: count }, (_, at) =>
          request('GET', `/payment-requests/${paid[at % paid.length]!._id}`, headers),
        );
        return { messages, done: nothingToWaitFor };
      }
      receiver ??= await startReceiver();
      const known = receiver.received.length;
      const ids = await makePayments(gateway, receiver.url, count);
      const done = async (): Promise<void> => {
        if (!(await receiveAll(receiver!, known + count))) throw new Error('Paywright did not notify every merchant');
        await allDelivered(gateway);
      };
      return { messages: callbacks(ids), done };
    },
    async close() {
      await gateway.close();
      await receiver?.close();
    },
  };
}
