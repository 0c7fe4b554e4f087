/** Every kind of query that a merchant can send about the stored data. */
import { clientIdOf } from '../../../core/database/collections/client.ts';
import { DAY } from '../../../core/base/async/time.ts';
import { providerCode } from '../../faults/provider.ts';
import type { BenchGateway } from '../bench-gateway.ts';
import { request } from '../wire.ts';
import { blocksPerDay, blockSize, firstId, placeAtAge, rareProvider, regularEmail } from './blocks.ts';
import type { StoredDatabase } from './databases.ts';

type Messages = readonly string[];

/**
 * Requests by name. Each has an equally long response from both databases, as long as no page is longer than the
 * payments of a day.
 */
export async function readsOf(
  { key, connection }: BenchGateway,
  { payments, lastDay }: StoredDatabase,
  count: number,
): Promise<ReadonlyMap<string, Messages>> {
  const first = await connection.collection<{ _id: number }>('paymentRequests').findOne({ _id: firstId });
  const { ownerId, environment } = first as unknown as { readonly ownerId: number; readonly environment: 'test' };
  const clientId = (email: string): number => clientIdOf({ ownerId, environment, emailKey: email }, 0);

  const blocks = payments / blockSize;
  const placeAt = (age: number): number => placeAtAge(payments, age);
  const ids = (length: number, oldest: number): number[] =>
    Array.from({ length }, (_, at) => firstId + placeAt((oldest * at) / length) + (at % blockSize));
  const fewer = Math.ceil(count / 10);
  const newest = ids(fewer, Math.min(1, (20 * blockSize) / payments));
  const middleMs = Date.parse(lastDay) + DAY - (blocks / blocksPerDay / 2) * DAY;
  const cursor = Buffer.from(`${Math.floor(middleMs)}-${firstId + placeAt(0.5)}`).toString('base64url');
  const headers = { 'X-API-Key': key, Accept: 'application/json' };
  const get = (path: string): string => request('GET', path, headers);
  const many = (path: string): Messages => Array.from({ length: fewer }, () => get(path));
  const list = (query: string): Messages => many(`/payment-requests?${query}`);

  return new Map([
    ['read by id', ids(Math.ceil(count / 5), 1).map((id) => get(`/payment-requests/${id}`))],
    ['timeline', newest.map((id) => get(`/payment-requests/${id}/timeline`))],
    ['list', list('limit=50')],
    ['list, a page in the middle', list(`limit=50&cursor=${cursor}`)],
    ['list, createdFrom and createdTo', list(`createdFrom=${lastDay}T00:00:00Z&createdTo=${lastDay}T12:00:00Z`)],
    ['list, status=2', list('status=2')],
    ['list, status=4', list('status=4')],
    ['list, status=0, none is', list('status=0')],
    ['list, referenceId', list(`referenceId=order-${placeAt(0.5)}`)],
    ['list, clientId', list(`clientId=${clientId(`client-${placeAt(0.5) / 5}@shop.example`)}`)],
    ['list, clientId of a regular client', list(`limit=10&clientId=${clientId(regularEmail)}`)],
    ['list, clientId and status', list(`limit=10&status=2&clientId=${clientId(regularEmail)}`)],
    ['list, providerId', list(`providerId=${providerCode}`)],
    ['list, providerId of few', list(`limit=1&providerId=${rareProvider}`)],
    ['list, providerId of none', list(`providerId=${rareProvider + 1}`)],
    ['list, providerId=0', list('providerId=0')],
    ['list, methodId', list('methodId=1')],
    ['list, methodId of none', list('methodId=2')],
    ['notifications', many('/notifications?limit=50')],
    ['notifications, state=delivered', many('/notifications?state=delivered')],
    ['notifications, state=exhausted, none is', many('/notifications?state=exhausted')],
    ['notifications, type', many('/notifications?type=payment.succeeded')],
    ['notifications, type of none', many('/notifications?type=payment.charged_back')],
    ['notifications, paymentRequestId', many(`/notifications?paymentRequestId=${newest[0]!}`)],
    ['report of a day', many(`/reports/payments?from=${lastDay}&to=${lastDay}`)],
  ]);
}
