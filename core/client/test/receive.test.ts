import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { createReceiver, toExpress, toFetchHandler, type Receiver, type ReceiverOptions } from '../receive/index.ts';

const secret = 'whsec_c2VjcmV0IG9mIHRoZSBzaG9wLCAzMiBieXRlcyE=';
const body = '{"id":"10042-1","type":"payment.succeeded","data":{"paymentRequest":{"amount":25.90}}}';

function signedNow(by = secret): Record<string, string> {
  const at = new Date();
  return {
    'webhook-id': '10042-1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(by).sign('10042-1', at, body),
  };
}

interface Shop {
  readonly receiver: Receiver;
  readonly stored: string[];
  readonly errors: string[];
}

function createShop(options: Partial<ReceiverOptions> = {}): Shop {
  const stored: string[] = [];
  const errors: string[] = [];
  const receiver = createReceiver({
    secret,
    store: (_notification, rawBody) => void stored.push(rawBody),
    onError: (error) => errors.push((error as Error).message),
    ...options,
  });
  return { receiver, stored, errors };
}

describe('createReceiver', () => {
  it('stores a genuine notification with its exact bytes, and answers 204', async () => {
    const { receiver, stored, errors } = createShop();
    expect(await receiver.receive(new TextEncoder().encode(body), signedNow())).to.equal(204);
    expect(stored).to.deep.equal([body]);
    expect(errors).to.deep.equal([]);
  });

  it('answers 401 to a message of another secret, and stores nothing', async () => {
    const { receiver, stored, errors } = createShop();
    const other = signedNow('whsec_dGhlIHNlY3JldCBiZWZvcmUsIDMyIGJ5dGVzIHRvbyE=');
    expect(await receiver.receive(body, other)).to.equal(401);
    expect(stored).to.deep.equal([]);
    expect(errors).to.deep.equal(['no signature matches this secret and these bytes']);
  });

  it('answers 500 if the notification could not be stored, so that it is sent again, and starts no work', async () => {
    const started: string[] = [];
    const { receiver, errors } = createShop({
      store: async () => Promise.reject(new Error('the disk is full')),
      onStored: ({ id }) => void started.push(id),
    });
    expect(await receiver.receive(body, signedNow())).to.equal(500);
    await new Promise((done) => setTimeout(done, 0));
    expect(errors).to.deep.equal(['the disk is full']);
    expect(started).to.deep.equal([]);
  });

  it('answers before the work starts, and reports the error of the work', async () => {
    const order: string[] = [];
    const failed = new Promise<void>((done) => {
      const { receiver } = createShop({
        onStored: () => {
          order.push('work');
          throw new Error('the warehouse is closed');
        },
        onError: (error) => {
          order.push((error as Error).message);
          done();
        },
      });
      void receiver.receive(body, signedNow()).then((status) => order.push(`answer ${status}`));
    });
    await failed;
    expect(order).to.deep.equal(['answer 204', 'work', 'the warehouse is closed']);
  });

  it('answers 500 and names the cure if the secret is missing', async () => {
    const { receiver, errors } = createShop({ secret: undefined });
    expect(await receiver.receive(body, signedNow())).to.equal(500);
    expect(errors.join()).to.contain('use the secret that the operator gave you');
  });
});

describe('toFetchHandler', () => {
  it('receives a request of fetch', async () => {
    const { receiver, stored } = createShop();
    const request = new Request('http://shop.example/webhooks', { method: 'POST', body, headers: signedNow() });
    const response = await toFetchHandler(receiver)(request);
    expect([response.status, await response.text()]).to.deep.equal([204, '']);
    expect(stored).to.deep.equal([body]);
  });

  it('refuses a body that is larger than any notification', async () => {
    const { receiver, stored } = createShop();
    const large = { method: 'POST', body: 'x'.repeat(1_048_577), headers: signedNow() };
    const response = await toFetchHandler(receiver)(new Request('http://shop.example/webhooks', large));
    expect(response.status).to.equal(413);
    expect(stored).to.deep.equal([]);
  });

  it('answers 500 if the connection ends within the body', async () => {
    const { receiver, errors } = createShop();
    const ended = new ReadableStream({ pull: (controller) => controller.error(new Error('the connection ended')) });
    const init = { method: 'POST', body: ended, headers: signedNow(), duplex: 'half' } as RequestInit;
    const response = await toFetchHandler(receiver)(new Request('http://shop.example/webhooks', init));
    expect([response.status, errors]).to.deep.equal([500, ['the connection ended']]);
  });
});

describe('toExpress', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  async function post(
    shop: Shop,
    text: string,
    prepare?: (request: IncomingMessage) => Promise<void>,
  ): Promise<number> {
    const handle = toExpress(shop.receiver);
    server = createServer((request, response) => {
      void Promise.resolve(prepare?.(request)).then(async () => handle(request, response));
    });
    await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body: text, headers: signedNow() });
    return response.status;
  }

  it('reads the body itself', async () => {
    const shop = createShop();
    expect(await post(shop, body)).to.equal(204);
    expect(shop.stored).to.deep.equal([body]);
  });

  it('uses the bytes that a framework has read', async () => {
    const shop = createShop();
    const status = await post(shop, body, async (request) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
      Object.assign(request, { body: Buffer.concat(chunks) });
    });
    expect([status, shop.stored]).to.deep.equal([204, [body]]);
  });

  it('answers 500 and names the cure if a parser has read the body', async () => {
    const shop = createShop();
    const status = await post(shop, body, async (request) => {
      for await (const _chunk of request) continue;
      Object.assign(request, { body: JSON.parse(body) as unknown });
    });
    expect([status, shop.stored]).to.deep.equal([500, []]);
    expect(shop.errors.join()).to.contain('mount the receiver before the parser of JSON bodies');
  });

  it('refuses a body that is larger than any notification', async () => {
    const shop = createShop();
    expect(await post(shop, 'x'.repeat(1_048_577))).to.equal(413);
    expect(shop.stored).to.deep.equal([]);
  });
});
