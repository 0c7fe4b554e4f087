import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { idempotencyRecordModel } from '../../database/collections/idempotency-record.ts';
import { GatewayError } from '../../base/errors.ts';
import { testEncrypter } from '../../base/testing/test-encrypter.ts';
import { createIdempotency } from './idempotency.ts';
import type { Beginning, Idempotency, KeyedRequest } from './idempotency.ts';
import { expectRefusal } from './testing/expect-refusal.ts';
import { openTestDatabase } from './testing/test-database.ts';
import type { TestDatabase } from './testing/test-database.ts';

const leaseMs = 60_000;
/** Longer than the time between two steps of a test. */
const aWhile = 10_000;
const day = 24 * 3_600_000;
const response = { status: 200, headers: { location: '/payment-requests/7' }, body: { result: 'OK', amount: '1.50' } };

describe('createIdempotency', () => {
  const now = (): Date => new Date();
  const encrypter = testEncrypter();
  let database: TestDatabase;
  let here: Idempotency;
  /** A second process. */
  let there: Idempotency;
  let request: KeyedRequest;
  let count = 0;

  before(async () => {
    database = await openTestDatabase();
    here = createIdempotency({ connection: database.here, encrypter, now });
    there = createIdempotency({ connection: database.there, encrypter, now });
  });
  after(() => database.drop());
  beforeEach(() => {
    count += 1;
    request = { ownerId: 1, environment: 'test', key: `order ${count}`, fingerprint: 'f1', requestId: 'r1' };
  });

  /** Moves the ends of all leases into the past. */
  async function passLease(ms: number): Promise<void> {
    await idempotencyRecordModel(database.here).updateMany(
      {},
      [{ $set: { leaseUntil: { $subtract: ['$leaseUntil', ms] } } }],
      { updatePipeline: true },
    );
  }

  /** A process at a later time. */
  const later = (ms: number): Idempotency =>
    createIdempotency({ connection: database.there, encrypter, now: () => new Date(Date.now() + ms) });

  async function beginNew(by = here) {
    const beginning = await by.begin(request);
    if (beginning.state !== 'new') throw new Error(`expected new, not ${beginning.state}`);
    return beginning.record;
  }

  it('holds a key as long as its request runs, even past the lease, and not longer', async () => {
    const quick = createIdempotency({ connection: database.here, encrypter, now, leaseMs: 800 });
    const record = await beginNew(quick);
    const model = idempotencyRecordModel(database.here);
    const endOf = async () => (await model.findById(record.id).lean())!.leaseUntil.getTime();
    const first = await endOf();
    const stopRenewal = quick.hold(record);
    try {
      while ((await endOf()) <= first + 800) await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await model.exists({ _id: record.id, 'lease.token': record.token })).not.to.equal(null);
    } finally {
      stopRenewal();
    }
    await quick.complete(record, response);
    expect((await there.begin(request)).state).to.equal('replay');
  });

  /** The number of concurrent requests with the key, at two processes, that may start. */
  async function beginMany(times: number): Promise<Beginning['state'][]> {
    const begin = async (at: number) => {
      try {
        return (await (at % 2 ? here : there).begin(request)).state;
      } catch (error) {
        if (error instanceof GatewayError && error.kind === 'IDEMPOTENCY_CONFLICT') return undefined;
        throw error;
      }
    };
    const all = await Promise.all(Array.from({ length: times }, (_, at) => begin(at)));
    return all.filter((state) => state !== undefined);
  }

  it('allows exactly one of fifty concurrent requests to start', async () => {
    expect(await beginMany(50)).to.deep.equal(['new']);
    const { message } = await expectRefusal('IDEMPOTENCY_CONFLICT', () => there.begin(request));
    expect(message).to.contain('still running');
  });

  it('replays the answer to the same request, for 24 hours', async () => {
    await here.complete(await beginNew(), response);
    expect(await there.begin(request)).to.deep.equal({ state: 'replay', response });
    const again = { ...request, requestId: 'r2' };
    expect(await later(day - aWhile).begin(again)).to.deep.equal({ state: 'replay', response });
    const late = await Promise.allSettled(Array.from({ length: 20 }, async () => later(day).begin(request)));
    const begun = late.flatMap((one) => (one.status === 'fulfilled' ? [one.value.state] : []));
    expect(begun).to.deep.equal(['new']);
  });

  it('refuses a different request with the key, while the first runs and afterwards', async () => {
    const record = await beginNew();
    const refuse = async () => {
      const { message } = await expectRefusal('IDEMPOTENCY_CONFLICT', () =>
        there.begin({ ...request, fingerprint: 'f2' }),
      );
      expect(message).to.contain('another request');
    };
    await refuse();
    await here.complete(record, response);
    await refuse();
    await passLease(leaseMs);
    await refuse();
  });

  it('keeps keys of owners and environments apart', async () => {
    await beginNew();
    expect((await here.begin({ ...request, ownerId: 2 })).state).to.equal('new');
    expect((await here.begin({ ...request, environment: 'live' })).state).to.equal('new');
  });

  it('allows a key again after it was abandoned', async () => {
    await here.abandon(await beginNew());
    await here.complete(await beginNew(there), response);
    expect((await here.begin(request)).state).to.equal('replay');
  });

  it('stores neither key nor answer as plain text', async () => {
    await here.complete(await beginNew(), response);
    const stored = await idempotencyRecordModel(database.here).find({}, null, { lean: true, promoteBuffers: true });
    const bytes = Buffer.concat(stored.map(({ response: encrypted }) => encrypted ?? Buffer.alloc(0)));
    expect(JSON.stringify(stored)).to.not.contain(request.key);
    expect(bytes.includes('payment-requests')).to.equal(false);
  });

  describe('begin, after the process of the first request died', () => {
    it('starts again for exactly one caller if there was no payment request', async () => {
      const dead = await beginNew();
      await passLease(leaseMs - aWhile);
      expect(await beginMany(2)).to.deep.equal([]);
      await passLease(aWhile);
      expect(await beginMany(20)).to.deep.equal(['new']);
      await expectRefusal('IDEMPOTENCY_CONFLICT', () => here.bindPayment(dead, 7));
    });

    it('allows one caller to resolve the key from its payment request, and then replays the answer', async () => {
      await here.bindPayment(await beginNew(), 7);
      await passLease(leaseMs);
      const beginning = await there.begin(request);
      if (beginning.state !== 'resolve') throw new Error(`expected resolve, not ${beginning.state}`);
      expect(beginning.paymentRequestId).to.equal(7);
      expect(await beginMany(4)).to.deep.equal([]);
      await passLease(leaseMs);
      expect(await beginMany(20)).to.deep.equal(['resolve']);
      await passLease(leaseMs);
      const last = await here.begin(request);
      if (last.state !== 'resolve') throw new Error(`expected resolve, not ${last.state}`);
      await here.complete(beginning.record, { ...response, status: 500 });
      await here.complete(last.record, response);
      expect(await there.begin(request)).to.deep.equal({ state: 'replay', response });
      expect((await later(day).begin(request)).state).to.equal('new');
    });

    it('starts again with a released key immediately, with the same operation id', async () => {
      const first = await beginNew();
      await here.release(first);
      const second = await there.begin(request);
      if (second.state !== 'new') throw new Error(`expected new, not ${second.state}`);
      expect([second.record.operationId, second.record.token === first.token]).to.deep.equal([
        first.operationId,
        false,
      ]);
      expect(await beginMany(2)).to.deep.equal([]);
      await here.release(first); // Too late: it is another's.
      expect(await beginMany(2)).to.deep.equal([]);
    });

    it('returns another operation id once the key is reused', async () => {
      const first = await beginNew();
      await here.abandon(first);
      expect((await beginNew(later(1000))).operationId).not.to.equal(first.operationId);
    });

    it('renews the lease when the payment request is named', async () => {
      const record = await beginNew();
      await passLease(leaseMs - aWhile);
      await here.bindPayment(record, 7);
      await passLease(leaseMs - aWhile);
      expect(await beginMany(2)).to.deep.equal([]);
      await here.complete(record, response);
      expect((await there.begin(request)).state).to.equal('replay');
    });

    it('does not complete, abandon or name a payment once another process took over', async () => {
      const slow = await beginNew();
      await passLease(leaseMs);
      const record = await beginNew(there);
      await here.complete(slow, { ...response, status: 500 });
      await here.abandon(slow);
      await expectRefusal('IDEMPOTENCY_CONFLICT', () => here.bindPayment(slow, 7));
      await there.bindPayment(record, 8);
      await there.complete(record, response);
      expect(await here.begin(request)).to.deep.equal({ state: 'replay', response });
    });

    it('does not miss a payment that is named between the read and the takeover', async () => {
      const slow = await beginNew();
      await passLease(leaseMs);
      const model = idempotencyRecordModel(database.there);
      const look = async (id: string) => {
        Reflect.deleteProperty(model, 'findById');
        const found = await model.findById(id, null, { lean: true, promoteBuffers: true });
        await here.bindPayment(slow, 7);
        return found;
      };
      Object.assign(model, { findById: look });
      const { message } = await expectRefusal('IDEMPOTENCY_CONFLICT', () => there.begin(request));
      expect(message).to.contain('still running');
      await here.complete(slow, response);
      expect((await there.begin(request)).state).to.equal('replay');
    });

    it('never allows both a slow process and its successor to continue', async () => {
      for (let round = 0; round < 25; round += 1) {
        request = { ...request, key: `race ${round}` };
        const slow = await beginNew();
        await passLease(leaseMs);
        const [bound, begun] = await Promise.allSettled([here.bindPayment(slow, 7), there.begin(request)]);
        const took = begun.status === 'fulfilled' && begun.value.state === 'new';
        expect(bound.status === 'fulfilled', `round ${round}`).to.equal(!took);
      }
    });
  });

  for (const [length, allowed] of [
    [0, false],
    [1, true],
    [255, true],
    [256, false],
  ] as const) {
    it(`${allowed ? 'allows' : 'refuses'} a key of ${length} characters`, async () => {
      const begin = () => here.begin({ ...request, key: 'k'.repeat(length) });
      if (allowed) expect((await begin()).state).to.equal('new');
      else expect((await expectRefusal('INVALID_FORMAT', begin)).details['field']).to.equal('Idempotency-Key');
    });
  }

  it('is deleted by the database once it has expired', async () => {
    const indexes = await idempotencyRecordModel(database.here).listIndexes();
    expect(indexes.find(({ key }) => 'expireAt' in key)).to.have.property('expireAfterSeconds', 0);
  });
});
