/** The requests that the client sends and repeats, against a gateway that answers as each test says. */
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createClient, GatewayError, NoAnswerError } from '../index.ts';
import type { GatewayClient } from '../index.ts';

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly redirect: string | undefined;
  readonly headers: Headers;
  readonly body: unknown;
}

type Reply = () => Response | Promise<Response>;

const done: Reply = () => Response.json({ result: 'OK', paymentRequest: { id: 10042, amount: 25.9 }, action: null });
const lost: Reply = async () => Promise.reject(new TypeError('fetch failed'));
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  () => {
    const problem = { status, code, detail: 'what is wrong', details: { field: 'amount' } };
    return Response.json(problem, { status, headers: { 'Content-Type': 'application/problem+json', ...headers } });
  };
const atOnce = { 'Retry-After': '0' };
const order = { amount: '25.90', unit: 'EUR' };

describe('a call of the client', () => {
  let sent: Sent[];
  let replies: Reply[];
  let client: GatewayClient;
  beforeEach(() => {
    sent = [];
    client = createClient({
      baseUrl: 'https://pay.example/prefix/',
      apiKey: 'gk_test_1',
      async fetch(url, init) {
        const { method, redirect, headers, body } = init ?? {};
        sent.push({ url: new Request(url).url, method, redirect, headers: new Headers(headers), body });
        init?.signal?.throwIfAborted();
        return (replies[sent.length - 1] ?? expect.fail('it is sent too often'))();
      },
    });
  });
  const keys = (): (string | null)[] => sent.map(({ headers }) => headers.get('Idempotency-Key'));
  const failure = async (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => expect.fail('it succeeds'),
      (error: unknown) => error,
    );

  it('requires a key', () => {
    expect(() => createClient({ baseUrl: 'https://pay.example', apiKey: undefined })).to.throw(TypeError, 'apiKey');
  });

  it('sends address, key and body, with amounts as they are spelled', async () => {
    replies = [done];
    const { paymentRequest } = await client.createPaymentRequest(order, {
      query: { send: true, applicantId: undefined },
    });
    expect(paymentRequest).to.deep.equal({ id: 10042, amount: '25.9' });
    const [{ url, method, headers, body } = expect.fail()] = sent;
    expect([url, method, body]).to.deep.equal([
      'https://pay.example/prefix/payment-requests?send=true',
      'POST',
      '{"amount":25.90,"unit":"EUR"}',
    ]);
    expect([headers.get('X-API-Key'), headers.get('Content-Type')]).to.deep.equal(['gk_test_1', 'application/json']);
    expect(headers.get('Idempotency-Key')).to.match(/^[\da-f-]{36}$/);
  });

  it('sends no body if there is none, and no Idempotency-Key with a read', async () => {
    replies = [done, done, done];
    await client.refund(10042);
    await client.resendNotification('10042-1/..', undefined, { idempotencyKey: 'again-1' });
    await client.getPaymentRequest(10042);
    expect(sent.map(({ url, body }) => [url.slice('https://pay.example/prefix'.length), body])).to.deep.equal([
      ['/payment-requests/10042/refund', undefined],
      ['/notifications/10042-1%2F../resend', undefined],
      ['/payment-requests/10042', undefined],
    ]);
    expect(keys().slice(1)).to.deep.equal(['again-1', null]);
  });

  it('is repeated with the same key if there was no answer, and each call has a key of its own', async () => {
    replies = [lost, lost, done, done];
    await client.createPaymentRequest(order);
    await client.createPaymentRequest(order);
    const [first, second, third, other] = keys();
    expect([second, third]).to.deep.equal([first, first]);
    expect(other).not.to.equal(first);
  });

  for (const [what, reply] of [
    ['the gateway says to wait', refuse(429, 'RATE001', atOnce)],
    ['no work was started', refuse(503, 'SYS002', atOnce)],
    ['the gateway failed', refuse(500, 'SYS001', atOnce)],
    ['a proxy answers', () => new Response('<html>', { status: 502, headers: atOnce })],
  ] as const) {
    it(`is repeated if ${what}`, async () => {
      replies = [reply, done];
      await client.refund(10042, { amount: '5.00' });
      expect(sent).to.have.length(2);
      expect(new Set(keys()).size).to.equal(1);
    });
  }

  it('is repeated while its first attempt, whose answer was lost, still runs; otherwise IDEM001 is final', async () => {
    replies = [lost, refuse(400, 'IDEM001', atOnce), done];
    await client.createPaymentRequest(order);
    expect(sent).to.have.length(3);
    replies = [...replies, refuse(400, 'IDEM001', atOnce)];
    expect(await failure(client.createPaymentRequest(order))).to.include({ code: 'IDEM001' });
  });

  it('is not repeated if the gateway refused, or charged nothing and released the key', async () => {
    for (const [status, code] of [
      [400, 'PAY001'],
      [400, 'VAL002'],
      [404, 'NF001'],
      [500, 'PAY005'],
    ] as const) {
      sent = [];
      replies = [refuse(status, code)];
      const error = await failure(client.refund(10042, {}, { idempotencyKey: 'refund-1' }));
      if (!(error instanceof GatewayError)) throw error;
      const { message, idempotencyKey } = error;
      expect([error.status, error.code, message, idempotencyKey]).to.deep.equal([
        status,
        code,
        `${code}: what is wrong`,
        'refund-1',
      ]);
    }
  });

  it('types the details of a problem by its code', async () => {
    replies = [refuse(400, 'VAL002')];
    const error = await failure(client.createPaymentRequest(order));
    if (!(error instanceof GatewayError) || error.problem.code !== 'VAL002') throw error;
    expect(error.problem.details.field).to.equal('amount');
  });

  it('gives up after its repetitions, and names the key that finds out what happened', async () => {
    client = createClient({ baseUrl: 'https://pay.example', apiKey: 'k', retries: 1, fetch: async () => lost() });
    const error = await failure(client.createPaymentRequest(order, { idempotencyKey: 'order-1001' }));
    expect(error).to.be.instanceOf(NoAnswerError).and.include({ idempotencyKey: 'order-1001', status: undefined });
    expect((error as Error).message).to.equal('POST /payment-requests: the gateway did not answer');
    expect((error as Error).cause).to.be.instanceOf(TypeError);
  });

  it('waits at most a minute, but says how long it should wait', async () => {
    replies = [refuse(429, 'RATE001', { 'Retry-After': '61' })];
    expect(await failure(client.refund(10042))).to.include({ code: 'RATE001', retryAfterSeconds: 61 });
  });

  it('follows no redirect, because its key would go with it', async () => {
    replies = [() => new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example' } })];
    expect(await failure(client.getPaymentRequest(10042)))
      .to.be.instanceOf(NoAnswerError)
      .and.include({ status: 302 });
    expect(sent.map(({ redirect }) => redirect)).to.deep.equal(['manual']);
  });

  it('ends on the caller’s signal, also while it waits', async () => {
    const controller = new AbortController();
    const reason = new Error('the shopper left');
    replies = [refuse(503, 'SYS002', { 'Retry-After': '30' })];
    const call = failure(client.refund(10042, {}, { signal: controller.signal }));
    setTimeout(() => controller.abort(reason), 20);
    expect(await call).to.equal(reason);
    expect(await failure(client.refund(10042, {}, { signal: controller.signal }))).to.equal(reason);
  });

  it('ends an attempt that takes too long', async () => {
    const hanging = createClient({
      baseUrl: 'https://pay.example',
      apiKey: 'k',
      retries: 0,
      timeoutMs: 1,
      fetch: async (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
    });
    expect(await failure(hanging.getPaymentRequest(10042))).to.be.instanceOf(NoAnswerError);
  });
});
