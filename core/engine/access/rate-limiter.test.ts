import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { rateWindowModel } from '../../database/collections/rate-window.ts';
import { GatewayError } from '../../base/errors.ts';
import { until } from '../../base/testing/until.ts';
import {
  createRateLimiter,
  mailsPerAddressAndHour,
  rateLimitHeaders,
  testMailsPerOwnerAndHour,
} from './rate-limiter.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { expectRefusal } from './testing/expect-refusal.ts';
import { countOperations, createTestClock, openTestDatabase } from './testing/test-database.ts';
import type { TestDatabase } from './testing/test-database.ts';

describe('createRateLimiter', () => {
  const clock = createTestClock();
  let database: TestDatabase;
  let here: RateLimiter;
  /** A second process. */
  let there: RateLimiter;
  let key: string;
  let count = 0;

  before(async () => {
    database = await openTestDatabase();
    here = createRateLimiter({ connection: database.here, now: clock.now });
    there = createRateLimiter({ connection: database.there, now: clock.now });
  });
  after(() => database.drop());
  beforeEach(() => {
    count += 1;
    key = `key_${count}`;
  });

  describe('takeMail', () => {
    const mail = { ownerId: 1, isTest: false, addressHash: 'an address' };

    it('refuses more mails to one address in an hour, whichever process and owner sends them', async () => {
      for (let sent = 0; sent < mailsPerAddressAndHour; sent += 1)
        await (sent % 2 ? here : there).takeMail({ ...mail, ownerId: sent });
      const error = await expectRefusal('RATE_LIMIT_EXCEEDED', () => here.takeMail(mail));
      const retryAfter = 3600 - Math.floor((clock.now().getTime() / 1000) % 3600);
      expect(error.details).to.deep.equal({ limit: mailsPerAddressAndHour, window: '1h', retryAfter });
      expect(error.headers).to.include({ 'Retry-After': `${retryAfter}` });
      await here.takeMail({ ...mail, addressHash: 'another address' });
      clock.advance(retryAfter * 1000);
      await here.takeMail(mail);
    });

    it("limits the mails of an owner's test payments, and not those of live payments", async () => {
      const send = async (at: number, isTest: boolean): Promise<void> =>
        here.takeMail({ ownerId: 7, isTest, addressHash: `address ${at}` });
      for (let at = 0; at < testMailsPerOwnerAndHour; at += 1) await send(at, true);
      await expectRefusal('RATE_LIMIT_EXCEEDED', async () => send(1000, true));
      await send(1001, false);
      await here.takeMail({ ownerId: 8, isTest: true, addressHash: 'address 1002' });
    });
  });

  /** The requests that were allowed. */
  async function passed(takes: readonly (() => Promise<unknown>)[]): Promise<boolean[]> {
    const results: boolean[] = [];
    for (const take of takes) results.push(await isLet(take()));
    return results;
  }

  async function isLet(taking: Promise<unknown>): Promise<boolean> {
    try {
      await taking;
      return true;
    } catch (error) {
      if (error instanceof GatewayError && error.kind === 'RATE_LIMIT_EXCEEDED') return false;
      throw error;
    }
  }

  for (const limit of [1, 5, 60]) {
    const expected = [...Array<boolean>(limit).fill(true), ...Array<boolean>(8).fill(false)];

    it(`allows the first ${limit} for a limit of ${limit}, in one process and in two that alternate`, async () => {
      expect(await passed(expected.map(() => () => here.take(`${key}-one`, limit)))).to.deep.equal(expected);
      const turns = expected.map((_, at) => () => (at % 2 ? here : there).take(key, limit));
      expect(await passed(turns)).to.deep.equal(expected);
    });

    it(`allows the first ${limit} for a limit of ${limit} when one process gets only the first of them`, async () => {
      const turns = expected.map((_, at) => () => (at === 0 ? here : there).take(key, limit));
      expect(await passed(turns)).to.deep.equal(expected);
    });
  }

  it('allows exactly the limit when all come at the same time, and counts many in one write', async () => {
    const operations = countOperations(database.here, 'rateWindows');
    const all = await Promise.all(Array.from({ length: 200 }, (_, at) => isLet((at % 2 ? here : there).take(key, 73))));
    expect(all.filter(Boolean)).to.have.length(73);
    expect(operations.count).to.be.lessThan(10);
  });

  it('counts a busy key with few writes, and allows exactly the limit', async () => {
    const operations = countOperations(database.here, 'rateWindows');
    const remaining: number[] = [];
    for (let at = 0; at < 600; at += 1) remaining.push((await here.take(key, 600)).remaining);
    expect(remaining).to.deep.equal(Array.from({ length: 600 }, (_, at) => 599 - at));
    expect(await isLet(here.take(key, 600))).to.equal(false);
    expect(operations.count).to.be.lessThan(90);
  });

  it('never allows more than the limit in two processes with reserved permits, and loses few of them', async () => {
    const sides = [here, there, there, here, there];
    const all = await passed(Array.from({ length: 700 }, (_, at) => () => sides[at % 5]!.take(key, 600)));
    expect(all.filter(Boolean)).to.have.length(600);
    const key2 = `${key}-quiet`;
    const quiet = await passed(Array.from({ length: 100 }, () => () => here.take(key2, 600)));
    const busy = await passed(Array.from({ length: 600 }, () => () => there.take(key2, 600)));
    const allowed = [...quiet, ...busy].filter(Boolean).length;
    expect(allowed).to.be.within(600 - 600 / 16, 600);
    const rest = await passed(Array.from({ length: 100 }, () => () => here.take(key2, 600)));
    expect(allowed + rest.filter(Boolean).length).to.equal(600);
  });

  it('reserves no more permits than it used, so a process that sends one request takes one', async () => {
    await here.take(key, 600);
    expect(await there.take(key, 600)).to.have.property('remaining', 598);
  });

  it('returns the limit, the remaining requests and the end of the minute', async () => {
    expect(await here.take(key, 3)).to.deep.equal({ limit: 3, remaining: 2, resetSeconds: 50 });
    const taken = await there.take(key, 3);
    expect(rateLimitHeaders(taken)).to.deep.equal({
      'RateLimit-Limit': '3',
      'RateLimit-Remaining': '1',
      'RateLimit-Reset': '50',
    });
    await here.take(key, 3);
    const { details, headers } = await expectRefusal('RATE_LIMIT_EXCEEDED', () => there.take(key, 3));
    expect(details).to.deep.equal({ limit: 3, window: '1m', retryAfter: 50 });
    expect(headers).to.deep.equal({
      'Retry-After': '50',
      'RateLimit-Limit': '3',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '50',
    });
  });

  it('writes nothing more once the limit of the minute is used up', async () => {
    const fill = Array.from({ length: 3 }, () => () => here.take(key, 2));
    await passed(fill);
    const operations = countOperations(database.here, 'rateWindows');
    expect(await passed(fill)).to.deep.equal([false, false, false]);
    expect(operations.count).to.equal(0);
  });

  it('starts again with each minute of the clock', async () => {
    const minuteClock = createTestClock('2026-03-01T12:00:59.999Z');
    const limiter = createRateLimiter({ connection: database.here, now: minuteClock.now });
    expect(await limiter.take(key, 1)).to.have.property('resetSeconds', 1);
    expect(await isLet(limiter.take(key, 1))).to.equal(false);
    minuteClock.advance(1);
    expect(await limiter.take(key, 1)).to.have.property('resetSeconds', 60);
    expect(await isLet(limiter.take(key, 1))).to.equal(false);
  });

  it('counts the entries of batches separately from requests, all or none, across processes', async () => {
    const takes = [60, 50, 40, 1].map(
      (entries, at) => async () => (at % 2 ? there : here).takeEntries(key, 100, entries),
    );
    expect(await passed(takes)).to.deep.equal([true, false, true, false]);
    expect((await here.take(key, 100)).remaining).to.equal(99);
  });

  it('counts each key separately', async () => {
    expect(await passed([() => here.take(key, 1), () => here.take(`${key}-b`, 1)])).to.deep.equal([true, true]);
  });

  it('applies a limit that changes within the minute, and does not count refused requests', async () => {
    await passed(Array.from({ length: 10 }, () => () => here.take(key, 2)));
    await Promise.all(Array.from({ length: 10 }, () => isLet(there.take(key, 2))));
    expect(await here.take(key, 4)).to.have.property('remaining', 1);
    expect(await isLet(there.take(key, 3))).to.equal(false);
    expect(await there.take(key, 4)).to.have.property('remaining', 0);
    expect(await isLet(here.take(key, 4))).to.equal(false);
  });

  it('fails waiting requests when the database fails, and continues afterwards', async () => {
    const model = rateWindowModel(database.here);
    let failures = 0;
    let fail = (): void => undefined;
    const away = new Promise<never>((_, reject) => {
      fail = () => reject(new Error('away'));
    });
    const findOneAndUpdate = async () => {
      failures += 1;
      return away;
    };
    Object.assign(model, { findOneAndUpdate });
    const taken = [here.take(key, 5)];
    await until('a count is in progress', () => failures === 1);
    taken.push(here.take(key, 5), here.take(key, 5));
    fail();
    const results = await Promise.allSettled(taken);
    Reflect.deleteProperty(model, 'findOneAndUpdate');
    expect(results.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected', 'rejected']);
    expect(failures).to.equal(2);
    expect(await here.take(key, 5)).to.have.property('remaining', 4);
  });

  it('forgets earlier minutes', async () => {
    const indexes = await rateWindowModel(database.here).listIndexes();
    expect(indexes.find(({ key: on }) => 'expireAt' in on)).to.have.property('expireAfterSeconds', 0);
    await here.take(key, 1);
    const [window] = await rateWindowModel(database.here).find({ _id: new RegExp(`^${key}:`) });
    expect(window?.expireAt).to.deep.equal(new Date('2026-03-01T12:02:00Z'));
  });
});
