/** What the gateway does with very many payments stored, beside the same with those of a day. */
import type { StoredDatabase } from '../large/databases.ts';
import { removeAdded } from '../large/databases.ts';
import { readsOf } from '../large/reads.ts';
import { drained, measure, withGateway, type Bench } from '../measure.ts';
import type { Side } from '../records.ts';
import { submitAll } from './submits.ts';

const prefix = 'large: ';

export function isLarge(name: string): boolean {
  return name.startsWith(prefix);
}

/** `side`: the large one is ours, what it is compared with theirs. */
export async function measureStored(bench: Bench, side: Side, database: StoredDatabase): Promise<void> {
  const record = (name: string, value: number): void => bench.record(`${prefix}${name}`, side, value);
  const { mongodbUri } = database;
  await removeAdded(database);
  await withGateway(bench, { workers: 2, mongodbUri, keepsDatabase: true }, async (gateway) => {
    // Reads first: they see nothing but what is stored.
    for (const [name, messages] of await readsOf(gateway, database, bench.count)) {
      await measure(bench, gateway.port, messages.slice(0, Math.ceil(messages.length / 4))); // warms it up
      record(name, (await measure(bench, gateway.port, messages)).perSecond);
    }
    const { ackedPerSecond, drainedPerSecond } = await drained(bench, gateway);
    record('ack, workers held', ackedPerSecond);
    record('drain, 2 workers', drainedPerSecond);
    const { plain, keyed, notified } = await submitAll(bench, gateway, Math.ceil(bench.count / 5));
    record('submit', plain);
    record('submit with Idempotency-Key', keyed);
    record('submit with notifyUrl', notified);
  });
}
