import { testDatabaseUri } from '../../../database/testing/test-database-uri.ts';
import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { pino } from 'pino';
import { apiKeyModel } from '../../../database/collections/api-key.ts';
import { ensureCollections } from '../../../database/collections.ts';
import { connectDatabase } from '../../../database/connect.ts';
import { idempotencyRecordModel } from '../../../database/collections/idempotency-record.ts';
import { operatorModel } from '../../../database/collections/operator.ts';
import { ownerModel } from '../../../database/collections/owner.ts';
import { rateWindowModel } from '../../../database/collections/rate-window.ts';

export interface TestDatabase {
  /** Two connections to one database, like those of two processes. */
  readonly here: Connection;
  readonly there: Connection;
  /** Drops the database and closes both. */
  drop(): Promise<void>;
}

/** A new database on the server at `TEST_MONGODB_URI`, with the indexes of this folder. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const name = `access_${randomBytes(6).toString('hex')}`;
  const uri = testDatabaseUri(name);
  const log = pino({ level: 'silent' });
  const [here, there] = await Promise.all([
    connectDatabase(uri, { log, patience: 'endless' }),
    connectDatabase(uri, { log, patience: 'endless' }),
  ]);
  await ensureCollections(here.connection, log, [
    ownerModel,
    apiKeyModel,
    operatorModel,
    rateWindowModel,
    idempotencyRecordModel,
  ]);
  return {
    here: here.connection,
    there: there.connection,
    async drop() {
      await here.connection.dropDatabase();
      await Promise.all([here.close(), there.close()]);
    },
  };
}

/** Counts the operations on a collection that the connection sends from now on. */
export function countOperations(connection: Connection, collection: string): { readonly count: number } {
  const counter = { count: 0 };
  connection.set('debug', (name: string) => {
    if (name === collection) counter.count += 1;
  });
  return counter;
}

/** A clock that stands still until a test advances it. */
export function createTestClock(start = '2026-03-01T12:00:10Z'): {
  readonly now: () => Date;
  advance(ms: number): void;
} {
  let time = Date.parse(start);
  return {
    now: () => new Date(time),
    advance(ms) {
      time += ms;
    },
  };
}
