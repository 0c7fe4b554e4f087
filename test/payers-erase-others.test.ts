/**
 * Erasing a payer affects no other payer, also when data is damaged, concurrent changes occur or an erasure was
 * interrupted.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { createAudit } from '../core/engine/audit/index.ts';
import { fromBytes, toBytes } from '../core/engine/callbacks/raw-bytes.ts';
import { runCommand } from '../core/cli/run-command.ts';
import { fromDocument } from '../core/database/decimals.ts';
import type { InboxEvent, InboxRow } from '../core/database/collections/inbox-row.ts';
import { callbackContext, postedContext } from '../core/database/encryption-context.ts';
import { createErasure, type Erasure } from '../core/erasure/index.ts';
import { until } from '../core/base/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { createDataSearch, type DataSearch } from './support/data-search.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { root, startGateway, type TestGateway } from './support/start-gateway.ts';
import { toTestPayment, type TestPayment } from './support/scenarios.ts';

const by = { type: 'command', name: 'ada', from: 'test' } as const;
const rosa = { name: 'Rosa Klein', email: 'rosa@shop.example', phoneNumber: '+4915112345678', address: 'Weg 1 B' };
type Person = Readonly<Record<'name' | 'email' | 'phoneNumber' | 'address', string>>;
/** A separate payer for each test, so that one test does not erase what another needs. */
const makePerson = (first: string): Person => ({
  name: `${first} Moreau`,
  email: `${first.toLowerCase()}@moreau.example`,
  phoneNumber: `+3361234567${first.length}`,
  address: `${first} Street 12`,
});
const identifiersOf = ({ name, email, address }: Person): RegExp =>
  new RegExp([name.replace(' ', '[ +]'), email.replace('@', '(@|%40)'), address].join('|'), 'i');

describe('the erasure of one payer among others', function () {
  this.timeout(180_000);
  let gateway: TestGateway;
  let receiver: Receiver;
  let erasure: Erasure;
  let search: DataSearch;
  let rosas: TestPayment;

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'] });
    const { connection, httpDeps } = gateway.gateway;
    const { encrypter, log } = httpDeps;
    erasure = createErasure({
      connection,
      encrypter,
      audit: createAudit({ connection, encrypter, now: () => new Date(), log }),
    });
    search = createDataSearch(gateway);
    rosas = await pay(rosa);
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  async function pay(who: Person, more: object = {}, headers: Readonly<Record<string, string>> = {}) {
    const body = cardBody('4111111111111111', 25.9, { ...who, notifyUrl: receiver.url, ...more });
    const answer = await gateway.post('/payments/h2h/11', body, headers);
    expect(answer.status, answer.text).to.equal(200);
    const payment = toTestPayment(gateway, answer);
    await until('it is paid', async () => (await findPayment(payment.id))['statusId'] === 2);
    return payment;
  }
  const payments = () => gateway.gateway.connection.collection<{ _id: number }>('paymentRequests');
  const findPayment = async (id: number): Promise<Record<string, unknown>> =>
    (await payments().findOne({ _id: id })) ?? {};
  const inbox = () => gateway.gateway.connection.collection<{ _id: string }>('inbox');
  const rowOf = async (id: string): Promise<InboxRow> => fromDocument(await inbox().findOne({ _id: id })) as InboxRow;
  const waitUntilSettled = async ({ email }: Person): Promise<boolean> =>
    until('all is settled', async () => {
      await gateway.work();
      return (await erasure.plan({ email })).refusals.length === 0;
    });

  const event = (facts: object | null): object => ({
    kind: 'payment',
    status: 'succeeded',
    providerStatus: 'OK',
    amount: '25.90',
    facts,
  });
  const eventOf = (id: number | null, who: Person, state: InboxEvent['state'] = 'applied'): object => {
    return { event: event({ holder: who.name }), paymentRequestId: id, state, note: '' };
  };
  async function receive(
    _id: string,
    events: readonly object[],
    { state = 'done', body = '', adapter = 'provider-a', encrypted }: Partial<Record<string, string>> = {},
  ): Promise<void> {
    const raw = {
      method: 'POST',
      path: '/callbacks/providerA',
      query: '',
      headers: [],
      body: Buffer.from(body),
      remoteAddress: '192.0.2.77',
      receivedAt: new Date(),
    };
    const { encrypter } = gateway.gateway.httpDeps;
    await inbox().insertOne({
      _id,
      adapter,
      path: 'providerA',
      requestId: 'r',
      receivedAt: new Date(),
      state,
      encrypted: encrypted ? Buffer.from(encrypted) : encrypter.encrypt(toBytes(raw), callbackContext(_id)),
      events,
      lease: { token: null, worker: null, claimedAt: null, expiries: 0 },
      tries: 0,
      faults: 0,
      doneAt: new Date(),
      expireAt: new Date(Date.now() + 1e9),
    } as never);
  }
  const decryptRaw = ({ _id, encrypted }: InboxRow) =>
    fromBytes(gateway.gateway.httpDeps.encrypter.decrypt(encrypted, callbackContext(_id)));

  it('keeps what a batch of callbacks says about another payer, also events that are not applied yet', async () => {
    const ana = makePerson('Ana');
    const { id } = await pay(ana);
    const events = [eventOf(id, ana), eventOf(rosas.id, rosa, 'waiting'), eventOf(null, ana), eventOf(null, rosa)];
    await receive('batch', events, { state: 'dead_letter', body: `${ana.name}, ${rosa.name}` });
    await waitUntilSettled(ana);
    const { copy } = await erasure.plan({ email: ana.email });
    expect(JSON.stringify(copy), 'no copy has the other payer').to.include(ana.name).and.not.to.include(rosa.name);

    await erasure.erase(by, { email: ana.email });

    const row = await rowOf('batch');
    expect(await search.findCollectionsMatching(identifiersOf(ana))).to.deep.equal([]);
    expect(decryptRaw(row).body).to.have.lengthOf(0);
    expect(row.erasedAt).to.be.instanceOf(Date);
    const { facts: _facts, ...left } = event(null) as { readonly facts: null };
    expect(row.events.map((one) => one.event)).to.deep.equal([
      left,
      event({ holder: rosa.name }),
      left,
      event({ holder: rosa.name }),
    ]);
    expect(row.events.map(({ state }) => state)).to.deep.equal(['applied', 'waiting', 'applied', 'applied']);
    expect(row.state).to.equal('dead_letter');
  });

  it('is refused while an event of the payer waits in a batch', async () => {
    const eva = makePerson('Eva');
    const { id } = await pay(eva);
    await waitUntilSettled(eva);
    await receive('own', [eventOf(id, eva, 'waiting'), eventOf(rosas.id, rosa)], { state: 'dead_letter' });
    expect((await erasure.plan({ email: eva.email })).refusals).to.deep.equal([
      'Callback own is not applied yet: "paywright inbox show own" shows the reason.',
    ]);
  });

  it("removes the payer from the merchant's addresses, and still notifies the merchant", async () => {
    const lea = makePerson('Lea');
    const notifyUrl = `${receiver.url}?mail=${encodeURIComponent(lea.email)}&order=7`;
    const payment = await pay(lea, { notifyUrl });
    await waitUntilSettled(lea);
    await erasure.erase(by, { email: lea.email });
    expect((await findPayment(payment.id))['notifyUrl']).to.equal(`${receiver.url}?mail=[erased]&order=7`);
    const before = receiver.ofPayment(payment.id).length;
    expect((await gateway.post(`/payment-requests/${payment.id}/refund`, undefined)).status).to.equal(200);
    await until('the refund is notified', async () => {
      await gateway.work();
      return receiver.ofPayment(payment.id).length > before;
    });
    expect(await search.findCollectionsMatching(identifiersOf(lea))).to.deep.equal([]);
  });

  it('replaces callbacks and stored responses that no key decrypts', async () => {
    const mia = makePerson('Mia');
    const { id } = await pay(mia, {}, { 'Idempotency-Key': 'of mia' });
    await receive('lost', [eventOf(id, mia)], { encrypted: 'no key opens this' });
    const answers = gateway.gateway.connection.collection('idempotencyRecords');
    await answers.updateOne({ paymentRequestId: id }, { $set: { response: Buffer.from('nor this') } });
    await waitUntilSettled(mia);
    await erasure.erase(by, { email: mia.email });
    expect(decryptRaw(await rowOf('lost')).body).to.have.lengthOf(0);
    expect(await answers.findOne({ paymentRequestId: id }))
      .to.include({ state: 'done' })
      .and.not.to.have.key('response');
    expect(await search.findCollectionsMatching(identifiersOf(mia))).to.deep.equal([]);
  });

  it('removes the data of a 3D Secure step and of an alarm', async () => {
    const zoe = makePerson('Zoe');
    const { id } = await pay(zoe);
    const { encrypter } = gateway.gateway.httpDeps;
    const posted = encrypter.encrypt(
      JSON.stringify({ kind: '3ds', field: 'cres', value: zoe.email }),
      postedContext({ reference: `GW-${id}-1` }, 'n1'),
    );
    const step = { nonce: 'n1', transactionId: null, takenAt: new Date(), doneAt: new Date(), posted };
    await payments().updateOne({ _id: id }, { $set: { 'attempts.0.steps': [step] } as never });
    await receive('step', [{ ...eventOf(id, zoe), event: { ...event(null), kind: '3ds' } }], {
      adapter: '3ds',
      body: `cres=${zoe.email}`,
    });
    gateway.gateway.alarms.raise('charged_twice', { type: 'payment', id: String(id) }, `says ${zoe.email}`);
    const alarmId = `charged_twice:payment:${id}`;
    await until('it is raised', async () => gateway.gateway.alarms.get(alarmId));
    await gateway.gateway.alarms.acknowledge(alarmId, { by: 'Ada', reason: `wrote to ${zoe.email}` });
    await waitUntilSettled(zoe);
    const { copy } = await erasure.plan({ email: zoe.email });
    expect(copy).to.have.nested.property('payments[0].attempts[0].steps[0].posted.value', zoe.email);
    expect(copy).to.have.nested.property('alarms[0].reason', `says ${zoe.email}`);
    expect(copy).to.have.nested.property('alarms[0].history[0].reason', `wrote to ${zoe.email}`);
    await erasure.erase(by, { email: zoe.email });
    expect(await search.findCollectionsMatching(identifiersOf(zoe))).to.deep.equal([]);
    expect(decryptRaw(await rowOf('step')).remoteAddress, "the payer's own").to.equal('');
    const erased = await gateway.gateway.alarms.get(alarmId);
    expect(erased?.reason).to.equal('says [erased]');
    expect(erased?.history?.map(({ reason }) => reason)).to.deep.equal([undefined, 'wrote to [erased]']);
  });

  it('copies everything first: messages of callbacks, stored responses, events of the stream and exchanges', async () => {
    const ida = makePerson('Ida');
    await gateway.gateway.access.owners.recordListener(gateway.ownerId, new Date(Date.now() + 1e6));
    const { id } = await pay(ida, { notifyUrl: undefined }, { 'Idempotency-Key': 'of ida' });
    await receive('message', [eventOf(id, ida)], { body: JSON.stringify({ holder: ida.name, signature: 'proof' }) });
    await waitUntilSettled(ida);
    await gateway.waitForExchanges(String(id));
    let copy: unknown;
    await erasure.erase(by, { email: ida.email }, { keep: async (given) => void (copy = given) });
    const { callbacks, answers, streamedEvents, exchanges, notifications } = copy as Record<string, object[]>;
    const message = callbacks!.find((one) => (one as { id: string }).id === 'message');
    expect(message).to.have.nested.property('message.body', `{"holder":"${ida.name}","signature":"[hidden]"}`);
    expect(JSON.stringify(answers)).to.include(ida.name).and.include(`"paymentRequestId":${id}`);
    expect(JSON.stringify(streamedEvents)).to.include(ida.name);
    expect(exchanges![0]).to.include({ paymentRequestId: id, adapter: 'provider-a' });
    expect(notifications).to.be.an('array');
    expect(await search.findCollectionsMatching(identifiersOf(ida))).to.deep.equal([]);
  });

  it('copies what a receiver answered about the payer, and removes it', async () => {
    const uma = makePerson('Uma');
    receiver.answer = (response) =>
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`thanks, ${uma.email}`);
    await pay(uma);
    await waitUntilSettled(uma);
    receiver.answer = (response) => response.writeHead(200).end();
    const { copy } = await erasure.plan({ email: uma.email });
    expect(copy).to.have.nested.property('notifications[0].attempts[0].answer', `thanks, ${uma.email}`);
    await erasure.erase(by, { email: uma.email });
    expect(await search.findCollectionsMatching(identifiersOf(uma))).to.deep.equal([]);
  });

  it('is refused when no copy could be kept', async () => {
    const ria = makePerson('Ria');
    await pay(ria);
    await waitUntilSettled(ria);
    const keep = async (): Promise<void> => Promise.reject(new Error('the disk is full'));
    const failed = await erasure.erase(by, { email: ria.email }, { keep }).catch((error: unknown) => error);
    expect(failed).to.be.instanceOf(Error).with.property('message', 'the disk is full');
    expect(await search.findCollectionsMatching(identifiersOf(ria))).to.include.members(['clients', 'paymentRequests']);
  });

  it('affects only the given merchant and environment', async () => {
    const ema = makePerson('Ema');
    const { key, ownerId } = await gateway.gateway.access.keys.create({ owner: 'second', environment: 'sandbox' });
    const [first, second] = [await pay(ema), await pay(ema, {}, { 'X-API-Key': key })];
    await receive('unreadable', [], { body: ema.email });
    await waitUntilSettled(ema);
    const kept = await findPayment(second.id);
    expect((await erasure.plan({ email: ema.email, ownerId, environment: 'live' })).counts).to.include({
      clients: 0,
      payments: 0,
    });
    await erasure.erase(by, { email: ema.email, ownerId: gateway.ownerId, environment: 'test' });
    expect(await findPayment(first.id)).to.deep.include({ payerName: null, notes: null });
    expect(search.textOf('paymentRequests', await findPayment(first.id))).not.to.match(identifiersOf(ema));
    expect(await findPayment(second.id)).to.deep.equal(kept);
    expect(decryptRaw(await rowOf('unreadable')).body.toString(), 'its owner is unknown').to.equal(ema.email);
    expect((await erasure.plan({ email: ema.email })).counts).to.include({ clients: 1, payments: 1, callbacks: 2 });
    await erasure.erase(by, { email: ema.email });
    expect(await search.findCollectionsMatching(identifiersOf(ema))).to.deep.equal([]);
  });

  it('keeps a client who is not the payer: that name stays everywhere else', async () => {
    const ute = makePerson('Ute');
    const school = { name: 'Weston High School', email: 'office@weston.example' };
    const request = { amount: 12, unit: 'EUR', client: school, payerName: ute.name, payerEmail: ute.email };
    const { json, text } = await gateway.post('/payment-requests', request);
    expect(json.paymentRequest, text).to.be.an('object');
    await gateway.post(`/payment-requests/${json.paymentRequest.id}/cancel`, undefined);
    await receive('of the school', [eventOf(null, { ...ute, name: school.name })], { body: school.email });
    await waitUntilSettled(ute);
    await erasure.erase(by, { email: ute.email });
    expect(decryptRaw(await rowOf('of the school')).body.toString()).to.equal(school.email);
    expect(await search.findCollectionsMatching(identifiersOf(ute))).to.deep.equal([]);
  });

  it('is completed by the next call after an interruption', async () => {
    const kim = makePerson('Kim');
    await pay(kim);
    await waitUntilSettled(kim);
    const { collection } = gateway.gateway.connection.model('StreamedEvent');
    collection.deleteMany = async () => Promise.reject(new Error('the connection is gone'));
    try {
      const failed = await erasure.erase(by, { email: kim.email }).catch((error: unknown) => error);
      expect(failed).to.be.instanceOf(Error).with.property('message', 'the connection is gone');
    } finally {
      // Restores the method of the class.
      Reflect.deleteProperty(collection, 'deleteMany');
    }
    expect(await search.findCollectionsMatching(identifiersOf(kim))).to.deep.equal(['clients', 'paymentRequests']);
    await erasure.erase(by, { email: kim.email });
    expect(await search.findCollectionsMatching(identifiersOf(kim))).to.deep.equal([]);
  });

  it('is checked again when a payment or a callback changes during it', async () => {
    const sam = makePerson('Sam');
    const { id } = await pay(sam);
    await receive('held', [eventOf(id, sam)]);
    await waitUntilSettled(sam);
    const keep = async (): Promise<void> => {
      await payments().updateOne({ _id: id }, { $inc: { version: 1 }, $set: { notes: `by ${sam.email}` } as never });
      // Simulates a provider that sends the callback again, and a worker that finishes it.
      await inbox().updateOne({ _id: 'held' }, { $set: { state: 'dead_letter' } as never });
    };
    await erasure.erase(by, { email: sam.email }, { keep });
    expect(await search.findCollectionsMatching(identifiersOf(sam))).to.deep.equal([]);
  });

  it('excludes the erased callbacks from a replay: a missing callback is not a difference', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gateway-replay-'));
    const { security, database } = gateway.run.config;
    await writeFile(join(folder, 'own.yaml'), JSON.stringify({ security: { encryptionKey: security.encryptionKey } }));
    const { _id: _name, ...row } = (await inbox().findOne({ _id: 'batch' }))!;
    await inbox().insertMany(Array.from({ length: 1000 }, (_, n) => ({ ...row, _id: `copy ${n}` })));
    const [out, problems]: [string[], string[]] = [[], []];
    const env = {
      GATEWAY_ENV: 'development',
      GATEWAY_DATA_DIR: join(folder, 'data'),
      GATEWAY_CONFIG: join(folder, 'own.yaml'),
      MONGODB_URI: database.uri!,
    };
    const shell = { env, root, print: (line: string) => out.push(line), stderr: (line: string) => problems.push(line) };
    const words = ['replay', '--adapter', '@paywright/provider-a'];
    expect(await runCommand([...words, '--json'], shell), problems.join()).to.equal(0);
    const { erased, callbacks } = JSON.parse(out.join('')) as { erased: number; callbacks: { id: string }[] };
    expect(erased).to.equal(await inbox().countDocuments({ adapter: 'provider-a', erasedAt: { $exists: true } }));
    expect(erased).to.be.above(1000);
    expect(problems, 'progress').to.include('1000 callbacks');
    const gone = await Promise.all(callbacks.map(async ({ id }) => (await rowOf(id)).erasedAt));
    expect(gone.filter(Boolean)).to.deep.equal([]);
    out.length = 0;
    await runCommand(words, shell);
    expect(out.at(-1)).to.include(`, ${erased} skipped: their message was erased with the data of the payer`);
    await rm(folder, { recursive: true, force: true });
  });
});
