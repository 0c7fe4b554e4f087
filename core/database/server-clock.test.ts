import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { withWrongClock } from '../base/testing/wrong-clock.ts';
import { HOUR } from '../base/async/time.ts';
import { connectDatabase, type Database } from './connect.ts';
import { followServerClock } from './server-clock.ts';
import { testDatabaseUri } from './testing/test-database-uri.ts';

describe('followServerClock', () => {
  let database: Database;
  before(async () => {
    const uri = testDatabaseUri(`clock_${randomUUID().slice(0, 8)}`);
    database = await connectDatabase(uri, { log: pino({ level: 'silent' }) });
  });
  after(async () => database.close());

  const apartMs = (one: Date, other: Date): number => Math.abs(one.getTime() - other.getTime());

  it('returns the time of the process if it agrees with the server’s time', async () => {
    const clock = await followServerClock(database.connection);
    const from = Date.now();
    const now = clock.now().getTime();
    expect(now).to.be.within(from, Date.now());
    clock.stop();
  });

  for (const aheadMs of [HOUR, -HOUR, 60_000]) {
    it(`returns the server’s time if the process’s is ${aheadMs / 1000} s ahead, from the start or later`, async () => {
      const began = new Date();
      const clock = await withWrongClock(aheadMs, async () => followServerClock(database.connection));
      const wrong = await withWrongClock(aheadMs, async () => clock.now());
      expect(apartMs(wrong, began)).to.be.below(20_000);
      const corrected = clock.now();
      expect(apartMs(corrected, new Date())).to.be.below(5000);
      clock.stop();
    });
  }
});
