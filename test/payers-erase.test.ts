/** Erases a payer. Afterwards nothing in the database identifies the payer, and books and refunds are unchanged. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { mongo } from 'mongoose';
import { createAudit } from '../core/engine/audit/index.ts';
import { toBytes } from '../core/engine/callbacks/raw-bytes.ts';
import { callbackContext } from '../core/database/encryption-context.ts';
import { createErasure, type Erasure } from '../core/erasure/index.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody, payer } from './support/bodies.ts';
import { createDataSearch, type DataSearch } from './support/data-search.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';
import { toTestPayment, type TestPayment } from './support/scenarios.ts';

const by = { type: 'command', name: 'ada', from: 'test' } as const;
const other = { name: 'Rosa Klein', email: 'rosa@shop.example', phoneNumber: '+4915112345678', address: 'Weg 1' };
/** Identifies the payer, in any spelling of the data. */
const identifiers = /ines[ .+_-]?(%20)?duarte|351912345678|rua augusta/i;

describe('a payer who is erased', function () {
  this.timeout(180_000);
  let gateway: TestGateway;
  let receiver: Receiver;
  let erasure: Erasure;
  let search: DataSearch;
  const findCollectionsWithPayer = async (): Promise<string[]> => search.findCollectionsMatching(identifiers);

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'] });
    const { connection, httpDeps } = gateway.gateway;
    const { encrypter, log } = httpDeps;
    const audit = createAudit({ connection, encrypter, now: () => new Date(), log });
    erasure = createErasure({ connection, encrypter, audit });
    search = createDataSearch(gateway);
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  const pay = async (more: Readonly<Record<string, unknown>> = {}, headers = {}): Promise<TestPayment> => {
    const body = cardBody('4111111111111111', 25.9, { notifyUrl: receiver.url, ...more });
    const payment = toTestPayment(gateway, await gateway.post('/payments/h2h/11', body, headers));
    await payment.waitForStatus(2);
    return payment;
  };
  /** Waits until no work for the payments is in progress. */
  const waitUntilSettled = async (): Promise<boolean> =>
    until('all is settled', async () => {
      await gateway.work();
      return (await erasure.plan({ email: payer.email })).refusals.length === 0;
    });

  it('is refused while work is in progress, and says which work', async () => {
    const body = { amount: 10, unit: 'EUR', client: { name: payer.name, email: payer.email } };
    const { json, text } = await gateway.post('/payment-requests', body);
    expect(json.paymentRequest, text).to.be.an('object');
    const { id } = json.paymentRequest;
    const { refusals } = await erasure.plan({ email: payer.email });
    expect(refusals).to.deep.equal([
      `Payment ${id} can still be paid: run "paywright payments cancel ${id}", or wait until it expires.`,
    ]);
    const error = await erasure.erase(by, { email: payer.email }).catch((refused: unknown) => refused);
    expect(error).to.be.instanceOf(Error).with.property('message', refusals[0]);
    expect(await findCollectionsWithPayer()).to.include('clients');
    await gateway.post(`/payment-requests/${id}/cancel`, undefined);
  });

  it('is absent from every collection afterwards, and all other payers are unchanged', async () => {
    const { connection, httpDeps } = gateway.gateway;
    const first = await pay({ referenceId: 'order-1' }, { 'Idempotency-Key': 'first' });
    // Another spelling, a payer who is not the client, and texts that name the payer.
    const request = {
      amount: 12,
      unit: 'EUR',
      client: { name: 'A school', email: 'school@shop.example' },
      payerName: payer.name,
      payerEmail: 'Ines.Duarte@Shop.example',
      notes: `for ${payer.name}, by the window`,
      successUrl: `https://shop.example/thanks?mail=${encodeURIComponent(payer.email)}`,
      notifyUrl: receiver.url,
    };
    const { json } = await gateway.post('/payment-requests', request, { 'Idempotency-Key': 'second' });
    const second = json.paymentRequest.id as number;
    await gateway.post(`/payment-requests/${second}/cancel`, undefined);
    const rosa = await pay(other);
    // A listener receives test events, and this payment has no notification address.
    await gateway.gateway.access.owners.recordListener(gateway.ownerId, new Date(Date.now() + 1e6));
    await pay({ notifyUrl: undefined });
    // Callbacks of the payment, and an unreadable callback that was given up.
    const { encrypter } = httpDeps;
    const rows = connection.collection<{ _id: string }>('inbox');
    const raw = {
      method: 'POST',
      path: '/callbacks/providerA',
      query: '',
      headers: [['content-type', 'application/json']] as const,
      body: Buffer.from(JSON.stringify({ holder: payer.name, mail: payer.email })),
      remoteAddress: '192.0.2.1',
      receivedAt: new Date(),
      publicUrl: 'https://pay.example',
    };
    const row = (_id: string, events: readonly object[], body = raw) => ({
      _id,
      adapter: 'provider-a',
      path: 'providerA',
      requestId: 'r',
      receivedAt: new Date(),
      state: 'done',
      encrypted: encrypter.encrypt(toBytes(body), callbackContext(_id)),
      events,
      lease: { token: null, worker: null, claimedAt: null, expiries: 0 },
      tries: 0,
      faults: 0,
      doneAt: new Date(),
      expireAt: new Date(Date.now() + 1e9),
    });
    const event = {
      kind: 'payment',
      status: 'succeeded',
      providerStatus: 'OK',
      amount: '25.90',
      facts: { holder: payer.name },
    };
    const rosasBody = { ...raw, body: Buffer.from(JSON.stringify({ holder: other.name })) };
    await rows.insertMany([
      row('named', [{ event, paymentRequestId: first.id, state: 'nothing', note: `seen of ${payer.email}` }]),
      row('unreadable', []),
      row(
        'of rosa',
        [{ event: { ...event, facts: null }, paymentRequestId: rosa.id, state: 'nothing', note: '' }],
        rosasBody,
      ),
    ] as never);
    await waitUntilSettled();
    await gateway.waitForExchanges();

    expect(await findCollectionsWithPayer(), 'the search finds what is there').to.deep.equal([
      'clients',
      'idempotencyRecords',
      'inbox',
      'notifications',
      'paymentRequests',
      'streamedEvents',
    ]);
    const isFound = {
      $or: [{ searchKeys: /duarte|219153/ }, { payerPhone: payer.phoneNumber }, { payerIp: '192.0.2.7' }],
    };
    const findable = async (): Promise<number> =>
      gateway.gateway.connection.collection('paymentRequests').countDocuments(isFound);
    expect(await findable()).to.equal(4);
    const before = await search.everything();
    const report = `/reports/payments?from=${new Date().toISOString().slice(0, 10)}&to=${new Date().toISOString().slice(0, 10)}`;
    const reported = (await gateway.get(report)).text;
    const { copy, counts } = await erasure.plan({ email: payer.email });
    expect(counts).to.deep.include({ clients: 1, payments: 4, callbacks: 4 });
    expect(JSON.stringify(copy)).to.include(payer.name).and.not.to.include('linkKey').and.not.to.include(other.name);

    await erasure.erase(by, { email: payer.email }, { reason: `asked by ${payer.email}` });

    expect(await findCollectionsWithPayer()).to.deep.equal([]);
    expect(await findable()).to.equal(0);
    const left = await search.everything();
    for (const [name, documents] of before) {
      const ids = (list: readonly mongo.Document[]) => list.map(({ _id }) => String(_id)).toSorted();
      if (!['apiCalls', 'audit', 'streamedEvents'].includes(name))
        expect(ids(left.get(name)!), name).to.deep.equal(ids(documents));
      const rosas = documents.filter((one) => search.textOf(name, one).includes('Rosa'));
      for (const one of rosas)
        expect(
          left.get(name)!.find(({ _id }) => String(_id) === String(one['_id'])),
          name,
        ).to.deep.equal(one);
      if (['clients', 'paymentRequests', 'notifications', 'inbox'].includes(name))
        expect(rosas, name).not.to.deep.equal([]);
    }
    expect((await gateway.get(report)).text).to.equal(reported);
    const view = await first.view();
    expect(view).to.deep.include({
      amount: 25.9,
      paymentRequestStatusId: 2,
      referenceId: 'order-1',
      grossAmount: 25.9,
    });
    expect(view).to.include({
      clientName: null,
      clientEmail: null,
      payerName: null,
      payerEmail: null,
      cardLastDigits: null,
    });
    expect(view.client).to.include({ name: '', email: '', totalDeposits: 51.8 });
    expect((await erasure.plan({ email: payer.email })).counts).to.deep.equal({
      clients: 0,
      payments: 0,
      notifications: 0,
      callbacks: 0,
    });
  });

  it('leaves payments that are still returned, notified and refunded', async () => {
    const repeated = await gateway.post(
      '/payments/h2h/11',
      cardBody('4111111111111111', 25.9, { notifyUrl: receiver.url, referenceId: 'order-1' }),
      { 'Idempotency-Key': 'first' },
    );
    expect(repeated.headers.get('idempotent-replayed')).to.equal('true');
    const { id, client } = repeated.json.paymentRequest;
    expect(client).to.include({ name: '', email: '' });
    const seen = receiver.ofPayment(id).length;
    await gateway.post(`/notifications/${id}-1/resend`, undefined);
    await until('it is sent again', () => receiver.ofPayment(id).length > seen);
    expect(receiver.ofPayment(id).at(-1)!.body).not.to.match(identifiers);
    expect(receiver.ofPayment(id).at(-1)!.json.data.paymentRequest).to.include({ amount: 25.9, clientEmail: null });
    const refund = await gateway.post(`/payment-requests/${id}/refund`, undefined);
    expect(refund.status, refund.text).to.equal(200);
    await toTestPayment(gateway, repeated).waitForStatus(4);
  });

  it('becomes a new client on the next payment, once processes no longer cache the address', async () => {
    const clients = gateway.gateway.connection.collection('clients');
    const known = new Set((await clients.find().toArray()).map(({ _id }) => String(_id)));
    const realNow = performance.now.bind(performance);
    performance.now = () => realNow() + 61_000;
    try {
      const again = await pay();
      const { clientId } = await again.view();
      expect(known.has(String(clientId))).to.equal(false);
      expect((await erasure.plan({ email: payer.email })).counts).to.include({ clients: 1, payments: 1 });
    } finally {
      performance.now = realNow;
    }
  });

  it('is in the audit log without any personal data', async () => {
    const entries = await gateway.gateway.connection.collection('audit').find().sort({ _id: 1 }).toArray();
    const { payerId } = await erasure.plan({ email: payer.email });
    expect(entries.map(({ act, state }) => `${act} ${state}`)).to.include('payer.erase done');
    expect(entries.at(-1)).to.deep.include({ subject: { type: 'payer', id: payerId }, reason: 'asked by [erased]' });
    expect(JSON.stringify(entries)).not.to.match(identifiers);
  });
});
