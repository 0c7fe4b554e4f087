/**
 * The baselines, one process per role: the minimum that does the same job with Koa, Agenda and the driver. They keep
 * none of the gateway's promises except durable writes.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as send, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoBackend } from '@agendajs/mongo-backend';
import { Router } from '@koa/router';
import { Agenda } from 'agenda';
import Koa from 'koa';
import bodyParser from 'koa-bodyparser';
import mongoose from 'mongoose';
import { callbackKey } from '../faults/provider.ts';

export interface BaselineOptions {
  readonly role: 'http' | 'agenda';
  readonly mongodbUri: string;
  /** Database of the documents that are read. */
  readonly readUri: string;
  readonly providerUrl: string;
  readonly receiverUrl: string;
}

/** A callback that waits for the stock Agenda. */
export interface BaselineJob {
  readonly callback: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 256 });
const durable = { writeConcern: { w: 'majority' as const, journal: true } };

async function serve(setup: BaselineOptions): Promise<number> {
  const db = (await mongoose.createConnection(setup.mongodbUri).asPromise()).getClient().db();
  const stored = (await mongoose.createConnection(setup.readUri).asPromise()).getClient().db();
  const [callbacks, payments] = [db.collection('callbacks', durable), db.collection<Payment>('payments', durable)];
  const requests = stored.collection<{ readonly _id: number }>('paymentRequests');
  const router = new Router();
  router.post('/callbacks/faults', async (ctx) => {
    const chunks: Buffer[] = [];
    for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const expected = createHmac('sha256', callbackKey).update(body).digest();
    const signature = Buffer.from(ctx.get('X-Signature'), 'hex');
    if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return void (ctx.status = 401);
    const { reference } = JSON.parse(body.toString('utf8')) as { reference: string };
    await callbacks.insertOne({ reference, body, receivedAt: new Date() });
    ctx.body = 'OK';
  });
  let nextId = Date.now();
  router.post('/payments', bodyParser(), async (ctx) => {
    const { number: _, cvv: _2, ...payment } = ctx.request.body as Record<string, unknown>;
    const id = (nextId += 1);
    const reference = `GW-${id}-1`;
    await payments.insertOne({ _id: id, payment, state: 'created', reference });
    const answer = await post(`${setup.providerUrl}/charges`, JSON.stringify({ reference, amount: payment['amount'] }));
    const { state } = JSON.parse(answer) as { state: string };
    await payments.updateOne({ _id: id, state: 'created' }, { $set: { state } });
    if (typeof payment['notifyUrl'] === 'string') void post(payment['notifyUrl'], JSON.stringify(notificationOf(id)));
    ctx.body = 'OK';
  });
  router.get('/payments/:id', async (ctx) => {
    ctx.body = await requests.findOne({ _id: Number(ctx.params['id']) });
  });
  router.get('/payments', async (ctx) => {
    ctx.body = await requests.find().sort({ _id: -1 }).limit(50).toArray();
  });
  const server = new Koa().use(router.routes()).listen(0, '127.0.0.1');
  await new Promise((resolve) => {
    server.once('listening', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** One job per callback: reads it and its payment, one compare-and-set, one POST. */
async function work(setup: BaselineOptions): Promise<void> {
  const db = (await mongoose.createConnection(setup.mongodbUri).asPromise()).getClient().db();
  const [callbacks, payments] = [db.collection('callbacks'), db.collection<Payment>('payments', durable)];
  const backend = new MongoBackend({ mongo: db, collection: 'baselineJobs' });
  // Tuned: high concurrency, a short poll interval, and each job is removed when done. More of either is not faster.
  const agenda = new Agenda({ backend, processEvery: 100, maxConcurrency: 200, removeOnComplete: true });
  const handle = async ({ attrs }: { attrs: { data: BaselineJob } }): Promise<void> => {
    const callback = await callbacks.findOne({ reference: attrs.data.callback });
    const payment = await payments.findOne({ reference: attrs.data.callback });
    if (!callback || !payment) throw new Error('no such callback');
    await payments.updateOne({ _id: payment._id, state: 'pending' }, { $set: { state: 'succeeded' } });
    await post(setup.receiverUrl, JSON.stringify(notificationOf(payment._id)));
  };
  // oxlint-disable-next-line typescript/no-misused-promises -- the rule sees the overload with a callback, not this
  agenda.define<BaselineJob>('callback', handle, { concurrency: 100, lockLimit: 200 });
  agenda.on('fail', (error: Error) => console.error(error));
  await agenda.start();
}

interface Payment {
  readonly _id: number;
  readonly reference: string;
  readonly state: string;
  readonly payment?: unknown;
}

/** About as large as a notification of the gateway. */
function notificationOf(id: number): object {
  return { id: `${id}-1`, type: 'payment.succeeded', data: { paymentRequest: { id, note: 'x'.repeat(1500) } } };
}

async function post(url: string, body: string): Promise<string> {
  const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
  const message = send(url, { method: 'POST', agent, headers }).end(body);
  try {
    const [response] = (await once(message, 'response')) as [IncomingMessage];
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    // The server closed an idle connection at this moment: retry once, as every client does.
    if (message.reusedSocket) return post(url, body);
    throw error;
  }
}

process.on('message', (setup: BaselineOptions) => {
  void (setup.role === 'http' ? serve(setup) : work(setup)).then(
    (port) => process.send!({ port: port ?? 0 }),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
