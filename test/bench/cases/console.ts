/** The response time of each page of the console, one request after the other, as a person requests them. */
import { mongo } from 'mongoose';
import type { BenchGateway } from '../bench-gateway.ts';
import { firstId, placeAtAge, regularEmail } from '../large/blocks.ts';

/** Visits per page, after one visit that does not count. */
const timesEach = 20;

export interface PageTimes {
  readonly name: string;
  /** The slowest response, in milliseconds. */
  readonly slowestMs: number;
}

/** The slowest response of each page. Throws if a response is not the expected page. */
export async function* pageTimes(gateway: BenchGateway, payments: number): AsyncGenerator<PageTimes> {
  const { url, cookie } = await signIn(gateway);
  for (const [name, path] of await pagesOf(gateway, payments)) {
    const times: number[] = [];
    for (let time = 0; time <= timesEach; time += 1) {
      const began = performance.now();
      const response = await fetch(`${url}${path}`, { headers: { Cookie: cookie }, redirect: 'manual' });
      const text = await response.text();
      if (time > 0) times.push(performance.now() - began);
      if (response.status !== 200) throw new Error(`${path} answers ${response.status}: ${text.slice(0, 200)}`);
    }
    yield { name, slowestMs: Math.max(...times) };
  }
}

async function signIn(gateway: BenchGateway): Promise<{ readonly url: string; readonly cookie: string }> {
  const { url, key } = await gateway.openConsole();
  const body = new URLSearchParams({ key });
  const response = await fetch(`${url}/ops/sign-in`, { method: 'POST', body, redirect: 'manual' });
  const cookie = response.headers.get('set-cookie')?.split(';')[0];
  if (response.status !== 303 || !cookie) throw new Error(`the console did not accept the sign-in: ${response.status}`);
  return { url, cookie };
}

/** Every page, and every kind of search. The search targets are in the middle of the stored data. */
async function pagesOf({ connection }: BenchGateway, payments: number): Promise<ReadonlyMap<string, string>> {
  const id = firstId + placeAtAge(payments, 0.5);
  const place = id - firstId;
  const payment = (await connection.collection<mongo.BSON.Document>('paymentRequests').findOne({ _id: id as never }))!;
  const [attempt] = payment['attempts'] as readonly { readonly providerReference: string }[];
  const callback = await connection.collection('inbox').findOne({}, { sort: { receivedAt: -1 } });
  const search = (query: string): string => `/ops/payments?${query}`;
  const email = encodeURIComponent(`client-${place / 5}@shop.example`);
  return new Map([
    ['now', '/ops'],
    ['payments', '/ops/payments'],
    ['payments by id', search(`text=${id}`)],
    ['payments by reference', search(`text=order-${place}`)],
    ["payments by provider's reference", search(`text=${encodeURIComponent(attempt!.providerReference)}`)],
    ['payments by e-mail', search(`text=${email}`)],
    ['payments by e-mail, a regular client', search(`text=${encodeURIComponent(regularEmail)}`)],
    ['payments by amount', search('amount=7&unit=EUR')],
    ['payments by amount, none is', search('amount=7.77')],
    ['payments by last four', search('lastFour=1111')],
    ['payments by last four, none is', search('lastFour=0000')],
    ['payments by amount and last four', search('amount=7&lastFour=1111')],
    ['payments by time', search(`from=${timeAt(payment, -60)}&to=${timeAt(payment, 60)}`)],
    ['payments by merchant', search('owner=Shop')],
    ['payments by status', search('status=failed')],
    ['payments by status, none is', search('status=created')],
    ['payments, a page of one payment', `/ops/payments/${id}`],
    ['payments to check', '/ops/checks'],
    ['callbacks', '/ops/callbacks'],
    ['callbacks that wait', '/ops/callbacks?state=waiting'],
    ['callbacks, the dead letters of an adapter', '/ops/callbacks?state=dead_letter&adapter=faults'],
    ['callbacks, a page of one', `/ops/callbacks/${encodeURIComponent(String(callback!._id))}`],
    ['notifications', '/ops/notifications'],
    ['notifications that wait', '/ops/notifications?state=waiting'],
    ['notifications that fail', '/ops/notifications?state=failing'],
    ['notifications that are exhausted', '/ops/notifications?state=exhausted'],
    ['alarms', '/ops/alarms'],
    ['jobs', '/ops/jobs'],
    ['adapters', '/ops/adapters'],
    ['adapters, a page of one', '/ops/adapters/faults'],
    ['merchants', '/ops/merchants'],
    ['merchants, a page of one', `/ops/merchants/${payment['ownerId'] as number}`],
    ['settlement', '/ops/settlement'],
    ['audit', '/ops/audit'],
  ]);
}

function timeAt(payment: mongo.BSON.Document, minutes: number): string {
  return new Date((payment['createdAt'] as Date).getTime() + minutes * 60_000).toISOString().slice(0, 16);
}
