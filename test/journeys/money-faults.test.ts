/** State that is left behind when something on our side fails half-way. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { relayOutbox } from '../../workers/jobs/relay-outbox.ts';
import { noLease } from '../../core/database/lease.ts';
import { cardBody, payer } from '../support/bodies.ts';
import { startGateway, type Answer, type TestGateway } from '../support/start-gateway.ts';
import { makeDue, toTestPayment, type TestPayment, type View } from '../support/scenarios.ts';

describe('when our side fails half-way', () => {
  let gateway: TestGateway;
  let restoreWrites: () => void = () => undefined;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-b', 'provider-f', 'token'],
      config: (config) => (config.keys.liveKeys = true),
    });
  });
  afterEach(() => restoreWrites());
  after(async () => gateway.close());

  // oxlint-disable-next-line typescript/no-explicit-any -- documents as MongoDB has them
  type Kept = any;
  const collection = (name: string) => gateway.gateway.connection.collection<Kept>(name);
  const payments = () => collection('paymentRequests');
  const loadPayment = async (id: number): Promise<View> => payments().findOne({ _id: id });

  /** Makes the n-th change of a payment request fail, as when the database is down. */
  function failChange(nth: number): void {
    let changes = 0;
    interceptWrites(async (operations, write) => {
      changes += operations.filter((one) => 'version' in (one.updateOne?.filter ?? {})).length;
      if (changes < nth) return write();
      changes = -Infinity;
      throw new Error('the database is down');
    });
  }

  /** Runs `bent` in place of the usual writes to payment requests. */
  function interceptWrites(intercept: (operations: Kept[], write: () => Promise<Kept>) => Promise<Kept>): void {
    const { collection: native } = gateway.gateway.connection.models['PaymentRequest']!;
    const usual = native.bulkWrite.bind(native) as (...given: unknown[]) => Promise<Kept>;
    Object.assign(native, {
      bulkWrite: async (operations: Kept[], options: unknown) =>
        intercept(operations, async () => usual(operations, options)),
    });
    restoreWrites = () => Reflect.deleteProperty(native, 'bulkWrite');
  }

  const newRequest = async (): Promise<number> =>
    toTestPayment(gateway, await gateway.post('/payment-requests', { amount: 25.9, unit: 'EUR' })).id;
  const makePaidPayment = async (): Promise<TestPayment> => {
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody('4111111111111111')));
    await payment.waitForStatus(2);
    return payment;
  };

  for (const [what, path, body, prepare, ends] of [
    ['a payment', (id: number) => `/payments/creditCard/${id}`, cardBody('4111111111111111'), newRequest, 2],
    [
      'a refund',
      (id: number) => `/payment-requests/${id}/refund`,
      { amount: 25.9 },
      async () => (await makePaidPayment()).id,
      4,
    ],
    ['a cancellation', (id: number) => `/payment-requests/${id}/cancel`, undefined, newRequest, 5],
  ] as const) {
    it(`performs ${what} that never started when it is sent again under its key`, async () => {
      const id = await prepare();
      const send = async (): Promise<Answer> => gateway.post(path(id), body, { 'Idempotency-Key': `${what} ${id}` });
      failChange(1);
      expect((await send()).json.code).to.equal('SYS001');
      restoreWrites();
      const again = await send();
      expect(again.status, again.text).to.equal(200);
      await toTestPayment(gateway, again).waitForStatus(ends);
      expect((await send()).text).to.equal(again.text);
    });
  }

  it('never pays or refunds twice under one key, whatever failed after the call to the provider', async () => {
    const id = await newRequest();
    const pay = async () =>
      gateway.post(`/payments/creditCard/${id}`, cardBody('4111111111111111'), { 'Idempotency-Key': `pay ${id}` });
    failChange(2);
    expect((await pay()).json.code).to.equal('SYS001');
    restoreWrites();
    expect((await pay()).status).to.equal(200);
    await toTestPayment(gateway, {
      headers: new Headers({ 'x-payment-request-id': String(id) }),
    } as Answer).waitForStatus(2);
    expect((await loadPayment(id)).attempts).to.have.length(1);

    const refund = async () =>
      gateway.post(`/payment-requests/${id}/refund`, { amount: 10 }, { 'Idempotency-Key': `refund ${id}` });
    failChange(2);
    const before = Date.now();
    expect((await refund()).json.code).to.equal('SYS001');
    restoreWrites();
    // A worker waits as long as the call may take, plus ten seconds.
    const { callTimeoutMs } = gateway.run.config.provider;
    expect((await loadPayment(id)).nextCheckAt.getTime()).to.be.at.least(before + callTimeoutMs + 10_000);
    expect((await refund()).status).to.equal(200);
    expect((await loadPayment(id)).refunds).to.have.length(1);
  });

  it('refunds from each charge of a payment that was charged twice', async () => {
    const [kept, other] = [await makePaidPayment(), await makePaidPayment()];
    // Simulates a second charge as a second attempt of the first payment.
    const [{ attempts }, second] = [await loadPayment(kept.id), await loadPayment(other.id)];
    const both = [...attempts, { ...second.attempts[0], n: 2 }];
    await payments().updateOne({ _id: kept.id }, { $set: { attempts: both } });
    const refund = async (amount?: number): Promise<Answer> =>
      gateway.post(`/payment-requests/${kept.id}/refund`, amount === undefined ? undefined : { amount });
    expect((await refund(51.81)).json.details.errors[0].message).to.equal('more than is left to refund: 51.80 EUR');
    expect([(await refund(26)).status, (await refund()).status]).to.deep.equal([200, 200]);
    const refunds = (await loadPayment(kept.id)).refunds.map(({ attempt, amount }: View) => [attempt, String(amount)]);
    expect(refunds).to.deep.equal([
      [1, '25.9'],
      [2, '0.1'],
      [2, '25.8'],
    ]);
  });

  it('creates each payment request of a batch once, however often its process died', async () => {
    const entry = { amount: 25.9, unit: 'EUR', referenceId: 'batch of three' };
    const send = async (): Promise<number[]> => {
      const body = { paymentRequests: [entry, entry, entry] };
      const { json } = await gateway.post('/payment-requests/batch', body, { 'Idempotency-Key': 'batch' });
      return json.results.map(({ id }: View) => id);
    };
    const unfinished = { $set: { state: 'running', leaseUntil: new Date(0) }, $unset: { response: '' } };
    const first = await send();
    // The process died before the second entry, and before it stored its response.
    await payments().deleteOne({ _id: first[1]! });
    await collection('idempotencyRecords').updateMany({ state: 'done' }, unfinished);
    expect(await send()).to.deep.equal(first);
    expect(await payments().countDocuments({ referenceId: entry.referenceId })).to.equal(3);
  });

  it('creates the missing entries of a batch when the result of one entry is unknown', async () => {
    let made = 0;
    interceptWrites(async (operations, write) => {
      const result = await write();
      const index = operations.findIndex(({ insertOne }) => insertOne && (made += 1) === 2);
      if (index === -1) return result;
      const lost = { index, code: 91, errmsg: 'the answer of the database got lost' };
      throw Object.assign(new Error(lost.errmsg), { writeErrors: [lost], result });
    });
    const entry = { amount: 25.9, unit: 'EUR', referenceId: 'batch with a fault' };
    const send = async (): Promise<View> => {
      const body = { paymentRequests: [entry, entry, entry] };
      return (await gateway.post('/payment-requests/batch', body, { 'Idempotency-Key': 'batch with a fault' })).json;
    };
    const first = (await send()).results;
    restoreWrites();
    expect(first.filter(({ error }: View) => error?.code === 'SYS001')).to.have.length(1);
    const again = (await send()).results;
    for (const [at, { id }] of first.entries()) if (id) expect(again[at].id).to.equal(id);
    expect(again.every(({ id }: View) => Number.isInteger(id))).to.equal(true);
    expect(await payments().countDocuments({ referenceId: entry.referenceId })).to.equal(3);
  });

  it('reports that one of two charges was not refunded', async () => {
    const [{ id, view }, other] = [await makePaidPayment(), await makePaidPayment()];
    await gateway.post(`/payment-requests/${other.id}/refund`, undefined);
    await other.waitForStatus(4);
    // The second charge was already refunded, and we do not know it.
    const [{ attempts }, second] = [await loadPayment(id), await loadPayment(other.id)];
    const charge = { ...second.attempts[0], n: 2, reference: `GW-${id}-2` };
    await payments().updateOne({ _id: id }, { $set: { attempts: [...attempts, charge] } });
    const { status, json } = await gateway.post(`/payment-requests/${id}/refund`, undefined);
    expect([status, json.code]).to.deep.equal([400, 'PAY004']);
    expect(json.message).to.match(
      /^the provider refused to give back 25\.90 EUR: .*; the rest of the refund continues$/,
    );
    await until('the other charge is refunded', async () =>
      (await view()).logs.some(({ message }: View) => message.startsWith('refund succeeded')),
    );
  });

  it('names its attempts by its own id when the first id was taken', async () => {
    const first = await makePaidPayment();
    const taken = await loadPayment(first.id);
    // Simulates a restored backup: the next ids are taken.
    for (let id = first.id + 1; id < first.id + 4; id += 1)
      await payments().insertOne({ ...taken, _id: id, nextCheckAt: null });
    const { id } = await makePaidPayment();
    expect(id).to.be.greaterThan(first.id + 3);
    const { attempts } = await loadPayment(id);
    expect(attempts.map(({ reference }: View) => reference)).to.deep.equal([`GW-${id}-1`]);
  });

  it('skips a client id that was taken, too', async () => {
    // A client without an e-mail address: the ids of others are not counted.
    const body = { amount: 1, unit: 'EUR' };
    const { clientId } = (await gateway.post('/payment-requests', body)).json.paymentRequest;
    const client = await collection('clients').findOne({ _id: clientId });
    for (let n = 1; n < 4; n += 1) await collection('clients').insertOne({ ...client, _id: clientId + n });
    expect((await gateway.post('/payment-requests', body)).json.paymentRequest.clientId).to.be.above(clientId + 3);
  });

  it('checks the other payments when one cannot be checked', async () => {
    const [bad, good] = [await makePendingPayment(), await makePendingPayment()];
    await payments().updateOne(
      { _id: bad.id },
      { $set: { 'attempts.0.action': Buffer.from('garbage'), nextCheckAt: new Date(1) } },
    );
    await payments().updateOne({ _id: good.id }, { $set: { nextCheckAt: new Date(2) } });
    await gateway.work();
    expect((await loadPayment(good.id)).attempts[0].checks).to.equal(1);
    expect(
      gateway.logged.some((line) => line.includes(`"paymentRequestId":${bad.id}`) && line.includes('"level":50')),
    ).to.equal(true);
  });

  const makePendingPayment = async (): Promise<TestPayment> =>
    toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody('4000000000003097')));

  it('applies the other callbacks when one cannot be decrypted', async () => {
    const inbox = collection('inbox');
    const row = {
      _id: randomUUID(),
      adapter: '3ds',
      path: '3ds',
      requestId: 'r',
      receivedAt: new Date(),
      encrypted: Buffer.from('garbage'),
      events: [
        {
          event: { kind: '3ds', providerStatus: 'Y', status: 'pending', reference: 'GW-1-1' },
          paymentRequestId: 1,
          state: 'waiting',
          note: '',
        },
      ],
      state: 'waiting',
      dueAt: new Date(1),
      lease: noLease,
      tries: 0,
      faults: 0,
      expireAt: new Date(Date.now() + 60_000),
    };
    await inbox.insertOne(row);
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', cardBody('4000000000003063')));
    await payment.waitForStatus(2);
    // The others are written first.
    const kept = await until('it is released', async () => {
      const found = await inbox.findOne({ _id: row._id });
      return found.lease.token === null && found.faults + found.tries > 0 && found;
    });
    expect(kept).to.deep.include({ state: 'waiting', lease: noLease });
    await inbox.deleteOne({ _id: row._id });
  });

  it('relays entries behind an outbox that cannot be relayed', async () => {
    const [bad, good] = [await makePendingPayment(), await makePendingPayment()];
    const entry = { sequence: 1, type: 'payment.pending', at: new Date(), body: '{}', requestId: 'r' };
    const url = 'http://127.0.0.1:9/hook';
    await payments().updateOne(
      { _id: bad.id },
      { $set: { notifyUrl: url, outbox: [{ ...entry, at: 'never' }], outboxSince: new Date(1) } },
      // Another program may have stored it: the collection's validator would refuse it.
      { bypassDocumentValidation: true },
    );
    await payments().updateOne(
      { _id: good.id },
      { $set: { notifyUrl: url, outbox: [entry], outboxSince: new Date(2) } },
    );
    await relayOutbox.run(gateway.gateway, new AbortController().signal).catch(() => undefined);
    await payments().updateOne({ _id: bad.id }, { $set: { outbox: [], outboxSince: null } });
    expect((await loadPayment(good.id)).outbox).to.deep.equal([]);
  });

  it('shows callbacks in the timeline that name only the provider’s reference', async () => {
    const body = { ...payer, email: 'slow@shop.example', amount: 18.4, unit: 'EUR' };
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/15', body));
    await payment.waitForStatus(2);
    await until('in the timeline', async () => {
      const { items } = (await gateway.get(`/payment-requests/${payment.id}/timeline`)).json;
      return items.some(({ kind, route }: View) => kind === 'callback' && route === 'providerF');
    });
  });

  it('continues when an adapter was removed from config while payments are open', async () => {
    const body = { ...payer, token: 'tok_pending', amount: 25.9, unit: 'EUR' };
    const open = toTestPayment(gateway, await gateway.post('/payments/h2h/51', body));
    const other = toTestPayment(gateway, await gateway.post('/payments/h2h/51', { ...body, token: 'tok_approved' }));
    await other.waitForStatus(2);
    const { registry } = gateway.gateway.providers;
    const all = registry.all() as Parameters<typeof registry.replace>[0];
    registry.replace(all.filter(({ name }) => name !== 'token'));
    restoreWrites = () => registry.replace(all);
    await makeDue(open);
    expect((await open.view()).paymentRequestStatusId).to.equal(1);
    expect((await fetch(gateway.payPage(open.id))).status).to.equal(200);
    expect((await gateway.get(`/payment-requests/${open.id}/timeline`)).status).to.equal(200);
    expect((await gateway.post(`/payment-requests/${other.id}/refund`, undefined)).json.code).to.equal('PAY004');
    expect((await gateway.post('/payments/h2h/51', body)).json.code).to.equal('NF001');
    expect((await loadPayment(open.id)).attempts[0].needsReview).to.equal(false);
  });

  it('lets a live key see, confirm and refund what it created for the sandbox', async () => {
    const { key } = await gateway.gateway.access.keys.create({ owner: 'demo', environment: 'production' });
    const headers = { 'X-API-Key': key };
    const body = cardBody('4000000000003238', 25.9, { isSandbox: true });
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/12', body, headers));
    const { paymentId } = payment.answer.json.action;
    expect((await gateway.get(`/payment-requests/${payment.id}`, headers)).status).to.equal(200);
    const confirmed = await gateway.post(
      `/payments/cardMemberConfirm/${payment.id}`,
      { paymentId, code: '123456' },
      headers,
    );
    expect(confirmed.status, confirmed.text).to.equal(200);
    await payment.waitForStatus(2);
    expect((await gateway.post(`/payment-requests/${payment.id}/refund`, undefined, headers)).status).to.equal(200);
    // Live payments stay hidden from test keys.
    const live = toTestPayment(gateway, await gateway.post('/payment-requests', { amount: 1, unit: 'EUR' }, headers));
    expect((await gateway.get(`/payment-requests/${live.id}`)).status).to.equal(404);
    const wrong = await gateway.post(
      `/payments/creditCard/${live.id}`,
      cardBody('4111111111111111', 1, { isSandbox: true }),
      headers,
    );
    expect(wrong.json.details.field).to.equal('isSandbox');
  });
});
