import {
  defineRoute,
  genuine,
  invalidSignature,
  malformed,
  text,
  type AckOutcome,
  type AdapterContext,
  type CallbackRoute,
  type RawCallback,
  type ReportedEvent,
} from '@paywright/contract';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { pino } from 'pino';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';
import { createProviderCalls, type ProviderCalls } from './calls.ts';
import { createRegistry, type FoundRoute } from './registry.ts';
import { fakeActive, fakeOptions } from './testing/fake-adapter.ts';

const payload = '4111111111111111';
const raw: RawCallback = {
  method: 'POST',
  path: '/callbacks/acme',
  query: '',
  headers: [],
  body: Buffer.from(payload),
  remoteAddress: '127.0.0.1',
  receivedAt: new Date(0),
};
const event: ReportedEvent = {
  kind: 'payment',
  providerStatus: 'paid',
  reference: 'GW-10042-1',
  providerReference: null,
  amount: '25.90',
  currency: 'EUR',
  dedupeKey: null,
};
type Route = CallbackRoute<AdapterOptions, string>;

describe('createProviderCalls for callbacks', () => {
  const open: ProviderCalls[] = [];
  after(() => open.forEach((calls) => calls.stop()));
  const good: Route = {
    path: 'acme',
    method: 'POST',
    caller: 'server',
    reports: 'payments',
    verifySignature: ({ body }) => genuine(Buffer.from(body).toString()),
    parseCallback: ({ value }) => ({ events: value === payload ? [event] : [] }),
  };

  function create(changes: { readonly [K in keyof Route]?: unknown } = {}, callbackSandbox = false) {
    const lines: string[] = [];
    const route = defineRoute({ ...good, ...changes } as Route);
    const registry = createRegistry([fakeActive({ adapter: { callbacks: [route] } })]);
    const calls = createProviderCalls({
      registry,
      callbackSandbox,
      config: {
        callTimeoutMs: 20_000,
        concurrency: 1,
        breakerFailures: 20,
        breakerCoolOffMs: 1000,
        verifyTimeoutMs: 10,
      },
      publicUrl: 'https://pay.example',
      now: () => new Date(0),
      log: pino({}, { write: (line: string) => void lines.push(line) }),
      transcript: () => undefined,
    });
    open.push(calls);
    const found: FoundRoute = registry.route('POST', 'acme')!;
    return { calls, found, lines };
  }
  const genuinely = genuine(payload) as unknown as { verified: Parameters<ProviderCalls['parse']>[1] };

  it('verifies, parses and maps a callback', async () => {
    const { calls, found, lines } = create();
    const { verdict, ...by } = await calls.verify(found, raw);
    expect(by).to.deep.equal({ side: 'live' });
    expect(verdict.verdict).to.equal('genuine');
    if (verdict.verdict !== 'genuine') throw new Error('unreachable');
    expect(calls.parse(found, verdict.verified, by)).to.deep.equal({ events: [{ ...event, status: 'succeeded' }] });
    expect(calls.acknowledge(found, { outcome: 'accepted', raw }, 'live')).to.deep.equal(text('OK'));
    expect(calls.probe(found, verdict.verified, 'live')).to.equal(undefined);
    expect(lines).to.deep.equal([]);
  });

  for (const [what, verifySignature] of [
    ['throws', () => JSON.parse(`{${payload}`) as unknown],
    ['rejects', async () => Promise.reject(new Error(payload))],
    ['never settles', async () => new Promise(() => undefined)],
    ['returns true', () => true],
    ['returns genuine without a proof', () => ({ verdict: 'genuine' })],
    ['returns an unknown verdict', () => ({ verdict: 'perhaps', reason: 'x' })],
    ['returns nothing', () => undefined],
  ] as const) {
    it(`answers try_later if verifySignature ${what}`, async () => {
      const { calls, found, lines } = create({ verifySignature });
      expect((await calls.verify(found, raw)).verdict).to.include({ verdict: 'try_later' });
      expect(lines).to.have.length(1);
      expect(lines[0]).to.contain('"adapter":"acme"').and.not.contain(payload);
    });
  }

  it('answers try_later without a request if the proof needs one and none may be sent', async () => {
    const { calls, found, lines } = create({
      verifySignature: async (_: unknown, { http }: AdapterContext<AdapterOptions>) => {
        await http.send({ method: 'GET', path: '/key' });
        return genuine('never');
      },
    });
    const { verdict } = await calls.verify(found, raw, { mayCall: false });
    const reason = 'the provider was not called: this call makes no requests';
    expect([verdict, lines]).to.deep.equal([{ verdict: 'try_later', reason }, []]);
  });

  it('returns the keys of the accounts that a callback names', () => {
    const hintOf = (accountHint?: unknown) => {
      const { calls, found } = create(accountHint === undefined ? {} : { accountHint });
      return calls.hint(found, raw);
    };
    expect(hintOf(({ body }: RawCallback) => Buffer.from(body).toString())).to.deep.equal([payload]);
    expect(hintOf(() => ['EU', 'PT'])).to.deep.equal(['EU', 'PT']);
    expect([hintOf(), hintOf(() => undefined), hintOf(() => [])]).to.deep.equal([undefined, undefined, undefined]);
    const broken = [() => JSON.parse(`{${payload}`) as unknown, () => 7, async () => 'EU', () => ['EU', null]];
    expect(broken.map((hint) => hintOf(hint))).to.deep.equal(broken.map(() => undefined));
  });

  it('returns refusals with the mode of the environment', async () => {
    const { calls, found } = create(
      {
        verifySignature: (_: unknown, { sandbox }: { sandbox: boolean }) => ({
          verdict: 'stale',
          reason: `${sandbox}`,
        }),
      },
      true,
    );
    expect(await calls.verify(found, raw)).to.deep.equal({
      verdict: { verdict: 'stale', reason: 'true' },
      side: 'test',
    });
  });

  describe('with separate sandbox options', () => {
    const sides = { ...fakeOptions, key: 'the live key' };
    const sandboxOptions = { ...sides, key: 'the test key' };
    const bySecret = defineRoute<AdapterOptions & { key?: string }, string>({
      ...good,
      verifySignature: ({ body }, { options }) =>
        options.key && Buffer.from(body).toString() === options.key
          ? genuine(payload)
          : body.length === 0
            ? malformed('empty')
            : invalidSignature('another key'),
      acknowledge: (_, { options }) => text(options.key ?? ''),
    });
    const { calls } = create();
    const routeOf = (active: ActiveAdapter): FoundRoute => createRegistry([active]).route('POST', 'acme')!;
    const found = routeOf(fakeActive({ adapter: { callbacks: [bySecret] }, options: sides, sandboxOptions }));
    const sent = (body: string): RawCallback => ({ ...raw, body: Buffer.from(body) });

    for (const [side, key] of [
      ['live', sides.key],
      ['test', sandboxOptions.key],
    ] as const) {
      it(`sets the mode whose secret fits: ${side}`, async () => {
        const { verdict, ...by } = await calls.verify(found, sent(key));
        expect(by).to.deep.equal({ side, mode: side });
        if (verdict.verdict !== 'genuine') throw new Error(verdict.verdict);
        const parsed = calls.parse(found, verdict.verified, by);
        expect(parsed).to.deep.equal({ events: [{ ...event, mode: side, status: 'succeeded' }] });
        expect(calls.acknowledge(found, { outcome: 'accepted', raw }, by.side)).to.deep.equal(text(key));
      });
    }

    it('refuses a callback that fits no mode, with the most specific refusal', async () => {
      expect((await calls.verify(found, sent('wrong'))).verdict.verdict).to.equal('invalid_signature');
      expect(await calls.verify(found, sent(''))).to.deep.include({ side: 'live' });
      expect((await calls.verify(found, sent(''))).verdict.verdict).to.equal('malformed');
    });

    it('yields to the event loop between the two modes', async () => {
      const order: string[] = [];
      const noting = defineRoute<AdapterOptions & { key?: string }, string>({
        ...good,
        verifySignature(_, { options }) {
          order.push(options.key ?? '');
          setImmediate(() => order.push('other work'));
          return invalidSignature('another key');
        },
      });
      const either = fakeActive({ adapter: { callbacks: [noting] }, options: sides, sandboxOptions });
      await calls.verify(routeOf(either), sent('wrong'));
      expect(order).to.deep.equal([sides.key, 'other work', sandboxOptions.key]);
    });

    it('sets no mode if both modes share one secret', async () => {
      const shared = routeOf(fakeActive({ adapter: { callbacks: [bySecret] }, options: sides }));
      const { verdict, ...by } = await calls.verify(shared, sent(sides.key));
      expect([verdict.verdict, by]).to.deep.equal(['genuine', { side: 'live' }]);
    });
  });

  for (const [what, parseCallback] of [
    ['throws', () => JSON.parse(`{${payload}`) as unknown],
    ['returns a promise that rejects', async () => Promise.reject(new Error(payload))],
    ['returns an invalid answer', () => ({ events: [event, { ...event, amount: 25.9 }] })],
    ['returns nothing', () => undefined],
  ] as const) {
    it(`reports a callback as malformed if parseCallback ${what}`, () => {
      const { calls, found, lines } = create({ parseCallback });
      expect(calls.parse(found, genuinely.verified, { side: 'live' })).to.have.all.keys('malformed');
      expect(lines.join()).not.to.contain(payload);
    });
  }

  it('does not end the process if parseCallback returns a promise that rejects', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const { calls, found } = create({ parseCallback: async () => Promise.reject(new Error(payload)) });
    calls.parse(found, genuinely.verified, { side: 'live' });
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', listener);
    expect(unhandled).to.deep.equal([]);
  });

  it('allows no HTTP call during parsing', () => {
    let sent: Promise<unknown> | undefined;
    const { calls, found } = create({
      parseCallback(_: unknown, { http }: { http: { send(request: object): Promise<unknown> } }) {
        sent = http.send({ method: 'GET', path: '/x' });
        return { events: [], refused: 2 };
      },
    });
    expect(calls.parse(found, genuinely.verified, { side: 'live' })).to.deep.equal({ events: [], refused: 2 });
    return sent!.then(
      () => expect.fail('the request was sent'),
      (error: unknown) => expect(error).to.include({ failure: 'not_sent' }),
    );
  });

  for (const [what, acknowledge] of [
    ['throws', () => JSON.parse('{') as unknown],
    ['returns a promise', async () => text('fine')],
    ['returns an invalid status', () => ({ status: 20, body: '' })],
    ['returns a header with a line break', () => ({ status: 200, headers: { X: 'a\r\nb' }, body: '' })],
    ['returns bytes', () => ({ status: 200, body: Buffer.from('x') })],
  ] as const) {
    it(`returns the default answer if acknowledge ${what}`, () => {
      const { calls, found } = create({ acknowledge });
      const answers = (['accepted', 'invalid_signature', 'try_later'] as AckOutcome[]).map(
        (outcome) => calls.acknowledge(found, { outcome, raw }, 'live').status,
      );
      expect(answers).to.deep.equal([200, 401, 503]);
    });
  }

  it('returns the answer of the adapter', () => {
    const { calls, found } = create({
      acknowledge: ({ outcome }: { outcome: string }) => text(`[${outcome}]`, 202),
      probe: ({ value }: { value: string }) => (value === payload ? { status: 200, body: null } : undefined),
    });
    expect(calls.acknowledge(found, { outcome: 'duplicate', raw }, 'live')).to.deep.equal(text('[duplicate]', 202));
    expect(calls.probe(found, genuinely.verified, 'live')).to.deep.equal({ status: 200, body: null });
  });

  it('returns no handshake if probe fails', () => {
    const { calls, found } = create({
      probe() {
        throw new Error('no');
      },
    });
    expect(calls.probe(found, genuinely.verified, 'live')).to.equal(undefined);
  });
});
