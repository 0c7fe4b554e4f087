import {
  defineRoute,
  genuine,
  text,
  type AckOutcome,
  type CallbackRoute,
  type RawCallback,
  type ReportedEvent,
} from '@gateway/contract';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { pino } from 'pino';
import type { AdapterOptions } from './load/load-adapters.ts';
import { createProviderCalls, type ProviderCalls } from './provider-calls.ts';
import { createRegistry, type FoundRoute } from './registry.ts';
import { fakeActive } from './testing/fake-adapter.ts';

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
  word: 'paid',
  reference: 'GW-10042-1',
  providerReference: null,
  amount: '25.90',
  currency: 'EUR',
  dedupeKey: null,
};
type Route = CallbackRoute<AdapterOptions, string>;

describe('createProviderCalls for callbacks', () => {
  const open: ProviderCalls[] = [];
  after(() => open.forEach((calls) => calls.close()));
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
        callTimeoutMs: 1000,
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
  const proven = genuine(payload) as unknown as { proven: Parameters<ProviderCalls['parse']>[1] };

  it('proves, reads and states what a callback says', async () => {
    const { calls, found, lines } = create();
    const verdict = await calls.verify(found, raw);
    expect(verdict.verdict).to.equal('genuine');
    if (verdict.verdict !== 'genuine') throw new Error('unreachable');
    expect(calls.parse(found, verdict.proven)).to.deep.equal({ events: [{ ...event, status: 'succeeded' }] });
    expect(calls.acknowledge(found, { outcome: 'accepted', raw })).to.deep.equal(text('OK'));
    expect(calls.probe(found, verdict.proven)).to.equal(undefined);
    expect(lines).to.deep.equal([]);
  });

  for (const [what, verifySignature] of [
    ['throws', () => JSON.parse(`{${payload}`) as unknown],
    ['rejects', async () => Promise.reject(new Error(payload))],
    ['never settles', async () => new Promise(() => undefined)],
    ['says yes', () => true],
    ['says genuine without a proof', () => ({ verdict: 'genuine' })],
    ['says what nobody knows', () => ({ verdict: 'perhaps', reason: 'x' })],
    ['gives nothing', () => undefined],
  ] as const) {
    it(`asks to send again where verifySignature ${what}`, async () => {
      const { calls, found, lines } = create({ verifySignature });
      expect(await calls.verify(found, raw)).to.include({ verdict: 'try_later' });
      expect(lines).to.have.length(1);
      expect(lines[0]).to.contain('"adapter":"acme"').and.not.contain(payload);
    });
  }

  it('passes refusals and the environment’s side on', async () => {
    const { calls, found } = create(
      {
        verifySignature: (_: unknown, { sandbox }: { sandbox: boolean }) => ({
          verdict: 'stale',
          reason: `${sandbox}`,
        }),
      },
      true,
    );
    expect(await calls.verify(found, raw)).to.deep.equal({ verdict: 'stale', reason: 'true' });
  });

  for (const [what, parseCallback] of [
    ['throws', () => JSON.parse(`{${payload}`) as unknown],
    ['gives a promise that fails', async () => Promise.reject(new Error(payload))],
    ['gives nonsense', () => ({ events: [event, { ...event, amount: 25.9 }] })],
    ['gives nothing', () => undefined],
  ] as const) {
    it(`keeps a callback for a person where parseCallback ${what}`, () => {
      const { calls, found, lines } = create({ parseCallback });
      expect(calls.parse(found, proven.proven)).to.have.all.keys('malformed');
      expect(lines.join()).not.to.contain(payload);
    });
  }

  it('does not let a promise that fails where none belongs end the process', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown): number => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const { calls, found } = create({ parseCallback: async () => Promise.reject(new Error(payload)) });
    calls.parse(found, proven.proven);
    await new Promise((done) => setImmediate(done));
    process.off('unhandledRejection', listener);
    expect(unhandled).to.deep.equal([]);
  });

  it('lends no way out while it reads', () => {
    let sent: Promise<unknown> | undefined;
    const { calls, found } = create({
      parseCallback(_: unknown, { http }: { http: { send(request: object): Promise<unknown> } }) {
        sent = http.send({ method: 'GET', path: '/x' });
        return { events: [], refused: 2 };
      },
    });
    expect(calls.parse(found, proven.proven)).to.deep.equal({ events: [], refused: 2 });
    return sent!.then(
      () => expect.fail('it was sent'),
      (error: unknown) => expect(error).to.include({ failure: 'not_sent' }),
    );
  });

  for (const [what, acknowledge] of [
    ['throws', () => JSON.parse('{') as unknown],
    ['gives a promise', async () => text('fine')],
    ['gives a status that is none', () => ({ status: 20, body: '' })],
    ['gives a header with a line break', () => ({ status: 200, headers: { X: 'a\r\nb' }, body: '' })],
    ['gives bytes', () => ({ status: 200, body: Buffer.from('x') })],
  ] as const) {
    it(`answers by default where acknowledge ${what}`, () => {
      const { calls, found } = create({ acknowledge });
      const answers = (['accepted', 'bad_signature', 'try_later'] as AckOutcome[]).map(
        (outcome) => calls.acknowledge(found, { outcome, raw }).status,
      );
      expect(answers).to.deep.equal([200, 401, 503]);
    });
  }

  it('answers as the adapter says', () => {
    const { calls, found } = create({
      acknowledge: ({ outcome }: { outcome: string }) => text(`[${outcome}]`, 202),
      probe: ({ value }: { value: string }) => (value === payload ? { status: 200, body: null } : undefined),
    });
    expect(calls.acknowledge(found, { outcome: 'duplicate', raw })).to.deep.equal(text('[duplicate]', 202));
    expect(calls.probe(found, proven.proven)).to.deep.equal({ status: 200, body: null });
  });

  it('sees no handshake where probe fails', () => {
    const { calls, found } = create({
      probe() {
        throw new Error('no');
      },
    });
    expect(calls.probe(found, proven.proven)).to.equal(undefined);
  });
});
