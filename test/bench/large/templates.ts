/** One payment of each kind for each merchant, made by the gateway itself, with everything that it stores for them. */
import { mongo } from 'mongoose';
import { until } from '../../../core/base/testing/until.ts';
import { call } from '../../faults/load.ts';
import { declinedCallback, deliverUntilAcknowledged, paidCallback, providerCode } from '../../faults/provider.ts';
import { cardBody, payer } from '../../support/bodies.ts';
import { startReceiver } from '../../support/receiver.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import { referenceOf } from '../measure.ts';

type Document = mongo.BSON.Document;

/** All documents of one completed payment. */
export interface Template {
  readonly payment: Document;
  readonly client: Document;
  readonly inbox: readonly Document[];
  readonly notifications: readonly Document[];
  readonly exchanges: readonly Document[];
}

type Target = Pick<BenchGateway, 'url' | 'key' | 'connection'>;

interface Order {
  readonly email: string;
  readonly notifyUrl: string;
  readonly referenceId: string;
}

/** Each function makes its payment, and returns the id. */
const makers = {
  paidByCallback: async (target: Target, order: Order) => {
    const id = await pay(target, 10, order);
    await deliverUntilAcknowledged(target.url, paidCallback(referenceOf(id), 10));
    return id;
  },
  paidAtOnce: async (target: Target, order: Order) => pay(target, 7, order),
  declined: async (target: Target, order: Order) => {
    const id = await pay(target, 10, order);
    await deliverUntilAcknowledged(target.url, declinedCallback(referenceOf(id), 10));
    return id;
  },
  refunded: async (target: Target, order: Order) => {
    const id = await pay(target, 7, order);
    await succeed(target, `/payment-requests/${id}/refund`, JSON.stringify({ amount: 7 }));
    return id;
  },
  cancelled: async (target: Target, { email, ...order }: Order) => {
    const body = JSON.stringify({ amount: 7, unit: 'EUR', clientName: payer.name, clientEmail: email, ...order });
    const id = await succeed(target, '/payment-requests', body);
    await succeed(target, `/payment-requests/${id}/cancel`);
    return id;
  },
} as const;

export type Kind = keyof typeof makers;
export type Templates = Readonly<Record<Kind, Template>>;

const statusOf = { paidByCallback: 2, paidAtOnce: 2, declined: 3, refunded: 4, cancelled: 5 } as const;

export async function makeTemplates(gateway: BenchGateway, merchants: readonly string[]): Promise<Templates[]> {
  const receiver = await startReceiver();
  const all: Templates[] = [];
  for (const merchant of merchants) {
    const target = { ...gateway, key: await gateway.createKey(merchant) };
    const made = new Map<Kind, Template>();
    for (const [kind, make] of Object.entries(makers) as [Kind, (typeof makers)[Kind]][]) {
      const email = `template-${kind}@shop.example`.toLowerCase();
      const id = await make(target, { email, notifyUrl: receiver.url, referenceId: `order-${kind}` });
      made.set(kind, await readTemplate(gateway, id, statusOf[kind]));
    }
    all.push(Object.fromEntries(made) as unknown as Templates);
  }
  await receiver.close();
  return all;
}

async function pay(target: Target, amount: number, { email, notifyUrl, referenceId }: Order): Promise<number> {
  const body = cardBody('4111111111111111', amount, { email, notifyUrl, referenceId });
  return succeed(target, `/payments/h2h/${providerCode}`, body);
}

async function succeed(target: Target, path: string, body?: string): Promise<number> {
  const { status, json } = await call(target, path, body);
  if (status !== 200) throw new Error(`POST ${path} was answered ${status}: ${JSON.stringify(json)}`);
  return json.paymentRequest.id as number;
}

/** Reads the documents once all follow-up work is done. */
async function readTemplate({ connection }: BenchGateway, id: number, statusId: number): Promise<Template> {
  const find = async (name: string, filter: Document): Promise<Document[]> =>
    connection.collection(name).find(filter).toArray();
  const ended = { statusId, outbox: { $size: 0 }, nextCheckAt: null };
  let found: Template | undefined;
  await until(`payment ${id} is completed`, async () => {
    const [payment] = await find('paymentRequests', { _id: id, ...ended });
    if (!payment) return false;
    const of = { paymentRequestId: id };
    const notifications = await find('notifications', { ...of, state: 'delivered' });
    const inbox = await find('inbox', { 'events.paymentRequestId': id, state: 'done' });
    const exchanges = await find('exchanges', of);
    const [client] = await find('clients', { _id: payment['clientId'] as number });
    const isWhole = notifications.length === payment['sequence'] && (statusId === 5 || exchanges.length > 0);
    if (isWhole && client) found = { payment, client, inbox, notifications, exchanges };
    return found !== undefined;
  });
  return found!;
}
