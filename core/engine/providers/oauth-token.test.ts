/** The contract's `oauthToken` behind core's own HTTP client, cache and guarded calls. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  clientCredentials,
  httpFailure,
  oauthToken,
  unknown,
  type AdapterContext,
  type OauthTokenSetup,
  type Outcome,
} from '@paywright/contract';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import nock from 'nock';
import { pino } from 'pino';
import { createProviderCalls, type ProviderCalls, type ProviderCallsDeps } from './calls.ts';
import type { AdapterOptions } from './load/load-adapters.ts';
import { createRegistry } from './registry.ts';
import { fakeActive, fakePayment, type FakeChanges } from './testing/fake-adapter.ts';

const client = { id: 'shop-7', secret: 'a client secret' };
const payment = { ...fakePayment, input: 'billing', payer: { ipAddress: null } } as never;
const refund = { reference: 'GW-10042-1-R1', money: fakePayment.money, note: null, refundedSoFar: '0' };

type Context = AdapterContext<AdapterOptions>;

describe('oauthToken', () => {
  let server: http.Server;
  let baseUrl = '';
  /** Times of the requests for a token. */
  let asked: number[] = [];
  /** Tokens that the provider still accepts. */
  let valid = new Set<string>();
  /** `Authorization` of each payment that arrived, in order. */
  let paid: string[] = [];
  let grant: http.RequestListener = () => undefined;
  let pay: http.RequestListener = () => undefined;
  let clock = 0;
  let lines: string[] = [];
  let alarms: string[] = [];
  const open: ProviderCalls[] = [];

  before(async () => {
    nock.restore(); // see provider-http.test.ts
    server = http.createServer((request, response) => {
      if (request.url !== '/token') return pay(request, response);
      asked.push(clock);
      return grant(request, response);
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    nock.activate();
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    asked = [];
    valid = new Set();
    paid = [];
    lines = [];
    alarms = [];
    clock = Date.parse('2026-11-21T09:00:00Z');
    grant = (_, response) => {
      const token = `token-${asked.length}`;
      valid.add(token);
      answer(response, 200, { access_token: token, token_type: 'Bearer', expires_in: 3600 });
    };
    pay = (request, response) => {
      const given = request.headers.authorization ?? '';
      const isValid = valid.has(given.replace(/^Bearer /, ''));
      if (isValid) paid.push(given);
      answer(response, isValid ? 200 : 401, isValid ? { id: 'p-1' } : { error: 'invalid_token' });
    };
  });
  afterEach(() => {
    for (const calls of open.splice(0)) calls.stop();
  });

  function answer(response: http.ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  const accessOf = (changes: Partial<OauthTokenSetup<AdapterOptions>> = {}) =>
    oauthToken<AdapterOptions>({
      provider: 'Acme',
      account: () => client.id,
      credentials: 'clientId and clientSecret',
      request: () => clientCredentials('/token', client, { scope: 'payments' }),
      ...changes,
    });

  /** An adapter in a process of its own: another one has another cache. */
  function startProcess(
    changes: Partial<OauthTokenSetup<AdapterOptions>> = {},
    manifest: FakeChanges['manifest'] = {},
    config: Partial<ProviderCallsDeps['config']> = {},
  ): ProviderCalls {
    const access = accessOf(changes);
    const charge = async (ctx: Context): Promise<Outcome> => {
      const reply = await access.send(ctx, { method: 'POST', path: '/pay', body: '{}' });
      return reply.status === 200 ? { outcome: 'succeeded' } : unknown(`answered ${reply.status}`);
    };
    const adapter: FakeChanges['adapter'] = {
      submit: async (_, ctx) => charge(ctx),
      complete: async (_, __, ctx) => charge(ctx),
      refund: async (_, __, ctx) => charge(ctx),
      fetchStatus: async (_, ctx) => {
        const reply = await access.send(ctx, { method: 'GET', path: '/pay' });
        return reply.status === 200
          ? { result: 'waiting' }
          : { result: 'no_information', reason: `answered ${reply.status}` };
      },
    };
    const options = { baseUrl, sandboxBaseUrl: 'http://127.0.0.1:1' };
    const calls = createProviderCalls({
      registry: createRegistry([fakeActive({ adapter, manifest, options })]),
      callbackSandbox: false,
      config: { callTimeoutMs: 20_000, concurrency: 100, breakerFailures: 1000, breakerCoolOffMs: 1000, ...config },
      publicUrl: 'https://pay.example',
      now: () => new Date(clock),
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      transcript: (exchange) => lines.push(JSON.stringify(exchange)),
      raise: (kind, _, reason) => void alarms.push(`${kind}: ${reason}`),
    });
    open.push(calls);
    return calls;
  }
  const submitTimes = async (calls: ProviderCalls, times: number): Promise<Outcome[]> =>
    Promise.all(Array.from({ length: times }, async () => calls.submit('acme', payment)));
  const outcomesOf = (outcomes: readonly Outcome[]): string[] => [...new Set(outcomes.map(({ outcome }) => outcome))];
  const notSent = (reason: string) => ({ outcome: 'failed', nothingCharged: true, notSent: true, reason });

  it('sends each request with a token that is loaded once for 50 calls at the same time', async () => {
    let form = '';
    const first = grant;
    grant = (request, response) => {
      expect(request.method).to.equal('POST');
      expect(request.headers.authorization).to.equal(
        `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`,
      );
      request.on('data', (chunk) => (form += String(chunk)));
      request.on('end', () => first(request, response));
    };
    const calls = startProcess();
    expect(outcomesOf(await submitTimes(calls, 50))).to.deep.equal(['succeeded']);
    expect(form).to.equal('grant_type=client_credentials&scope=payments');
    expect(asked).to.have.length(1);
    expect(paid).to.deep.equal(Array.from({ length: 50 }, () => 'Bearer token-1'));
  });

  it('replaces a token a minute before it expires, counted from the request for it', async () => {
    const first = grant;
    grant = (request, response) => {
      clock += 10_000; // The provider is slow. Its seconds may count from the arrival of our request.
      first(request, response);
    };
    const calls = startProcess();
    await submitTimes(calls, 1);
    clock += 3600_000 - 60_000 - 10_000 - 1;
    await submitTimes(calls, 5);
    expect(asked).to.have.length(1);
    clock += 1;
    await submitTimes(calls, 5);
    expect(asked).to.have.length(2);
    expect(new Set(paid)).to.deep.equal(new Set(['Bearer token-1', 'Bearer token-2']));
  });

  for (const [given, keptMs] of [
    [{ expires_in: 60 }, 30_000],
    [{ expires_in: '1800' }, 1_740_000],
    [{}, 240_000],
    [{ expires_in: 'soon' }, 240_000],
    [{ expires_in: 0 }, 0],
    [{ expires_in: 9_007_199_254_740_991 }, 86_400_000],
  ] as const) {
    it(`keeps a token with ${JSON.stringify(given)} for ${keptMs / 1000} s`, async () => {
      grant = (_, response) => {
        valid.add('t');
        answer(response, 200, { access_token: 't', ...given });
      };
      const calls = startProcess();
      await submitTimes(calls, 1);
      clock += keptMs - 1;
      if (keptMs > 0) await submitTimes(calls, 1);
      expect(asked).to.have.length(1);
      clock += 1;
      await submitTimes(calls, 1);
      expect(asked).to.have.length(2);
    });
  }

  it('replaces a revoked token once for all calls that it fails, and repeats each request once', async () => {
    const calls = startProcess();
    await submitTimes(calls, 1);
    valid.clear();
    expect(outcomesOf(await submitTimes(calls, 50))).to.deep.equal(['succeeded']);
    expect(asked).to.have.length(2);
    expect(paid.slice(1)).to.deep.equal(Array.from({ length: 50 }, () => 'Bearer token-2'));
  });

  it('repeats a request once only: if the new token is refused too, that is the answer', async () => {
    let requests = 0;
    pay = (_, response) => {
      requests += 1;
      answer(response, 401, { error: 'invalid_token' });
    };
    const calls = startProcess();
    expect(await calls.submit('acme', payment)).to.deep.equal(unknown('answered 401'));
    expect([asked.length, requests]).to.deep.equal([2, 2]);
    const report = await calls.fetchStatus('acme', fakePayment);
    expect(report).to.deep.equal({ result: 'no_information', reason: 'answered 401' });
    expect([asked.length, requests]).to.deep.equal([3, 4]);
  });

  it('does not repeat a request if the provider gives the refused token again', async () => {
    grant = (_, response) => answer(response, 200, { access_token: 'same', expires_in: 3600 });
    let requests = 0;
    pay = (_, response) => {
      requests += 1;
      answer(response, 401, {});
    };
    expect(await startProcess().submit('acme', payment)).to.deep.equal(unknown('answered 401'));
    expect([asked.length, requests]).to.deep.equal([2, 1]);
  });

  it('never repeats a request after any other answer, or without one', async () => {
    for (const status of [400, 403, 500, 503]) {
      let requests = 0;
      pay = (_, response) => {
        requests += 1;
        answer(response, status, {});
      };
      expect(await startProcess().submit('acme', payment)).to.deep.equal(unknown(`answered ${status}`));
      expect(requests).to.equal(1);
    }
    let lost = 0;
    pay = (request) => {
      lost += 1;
      request.socket.destroy();
    };
    expect(await startProcess().submit('acme', payment)).to.include({ outcome: 'unknown' });
    expect(lost).to.equal(1);
  });

  it('does not ask for tokens without end if the provider refuses every token', async () => {
    pay = (_, response) => answer(response, 401, {});
    const calls = startProcess({}, { loadsPerMinute: 5 });
    const outcomes = await submitTimes(calls, 40);
    for (let n = 0; n < 20; n += 1) outcomes.push(await calls.submit('acme', payment));
    // The last token stays, so each call ends with the refusal of its request.
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).to.deep.equal(
      new Set([JSON.stringify(unknown('answered 401'))]),
    );
    expect(asked.length).to.be.at.most(5);
  });

  describe('without a token', () => {
    for (const [what, reply] of [
      ['401', { status: 401, body: '' }],
      ['401 invalid_client', { status: 401, body: '{"error":"invalid_client","error_description":"a client secret"}' }],
      ['400 invalid_client', { status: 400, body: '{"error":"invalid_client"}' }],
      ['403 unauthorized_client', { status: 403, body: '{"error":"unauthorized_client"}' }],
    ] as const) {
      it(`reports misconfigured credentials for ${what}, in every call`, async () => {
        grant = (_, response) => response.writeHead(reply.status).end(reply.body);
        const calls = startProcess();
        const reason = `Acme gave no access token (${what}): check clientId and clientSecret`;
        const refused = { ...notSent(reason), misconfigured: true };
        expect(await calls.submit('acme', payment)).to.deep.equal(refused);
        expect(await calls.refund('acme', fakePayment, { ...refund, isRepetition: false })).to.deep.equal(refused);
        // An earlier completion may have charged.
        expect(await calls.complete('acme', fakePayment, { kind: 'return' })).to.deep.equal(unknown(reason));
        expect(await calls.fetchStatus('acme', fakePayment)).to.deep.equal({ result: 'no_information', reason });
        expect(alarms).to.deep.equal(Array.from({ length: 4 }, () => `provider_misconfigured: ${reason}`));
        expect(paid).to.deep.equal([]);
      });
    }

    for (const [what, listener, reason] of [
      ['a proxy refuses the request', { status: 403, body: '<html>' }, 'Acme gave no access token (403)'],
      ['the provider fails', { status: 503, body: '' }, 'Acme gave no access token (503)'],
      ['the answer has no token', { status: 200, body: '{}' }, 'Acme gave no access token (200)'],
      [
        'a token does not fit into a header',
        { status: 200, body: '{"access_token":"a\\nb"}' },
        'Acme gave no access token (200)',
      ],
    ] as const) {
      it(`charges nothing if ${what}`, async () => {
        grant = (_, response) => response.writeHead(listener.status).end(listener.body);
        // The message of an adapter's own error is not shown, because it could hold data.
        const outcome = await startProcess().submit('acme', payment);
        expect(outcome).to.deep.equal(notSent('not sent (NoAccessTokenError)'));
        let thrown: unknown;
        const calls = createProviderCallsFor(async (ctx) => {
          await accessOf()
            .send(ctx, { method: 'POST', path: '/pay' })
            .catch((error: unknown) => (thrown = error));
        });
        await calls.submit('acme', payment);
        expect([httpFailure(thrown), (thrown as Error).message]).to.deep.equal(['not_sent', reason]);
        expect(alarms).to.deep.equal([]);
      });
    }

    it('charges nothing if the provider gives no answer, or cannot be reached', async () => {
      grant = (request) => request.socket.destroy();
      expect(await startProcess().submit('acme', payment)).to.include({ outcome: 'failed', notSent: true });
      const unreachable = startProcess({ request: () => ({ method: 'POST', path: '/token', to: 'sandboxBaseUrl' }) });
      expect(await unreachable.submit('acme', payment)).to.include({ outcome: 'failed', notSent: true });
      expect(paid).to.deep.equal([]);
    });

    it('charges nothing if the provider does not answer in time: its request ends before the load does', async () => {
      grant = () => undefined;
      const calls = startProcess({}, {}, { callTimeoutMs: 50 });
      expect(outcomesOf(await submitTimes(calls, 3))).to.deep.equal(['failed']);
      expect(await calls.submit('acme', payment)).to.deep.include({ nothingCharged: true, notSent: true });
    });

    it('charges nothing after a revoked token either: its 401 says that the request was not applied', async () => {
      const calls = startProcess();
      await submitTimes(calls, 1);
      valid.clear();
      grant = (request) => request.socket.destroy();
      expect(await calls.submit('acme', payment)).to.include({
        outcome: 'failed',
        nothingCharged: true,
        notSent: true,
      });
      grant = (_, response) => answer(response, 401, { error: 'invalid_client' });
      expect(await calls.submit('acme', payment)).to.include({ misconfigured: true, nothingCharged: true });
    });

    it('fails all calls that wait for the same token, and loads again for the next call', async () => {
      const works = grant;
      grant = (_, response) => answer(response, 503, {});
      const calls = startProcess();
      expect(outcomesOf(await submitTimes(calls, 50))).to.deep.equal(['failed']);
      expect(asked).to.have.length(1);
      grant = works;
      expect(outcomesOf(await submitTimes(calls, 2))).to.deep.equal(['succeeded']);
      expect(asked).to.have.length(2);
    });
  });

  it('loads one token per process, and survives that each token ends the one before', async () => {
    grant = (_, response) => {
      valid.clear();
      valid.add(`token-${asked.length}`);
      answer(response, 200, { access_token: `token-${asked.length}`, expires_in: 3600 });
    };
    const [one, two] = [startProcess(), startProcess()];
    expect(outcomesOf([...(await submitTimes(one, 1)), ...(await submitTimes(two, 1))])).to.deep.equal(['succeeded']);
    expect(asked).to.have.length(2);
    for (let n = 0; n < 3; n += 1) {
      expect(outcomesOf(await submitTimes(one, 1))).to.deep.equal(['succeeded']);
      expect(outcomesOf(await submitTimes(two, 1))).to.deep.equal(['succeeded']);
    }
    expect(asked).to.have.length(8);
  });

  it('never uses the token of another account', async () => {
    let account = 'shop-7';
    const calls = startProcess({ account: () => account });
    await submitTimes(calls, 1);
    account = 'shop-8';
    await submitTimes(calls, 1);
    account = 'shop-7';
    await submitTimes(calls, 1);
    expect(paid).to.deep.equal(['Bearer token-1', 'Bearer token-2', 'Bearer token-1']);
  });

  it('never uses a live token for a test payment, although both sides have one address', async () => {
    const calls = createProviderCallsFor(async (ctx) => {
      const access = accessOf();
      for (const sandbox of [false, true, false])
        await access.send({ ...ctx, sandbox }, { method: 'GET', path: '/pay' });
    });
    await calls.submit('acme', payment);
    expect(paid).to.deep.equal(['Bearer token-1', 'Bearer token-2', 'Bearer token-1']);
  });

  it('reads, sends and judges a token as the provider demands', async () => {
    grant = (_, response) => response.writeHead(201, { 'X-Session': 's-1' }).end();
    const seen: unknown[] = [];
    pay = (request, response) => {
      seen.push(request.headers['x-session']);
      answer(response, seen.length === 1 ? 440 : 200, {});
    };
    const calls = startProcess({
      readToken: ({ headers }) => {
        const token = headers.find(([name]) => name === 'X-Session')?.[1];
        return token === undefined ? undefined : { token: `${token}-${asked.length}`, expiresInSeconds: undefined };
      },
      authorize: (request, token) => ({ ...request, headers: { ...request.headers, 'X-Session': token } }),
      refusesToken: ({ status }) => status === 440,
    });
    expect(await calls.submit('acme', payment)).to.deep.equal({ outcome: 'succeeded' });
    expect(seen).to.deep.equal(['s-1-1', 's-1-2']);
  });

  it('puts no secret and no token into a log, an exchange or an alarm', async () => {
    const calls = startProcess();
    await submitTimes(calls, 2);
    valid.clear();
    await submitTimes(calls, 2);
    grant = (_, response) => answer(response, 401, { error: 'invalid_client', error_description: client.secret });
    valid.clear();
    await submitTimes(calls, 2);
    const said = [...lines, ...alarms].join('\n');
    expect(said).to.contain('/token').and.contain('Acme gave no access token');
    const basic = Buffer.from(`${client.id}:${client.secret}`).toString('base64');
    for (const secret of [client.secret, basic, 'token-']) expect(said).to.not.contain(secret);
  });

  /** An adapter whose `submit` only runs this. */
  function createProviderCallsFor(run: (ctx: Context) => Promise<void>): ProviderCalls {
    const adapter: FakeChanges['adapter'] = {
      submit: async (_, ctx) => {
        await run(ctx);
        return unknown('it is a test');
      },
    };
    const calls = createProviderCalls({
      registry: createRegistry([fakeActive({ adapter, options: { baseUrl, sandboxBaseUrl: baseUrl } })]),
      callbackSandbox: false,
      config: { callTimeoutMs: 20_000, concurrency: 4, breakerFailures: 20, breakerCoolOffMs: 1000 },
      publicUrl: 'https://pay.example',
      now: () => new Date(clock),
      log: pino({ level: 'silent' }),
      transcript: () => undefined,
    });
    open.push(calls);
    return calls;
  }
});
