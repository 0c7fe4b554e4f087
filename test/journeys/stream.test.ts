/** A merchant develops on a laptop and receives its test events there, with or without a notification address. */
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { verifyWebhook } from '@paywright/client';
import { readEvents, type StreamEvent } from '@paywright/client/listen';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { toTestPayment, type TestPayment } from '../support/scenarios.ts';
import { root, startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('the stream of test events', function () {
  this.timeout(180_000);
  let gateway: TestGateway;
  let receiver: Receiver;
  let stopping: AbortController;
  let command: ChildProcess | undefined;

  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({ adapters: ['provider-a'] });
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });
  afterEach(() => {
    stopping?.abort();
    command?.kill();
  });

  const pay = async (more: Readonly<Record<string, unknown>> = {}): Promise<TestPayment> => {
    const payment = toTestPayment(
      gateway,
      await gateway.post('/payments/h2h/11', cardBody('4111111111111111', 25.9, more)),
    );
    await payment.waitForStatus(2);
    return payment;
  };
  /** Collects the events from now on. */
  async function collectEvents(): Promise<StreamEvent[]> {
    const events: StreamEvent[] = [];
    stopping = new AbortController();
    const { signal } = stopping;
    void (async () => {
      for await (const event of readEvents({
        base: gateway.url,
        key: gateway.key,
        say: () => undefined,
        signal,
        retryMs: 10,
      }))
        events.push(event);
    })();
    const owners = gateway.gateway.connection.collection<{ listeningUntil?: Date }>('owners');
    await until('the owner is known to listen', async () => (await owners.findOne({}))?.listeningUntil !== undefined);
    return events;
  }
  const typesOf = (events: readonly StreamEvent[], { id }: TestPayment): string[] =>
    events.filter((event) => event.id.startsWith(`${id}-`)).map(({ type }) => type);
  const countKept = async (): Promise<number> =>
    gateway.gateway.connection.collection('streamedEvents').countDocuments();

  it('keeps nothing without an address for a merchant who never listened', async () => {
    await pay();
    expect(await countKept()).to.equal(0);
  });

  it('shows events with and without an address, with the bytes and signatures of notifications', async () => {
    const events = await collectEvents();
    const addressed = await pay({ notifyUrl: receiver.url });
    const unaddressed = await pay();
    await until('both are there', () =>
      [addressed, unaddressed].every((payment) => typesOf(events, payment).includes('payment.succeeded')),
    );
    expect(typesOf(events, unaddressed)).to.deep.equal(typesOf(events, addressed));
    expect(await countKept()).to.be.at.least(1);
    for (const event of events) {
      const verified = await verifyWebhook(event.body, event.headers, gateway.webhookSecret);
      expect(verified).to.include({ id: event.id, type: event.type });
    }
    await until('it is delivered', () => receiver.ofPayment(addressed.id).length > 0);
    const [delivered] = receiver.ofPayment(addressed.id);
    expect(events.map(({ body }) => body)).to.include(delivered!.body);
    const { items } = (await gateway.get(`/notifications?paymentRequestId=${unaddressed.id}`)).json;
    expect(items, 'it is not a notification').to.deep.equal([]);
  });

  it('continues after a lost connection', async () => {
    const missed = await pay();
    const since = Date.now() - 60_000;
    const response = await fetch(`${gateway.url}/notifications/stream`, {
      headers: { 'X-API-Key': gateway.key, 'Last-Event-ID': `${since}.0-0` },
    });
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body!) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes(`"${missed.id}-`)) break;
    }
    expect(text).to.match(/^retry: 2000\n\n/);
    expect(text).to.match(new RegExp(`^id: \\d{13}\\.${missed.id}-1$`, 'm'));
  });

  it('ends when its key is revoked, and shows nothing afterwards', async () => {
    const { keys } = gateway.gateway.access;
    const { key, keyId } = await keys.create({ owner: 'demo', environment: 'sandbox' });
    const response = await fetch(`${gateway.url}/notifications/stream`, { headers: { 'X-API-Key': key } });
    let text = '';
    const ended = (async () => {
      const decoder = new TextDecoder();
      for await (const chunk of response.body!) text += decoder.decode(chunk, { stream: true });
    })();
    const before = await pay();
    await until('it shows what happens', () => text.includes(`"${before.id}-`));
    await keys.revoke(keyId);
    await ended;
    const after = await pay();
    expect(text).not.to.contain(`"${after.id}-`);
    const { status } = await gateway.get('/notifications/stream', { 'X-API-Key': key });
    expect(status).to.equal(401);
  });

  it('has a limit of connections per merchant, and other merchants can still connect', async () => {
    const { keys } = gateway.gateway.access;
    const { key } = await keys.create({ owner: 'another', environment: 'sandbox' });
    const open: Response[] = [];
    try {
      const listen = async (apiKey: string): Promise<Response> => {
        const response = await fetch(`${gateway.url}/notifications/stream`, { headers: { 'X-API-Key': apiKey } });
        open.push(response);
        return response;
      };
      for (let count = 0; count < 10; count += 1) expect((await listen(key)).status).to.equal(200);
      const refused = await listen(key);
      expect([refused.status, refused.headers.get('retry-after')]).to.deep.equal([429, '60']);
      expect((await listen(gateway.key)).status).to.equal(200);
      await open[0]!.body!.cancel();
      await until('there is capacity again', async () => (await listen(key)).status === 200);
    } finally {
      for (const { body } of open) await body?.cancel();
    }
  });

  it('is refused to a key without the scope', async () => {
    const { keys } = gateway.gateway.access;
    const noScope = await keys.create({ owner: 'demo', environment: 'sandbox', scopes: ['payments:write'] });
    const { status, json } = await gateway.get('/notifications/stream', { 'X-API-Key': noScope.key });
    expect([status, json.code]).to.deep.equal([403, 'AUTH002']);
  });

  it('reaches an address on the laptop through paywright listen', async () => {
    const bin = join(root, 'core/cli/bin/paywright.mjs');
    const words = ['listen', '--url', gateway.url, '--api-key', gateway.key, '--forward-to', receiver.url];
    command = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    command.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text));
    command.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text));
    await until('it listens', () => err.includes('Listening to test events'));
    // The connection may not exist before the event: the test pays again until an event arrives.
    const paid: TestPayment[] = [];
    await until('an event arrived', async () => {
      paid.push(await pay());
      return receiver.received.some(({ json }) => paid.some(({ id }) => json.data.paymentRequest?.id === id));
    });
    const event = receiver.received.find(({ json }) => paid.some(({ id }) => json.data.paymentRequest?.id === id))!;
    expect(event.headers['x-webhook-mode']).to.equal('test');
    await verifyWebhook(event.body, event.headers, gateway.webhookSecret);
    await until('it prints the event', () => /payment\.\w+ {2}\d+-\d+ {2}200$/m.test(out));
  });

  it('is printed as JSON by paywright listen, with the key from the environment variable of the guide', async () => {
    command?.kill();
    const bin = join(root, 'core/cli/bin/paywright.mjs');
    const words = [bin, 'listen', '--url', gateway.url, '--json'];
    const env = { ...process.env, KEY: gateway.key };
    command = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    command.stdout!.setEncoding('utf8').on('data', (text: string) => (out += text));
    command.stderr!.setEncoding('utf8').on('data', (text: string) => (err += text));
    await until('it listens', () => err.includes('Listening to test events'));
    const ids = new Set<string>();
    const shown = await until('an event arrived', async () => {
      ids.add(`${(await pay()).id}-1`);
      const lines = out.split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line) as { id: string; body: string }).find(({ id }) => ids.has(id));
    });
    expect(JSON.parse(shown.body)).to.have.nested.property('data.paymentRequest');
  });
});
