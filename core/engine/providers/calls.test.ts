import http from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  misconfigured,
  nothingCharged,
  statusTable,
  ProviderCallError,
  type HttpRequest,
  type Outcome,
  type RefundRequest,
  type AdapterContext,
  type RefineStatus,
  type ReportedEvent,
  type StatusReport,
  type Submission,
} from '@paywright/contract';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import nock from 'nock';
import { pino } from 'pino';
import { createMetrics } from '../../base/metrics/index.ts';
import { valueOf } from '../../base/metrics/testing/read-page.ts';
import type { CallExchange, GuardedCallsDeps } from './guarded-call.ts';
import type { AdapterOptions } from './load/load-adapters.ts';
import { createProviderCalls, type ProviderCalls, type ProviderCallsDeps } from './calls.ts';
import { createRegistry, type Registry } from './registry.ts';
import { fakeActive, fakePayment, type FakeChanges } from './testing/fake-adapter.ts';

const payload = '4111111111111111';
const firstRefund = { note: null, refundedSoFar: '0', isRepetition: false };
const firstVoid = { reference: 'GW-10042-1-V' };
const submission: Submission = {
  ...fakePayment,
  input: 'card',
  card: { number: '4111111111111111', expiration: '12/30', expiryMonth: '12', expiryYear: '2030', cvv: '123' },
  payer: {
    name: 'A',
    email: 'a@b.example',
    phoneNumber: '0123456789',
    address: 'x',
    city: 'x',
    state: 'x',
    postalCode: '1',
    country: 'DE',
    ipAddress: null,
  },
};
const event: ReportedEvent = {
  kind: 'payment',
  providerStatus: 'paid',
  reference: 'GW-10042-1',
  providerReference: 'p1',
  amount: '25.90',
  currency: 'EUR',
  dedupeKey: 'p1:paid',
};
const post: HttpRequest = { method: 'POST', path: '/pay', body: payload };
type Adapter = NonNullable<FakeChanges['adapter']>;
type Context = AdapterContext<AdapterOptions>;

describe('createProviderCalls', () => {
  let server: http.Server;
  let sandboxBaseUrl = '';
  let baseUrl = '';
  let answer: http.RequestListener = (_, response) => response.end();
  let lines: Record<string, unknown>[] = [];
  let exchanges: CallExchange[] = [];
  let clock = 0;
  let metrics = createMetrics();
  const open: ProviderCalls[] = [];

  before(async () => {
    nock.restore(); // see provider-http.test.ts
    server = http.createServer((request, response) => answer(request, response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    sandboxBaseUrl = 'http://127.0.0.1:1'; // nothing listens there
  });
  after(() => {
    nock.activate();
    server.closeAllConnections();
    server.close();
  });
  afterEach(() => {
    for (const calls of open.splice(0)) calls.stop();
    answer = (_, response) => response.end();
    lines = [];
    exchanges = [];
    clock = 0;
    metrics = createMetrics();
  });

  function create(
    adapter: Adapter,
    config: Partial<GuardedCallsDeps['config']> = {},
    manifest: FakeChanges['manifest'] = {},
    alarms: Pick<ProviderCallsDeps, 'raise' | 'clear'> = {},
  ): ProviderCalls & { registry: Registry } {
    const registry = createRegistry([fakeActive({ adapter, manifest, options: { baseUrl, sandboxBaseUrl } })]);
    const calls = createProviderCalls({
      registry,
      callbackSandbox: false,
      config: {
        callTimeoutMs: 20_000,
        concurrency: 4,
        breakerFailures: 20,
        breakerCoolOffMs: 1000,
        graceMs: 1000,
        waitMs: 20,
        ...config,
      },
      publicUrl: 'https://pay.example',
      now: () => new Date(clock),
      metrics,
      log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }),
      transcript: (exchange) => exchanges.push(exchange),
      ...alarms,
    });
    open.push(calls);
    return { ...calls, registry };
  }
  const counted = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> =>
    valueOf(metrics, `gateway_${name}`, labels);
  const calls = {
    submit: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ submit: async (_, ctx) => run(ctx) as Promise<Outcome> }).submit('acme', { ...submission, sandbox }),
    complete: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ complete: async (_, __, ctx) => run(ctx) as Promise<Outcome> }).complete(
        'acme',
        { ...fakePayment, sandbox },
        { kind: 'return' },
      ),
    refund: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ refund: async (_, __, ctx) => run(ctx) as Promise<Outcome> }).refund(
        'acme',
        { ...fakePayment, sandbox },
        { reference: 'GW-10042-1-R1', money: fakePayment.money, ...firstRefund },
      ),
    capture: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ capture: async (_, __, ctx) => run(ctx) as Promise<Outcome> }).capture(
        'acme',
        { ...fakePayment, sandbox },
        { reference: 'GW-10042-1-C', money: fakePayment.money },
      ),
    void: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ void: async (_, ctx) => run(ctx) as Promise<Outcome> }).void(
        'acme',
        { ...fakePayment, sandbox },
        firstVoid,
      ),
    close: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ close: async (_, ctx) => run(ctx) as Promise<Outcome> }).close('acme', { ...fakePayment, sandbox }),
    fetchStatus: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ fetchStatus: async (_, ctx) => run(ctx) as Promise<StatusReport> }).fetchStatus('acme', {
        ...fakePayment,
        sandbox,
      }),
    markSeen: async (run: (ctx: Context) => Promise<unknown>, sandbox = false) =>
      create({ markSeen: async (_, __, ctx) => run(ctx) as Promise<'done'> }).markSeen(
        'acme',
        { ...fakePayment, sandbox },
        'note',
      ),
  };
  /** The outcome in short. */
  const reported = (result: unknown): unknown => {
    if (typeof result !== 'object' || result === null) return result;
    if ('result' in result) return result.result;
    return 'nothingCharged' in result ? 'nothing charged' : 'outcome' in result ? result.outcome : result;
  };
  const reset: http.RequestListener = (request) => request.socket.destroy();

  describe('while its account changes', () => {
    const secrets = (key: string) => ({ baseUrl, sandboxBaseUrl, key }) as AdapterOptions;
    const keyOf = ({ options }: Context): unknown => (options as unknown as { readonly key: string }).key;

    for (const change of ['changed', 'removed'] as const) {
      it(`ends with the options that it began with if the account is ${change}`, async () => {
        const seen: unknown[] = [];
        let [begin, goOn] = [(): void => undefined, (): void => undefined];
        const isBegun = new Promise<void>((resolve) => (begin = resolve));
        const isChanged = new Promise<void>((resolve) => (goOn = resolve));
        const submit = async (_: Submission, ctx: Context): Promise<Outcome> => {
          seen.push(keyOf(ctx));
          begin();
          await isChanged;
          seen.push(keyOf(ctx));
          return { outcome: 'succeeded' };
        };
        const shop = (key: string) => fakeActive({ account: 'shop', options: secrets(key), adapter: { submit } });
        const { registry, ...called } = create({ submit });
        const main = registry.byName('acme')!;
        registry.replace([main, shop('before')]);
        const first = called.submit('acme/shop', submission);
        await isBegun;
        registry.replace(change === 'changed' ? [main, shop('after')] : [main]);
        goOn();
        expect(reported(await first)).to.equal('succeeded');
        expect(seen).to.deep.equal(['before', 'before']);
        const next = reported(await called.submit('acme/shop', submission));
        expect([next, seen.at(-1)]).to.deep.equal(
          change === 'changed' ? ['succeeded', 'after'] : ['nothing charged', 'before'],
        );
      });
    }

    it('gives no information about an account that this process has not loaded yet', async () => {
      const called = create({ fetchStatus: async () => expect.fail('it was called') });
      expect(reported(await called.fetchStatus('acme/new', fakePayment))).to.equal('no_information');
      expect(reported(await called.complete('acme/new', fakePayment, { kind: 'return' }))).to.equal('unknown');
    });
  });

  type Case = [what: string, run: (ctx: Context) => Promise<unknown>, submitted: string, sandbox?: boolean];
  const cases: Case[] = [
    ['is not sent', async ({ http }) => http.send(post), 'nothing charged', true],
    ['gets no answer', async ({ http }) => ((answer = reset), http.send(post)), 'unknown'],
    ['throws', async () => Promise.reject(new TypeError(`cannot read ${payload}`)), 'unknown'],
    [
      'throws before it returns a promise',
      () => {
        throw new Error(payload);
      },
      'unknown',
    ],
    ['throws a value that is no error', async () => Promise.reject(payload), 'unknown'],
    ['returns nothing', async () => undefined, 'unknown'],
    ['returns an invalid answer', async () => ({ outcome: payload, result: payload }), 'unknown'],
    ['returns a number', async () => 5, 'unknown'],
    [
      'fails with an error of another copy of the contract',
      async () => Promise.reject(Object.assign(new Error(payload), { failure: 'not_sent' })),
      'nothing charged',
    ],
    [
      'is not sent after a request that was sent',
      async ({ http }) => {
        await http.send(post);
        throw new ProviderCallError('not_sent', payload);
      },
      'unknown',
    ],
    [
      'is not sent after a GET',
      async ({ http }) => {
        await http.send({ method: 'GET', path: '/token' });
        throw new ProviderCallError('not_sent', payload);
      },
      'nothing charged',
    ],
    [
      'is not sent after a request for an access token',
      async ({ http }) => {
        await http.send({ ...post, chargesNothing: true });
        throw new ProviderCallError('not_sent', payload);
      },
      'nothing charged',
    ],
    [
      'gets no answer about an access token',
      async ({ http }) => ((answer = reset), http.send({ ...post, chargesNothing: true })),
      'nothing charged',
    ],
    [
      'gets no answer about an access token after a charge',
      async ({ http }) => {
        await http.send(post);
        answer = reset;
        return http.send({ ...post, chargesNothing: true });
      },
      'unknown',
    ],
    [
      'is not sent after a 429',
      async ({ http }) => {
        answer = (_, response) => response.writeHead(429).end();
        await http.send(post);
        throw new ProviderCallError('not_sent', payload);
      },
      'nothing charged',
    ],
  ];
  for (const [what, run, submitted, sandbox] of cases) {
    it(`returns ${submitted} for a submission that ${what}, and logs no payload`, async () => {
      expect(reported(await calls.submit(run, sandbox))).to.equal(submitted);
      expect(reported(await calls.refund(run, sandbox))).to.equal(submitted);
      expect(reported(await calls.capture(run, sandbox))).to.equal(submitted);
      expect(reported(await calls.void(run, sandbox))).to.equal(submitted);
      expect(reported(await calls.close(run, sandbox))).to.equal(submitted);
      expect(reported(await calls.complete(run, sandbox))).to.equal('unknown');
      expect(reported(await calls.fetchStatus(run, sandbox))).to.equal('no_information');
      expect(reported(await calls.markSeen(run, sandbox))).to.equal('later');
      expect(lines).to.have.length(8);
      for (const line of lines) expect(line).to.include({ adapter: 'acme', paymentRequestId: '10042', attempt: 1 });
      expect(JSON.stringify(lines)).not.to.contain(payload);
    });
  }

  it('stops a call that never settles, and its requests', async () => {
    let kept: Context | undefined;
    const hang = create(
      { submit: async (_, ctx) => new Promise(() => (kept = ctx)) },
      { callTimeoutMs: 10, graceMs: 10, concurrency: 1 },
    );
    expect(await hang.submit('acme', submission)).to.deep.equal({
      outcome: 'unknown',
      reason: 'took longer than 20 ms',
    });
    expect(reported(await hang.submit('acme', submission))).to.equal('unknown'); // its permit was freed
    const late: unknown = await kept!.http.send(post).catch((error: unknown) => error);
    expect(late).to.include({ failure: 'not_sent' });
    expect(exchanges).to.deep.equal([]);
  });

  it('passes on valid answers, without members that the contract does not know', async () => {
    const outcomes: Outcome[] = [
      { outcome: 'succeeded', providerReference: 'p1' },
      { outcome: 'failed', decline: '51', declineText: 'no funds' },
      {
        outcome: 'pending',
        action: { type: 'redirect', method: 'POST', url: 'https://x.example', fields: { a: 'b' } },
      },
      { outcome: 'unknown', reason: 'cut' },
    ];
    for (const outcome of outcomes) {
      expect(await calls.submit(async () => ({ ...outcome, raw: payload, reason2: undefined }))).to.deep.equal(outcome);
    }
    expect(await calls.submit(async () => ({ outcome: 'succeeded', providerReference: undefined }))).to.deep.equal({
      outcome: 'succeeded',
    });
    expect(lines).to.deep.equal([]);
  });

  for (const answer of [
    { outcome: 'pending', action: { type: 'redirect', method: 'GET', url: 'javascript:alert(1)' } },
    { outcome: 'pending', action: { type: 'dance' } },
    { outcome: 'failed', decline: '99' },
    { outcome: 'failed', nothingCharged: 'yes' },
    { outcome: 'succeeded', providerReference: 5 },
  ]) {
    it(`treats ${JSON.stringify(answer)} as unknown`, async () => {
      expect(reported(await calls.submit(async () => answer))).to.equal('unknown');
      expect(lines[0]?.['reason']).to.match(/^its answer does not follow the contract: /);
    });
  }

  it('records each exchange with its payment', async () => {
    await calls.submit(async ({ http }) => http.send(post));
    expect(exchanges).to.have.length(1);
    expect(exchanges[0]).to.include({ adapter: 'acme', call: 'submit', sandbox: false, status: 200 });
    expect(exchanges[0]).to.include({ paymentRequestId: '10042', attempt: 1 });
  });

  it('passes the 3D Secure token to the adapter', async () => {
    const tokens: unknown[] = [];
    const subject = create({
      async submit(_, { threeDsToken }) {
        tokens.push(threeDsToken);
        return { outcome: 'succeeded' };
      },
      async complete(_, __, { threeDsToken }) {
        tokens.push(threeDsToken);
        return { outcome: 'succeeded' };
      },
    });
    await subject.submit('acme', submission, { threeDsToken: 'one' });
    await subject.complete('acme', fakePayment, { kind: 'return' }, { threeDsToken: 'two' });
    await subject.submit('acme', submission);
    expect(tokens).to.deep.equal(['one', 'two', undefined]);
  });

  it('does not call an adapter that is off or lacks the ability, and calls one that drains', async () => {
    const subject = create({ submit: async () => ({ outcome: 'succeeded' }) });
    const all = async (): Promise<unknown[]> => [
      reported(await subject.submit('acme', submission)),
      reported(await subject.complete('acme', fakePayment, { kind: 'return' })),
      reported(await subject.refund('acme', fakePayment, { reference: 'r', money: fakePayment.money, ...firstRefund })),
      reported(await subject.fetchStatus('acme', fakePayment)),
      await subject.markSeen('acme', fakePayment, 'note'),
    ];
    expect(await all()).to.deep.equal(['succeeded', 'unknown', 'nothing charged', 'no_information', 'done']);
    subject.registry.setState('acme', 'draining');
    expect((await all())[0]).to.equal('succeeded');
    subject.registry.setState('acme', 'off');
    expect(await all()).to.deep.equal(['nothing charged', 'unknown', 'nothing charged', 'no_information', 'later']);
  });

  it('limits concurrent calls, and rejects a call that waits too long as not sent', async () => {
    let settle: (() => void) | undefined;
    const gate = new Promise<void>((done) => (settle = done));
    let running = 0;
    const subject = create(
      {
        async submit() {
          running += 1;
          await gate;
          return { outcome: 'succeeded' };
        },
      },
      { concurrency: 2 },
    );
    const results = [1, 2, 3].map(async () => subject.submit('acme', submission));
    expect(await results[2]).to.deep.equal({
      outcome: 'failed',
      nothingCharged: true,
      notSent: true,
      reason: 'too many calls are running',
    });
    expect(running).to.equal(2);
    const sandbox = subject.submit('acme', { ...submission, sandbox: true }); // has permits of its own
    settle?.();
    expect((await Promise.all([results[0], results[1], sandbox])).map(reported)).to.deep.equal(
      Array(3).fill('succeeded'),
    );
  });

  it('stops calls after 20 transport failures in a row, per address, until the cool-off is over', async () => {
    let asked = 0;
    answer = (request) => ((asked += 1), request.socket.destroy());
    const subject = create({
      async submit(_, { http }) {
        await http.send(post);
        return { outcome: 'succeeded' };
      },
    });
    const submit = async (sandbox = false) => reported(await subject.submit('acme', { ...submission, sandbox }));
    for (let times = 0; times < 20; times += 1) expect(await submit()).to.equal('unknown');
    expect(await submit()).to.equal('nothing charged');
    expect(asked).to.equal(20);
    expect(lines.at(-1)).to.include({ reason: 'not called: its last 20 exchanges failed' });
    expect(await submit(true)).to.equal('nothing charged');
    expect(exchanges.at(-1)).to.include({ sandbox: true, failure: 'not_sent' }); // the other address was called
    clock += 1000;
    answer = (_, response) => response.writeHead(500).end();
    expect(await submit()).to.equal('succeeded');
    expect(await submit()).to.equal('succeeded');
  });

  it('never stops calls because of declines, answers of any status or adapters that throw', async () => {
    answer = (_, response) => response.writeHead(503).end();
    const subject = create(
      {
        async submit(_, { http }) {
          await http.send(post);
          throw new Error('what an answer');
        },
      },
      { breakerFailures: 2 },
    );
    for (let times = 0; times < 5; times += 1) await subject.submit('acme', submission);
    expect(exchanges.map(({ status }) => status)).to.deep.equal(Array(5).fill(503));
  });

  it('counts submissions, and times each request, by provider, mode and outcome', async () => {
    answer = (_, response) => response.writeHead(204).end();
    const send = async ({ http }: Context): Promise<Outcome> => {
      await http.send(post);
      return { outcome: 'succeeded', providerReference: 'p1' };
    };
    await calls.submit(send);
    await calls.submit(send, true);
    answer = reset;
    await calls.submit(send);
    const submitted = async (mode: string, outcome: string) =>
      counted('submissions_total', { provider: 'acme', mode, outcome });
    expect(await submitted('live', 'succeeded')).to.equal(1);
    expect(await submitted('test', 'not_sent')).to.equal(1);
    expect(await submitted('live', 'unknown')).to.equal(1);
    const timed = async (mode: string, outcome: string) =>
      counted('provider_call_seconds_count', { provider: 'acme', mode, call: 'submit', outcome });
    expect(await timed('live', '2xx')).to.equal(1);
    expect(await timed('test', 'not_sent')).to.equal(1);
    expect(await timed('live', 'no_answer')).to.equal(1);
  });

  it('shows a provider that cannot be reached, until it answers', async () => {
    answer = reset;
    const fetchStatus = async (_: unknown, { http }: Context): Promise<StatusReport> => {
      await http.send({ method: 'GET', path: '/status' });
      return { result: 'no_information', reason: 'x' };
    };
    const subject = create({ fetchStatus }, { breakerFailures: 2 });
    const isOpen = async () => counted('breakers_open', { provider: 'acme', mode: 'live' });
    await subject.fetchStatus('acme', fakePayment);
    expect(await isOpen()).to.equal(0);
    await subject.fetchStatus('acme', fakePayment);
    expect(await isOpen()).to.equal(1);
    clock += 1001;
    expect(await isOpen(), 'it was not called since').to.equal(1);
    answer = (_, response) => response.end();
    await subject.fetchStatus('acme', fakePayment);
    expect(await isOpen()).to.equal(0);
  });

  it('reports the findings about our account, or why it could not be checked', async () => {
    const findings = [{ ok: false, finding: 'the webhook is missing', cure: 'add it' }];
    expect(await create({ checkAccount: async () => findings }).checkAccount('acme', true)).to.deep.equal(findings);
    expect(await create({}).checkAccount('acme', true)).to.deep.equal([]);
    const [failed] = await create({ checkAccount: async ({ http }) => (await http.send(post), []) }).checkAccount(
      'acme',
      true,
    );
    expect(failed).to.include({ ok: false });
    expect(failed!.finding)
      .to.match(/could not be checked/)
      .and.not.contain(payload);
  });

  it('raises an alarm if the provider refuses our settings', async () => {
    await calls.submit(async () => misconfigured('unknown merchant'));
    expect(lines).to.have.length(1);
    expect(lines[0]).to.include({
      level: 50,
      alarm: true,
      adapter: 'acme',
      call: 'submit',
      reason: 'unknown merchant',
    });
  });

  describe('the alarm about refused settings', () => {
    let answers: readonly Outcome[] = [];
    let said: string[] = [];
    const alarms: Pick<ProviderCallsDeps, 'raise' | 'clear'> = {
      raise: (kind, { id }) => void said.push(`raised ${kind} ${id}`),
      clear: (kind, { id }) => void said.push(`ended ${kind} ${id}`),
    };
    const start = (): ProviderCalls => {
      const submit = async (): Promise<Outcome> => answers[0]!;
      const fetchStatus = async (): Promise<StatusReport> => ({ result: 'events', events: [] });
      return create({ submit, fetchStatus }, {}, {}, alarms);
    };
    const submits = async (subject: ProviderCalls, sandbox: boolean, answer: Outcome): Promise<void> => {
      answers = [answer];
      await subject.submit('acme', { ...submission, sandbox });
    };
    beforeEach(() => {
      said = [];
    });

    it('is cleared by the first accepted call after a restart, once, and for its mode only', async () => {
      const before = start();
      await submits(before, false, misconfigured('unknown merchant'));
      await submits(before, true, { outcome: 'succeeded' });
      const restarted = start();
      await submits(restarted, false, misconfigured('unknown merchant'));
      await submits(restarted, false, { outcome: 'unknown' });
      await submits(restarted, false, nothingCharged('the provider is busy'));
      for (const answer of [{ outcome: 'failed', decline: '51' }, { outcome: 'succeeded' }] as const)
        await submits(restarted, false, answer);
      expect(said).to.deep.equal([
        'raised provider_misconfigured acme',
        'ended provider_misconfigured acme (test)',
        'raised provider_misconfigured acme',
        'ended provider_misconfigured acme',
      ]);
    });

    it('is raised and cleared for one account, and for no other account of the adapter', async () => {
      const submit = async (): Promise<Outcome> => answers[0]!;
      const { registry, ...called } = create({ submit }, {}, {}, alarms);
      const shop = fakeActive({ account: 'shop', options: { baseUrl, sandboxBaseUrl }, adapter: { submit } });
      registry.replace([registry.byName('acme')!, shop]);
      for (const [ref, answer] of [
        ['acme/shop', misconfigured('a wrong key')],
        ['acme', { outcome: 'succeeded' }],
        ['acme/shop', { outcome: 'succeeded' }],
      ] as const) {
        answers = [answer];
        await called.submit(ref, { ...submission, sandbox: false });
      }
      expect(said).to.deep.equal([
        'raised provider_misconfigured acme/shop',
        'ended provider_misconfigured acme',
        'ended provider_misconfigured acme/shop',
      ]);
    });

    it('is cleared by the status of a payment too', async () => {
      await start().fetchStatus('acme', { ...fakePayment, sandbox: false });
      expect(said).to.deep.equal(['ended provider_misconfigured acme']);
    });
  });

  it('refuses what the manifest excludes, without calling the adapter', async () => {
    const never = async (): Promise<Outcome> => Promise.reject(new Error('asked'));
    const manifest = { maxMinorDigits: 4, refundNeeds: 'providerReference' } as const;
    const subject = create({ submit: never, refund: never }, {}, manifest);
    const dear = { amount: '100', currency: 'EUR' };
    const refused = { outcome: 'failed', nothingCharged: true, reason: 'Acme cannot express the amount in EUR' };
    expect(await subject.submit('acme', { ...submission, money: dear })).to.deep.equal(refused);
    const named = { ...fakePayment, providerReference: 'p1' };
    const refund = { reference: 'r', money: dear, ...firstRefund };
    expect(await subject.refund('acme', named, refund)).to.deep.equal(refused);
    const { providerReference: _, ...nameless } = named;
    expect(await subject.refund('acme', nameless, { ...refund, money: fakePayment.money })).to.deep.equal({
      ...refused,
      reason: 'no reference of Acme to refund',
    });
    expect(lines).to.deep.equal([]);
  });

  it('repeats no refund if the provider cannot detect a repetition', async () => {
    const repetitions: boolean[] = [];
    const refund = async (_: unknown, { isRepetition }: RefundRequest): Promise<Outcome> => {
      repetitions.push(isRepetition);
      return { outcome: 'pending' };
    };
    const asked = { reference: 'r', money: fakePayment.money, ...firstRefund };
    const repeated = { ...asked, isRepetition: true };
    const safe = create({ refund });
    expect((await safe.refund('acme', fakePayment, repeated)).outcome).to.equal('pending');
    const once = create({ refund }, {}, { repeatRefund: 'never' });
    expect((await once.refund('acme', fakePayment, asked)).outcome).to.equal('pending');
    expect((await once.refund('acme', fakePayment, repeated)).outcome).to.equal('unknown');
    expect(repetitions).to.deep.equal([true, false]);
  });

  it('sends nothing once the lease of the payment has expired, and does not claim "not sent" for calls that others repeat', async () => {
    let sent = 0;
    answer = (_, response) => {
      sent += 1;
      response.end();
    };
    const send = async (ctx: Context): Promise<Outcome> => {
      await ctx.http.send(post);
      return { outcome: 'succeeded' };
    };
    const subject = create({
      submit: async (_, ctx) => send(ctx),
      refund: async (_, __, ctx) => send(ctx),
      capture: async (_, __, ctx) => send(ctx),
      void: async (_, ctx) => send(ctx),
      close: async (_, ctx) => send(ctx),
      complete: async (_, __, ctx) => send(ctx),
    });
    const { money } = fakePayment;
    const all = async (deadlinePassed: () => boolean): Promise<unknown[]> => {
      const extras = { deadlinePassed };
      const outcomes = [
        await subject.submit('acme', submission, extras),
        await subject.refund('acme', fakePayment, { reference: 'r', money, ...firstRefund }, extras),
        await subject.capture('acme', fakePayment, { reference: 'c', money }, extras),
        await subject.void('acme', fakePayment, firstVoid, extras),
        await subject.close('acme', fakePayment, extras),
        await subject.complete('acme', fakePayment, { kind: 'return' }, extras),
      ];
      return outcomes.map(reported);
    };
    expect(await all(() => true)).to.deep.equal(['nothing charged', ...Array.from({ length: 5 }, () => 'unknown')]);
    expect(sent).to.equal(0);
    expect(await all(() => false)).to.deep.equal(Array.from({ length: 6 }, () => 'succeeded'));
    expect(sent).to.equal(6);
  });

  it('accepts the state of an adapter as plain JSON of at most 4,096 bytes', async () => {
    const submitted = async (adapterState: unknown): Promise<Outcome> =>
      create({ submit: async () => ({ outcome: 'pending', adapterState }) as Outcome }).submit('acme', submission);
    for (const adapterState of ['x', { step: 2, ids: ['a', null] }, 'x'.repeat(4094)]) {
      expect(await submitted(adapterState)).to.deep.equal({ outcome: 'pending', adapterState });
    }
    for (const adapterState of ['x'.repeat(4095), 'é'.repeat(2048), new Date(), Number.NaN, () => 1, [new Map()]]) {
      expect((await submitted(adapterState)).outcome).to.equal('unknown');
    }
  });

  const keeping = { submit: calls.submit, complete: calls.complete, refund: calls.refund, void: calls.void };
  for (const [name, call] of Object.entries({ ...keeping, capture: calls.capture })) {
    it(`keeps the state of ${name}, whether its next request is answered, lost, or not sent`, async () => {
      const kept = { order: 'o-77' };
      const left = async (end: (ctx: Context) => Promise<unknown>) => {
        const outcome = await call(async (ctx) => (ctx.keep({ order: 'older' }), ctx.keep(kept), end(ctx)));
        return [outcome.outcome, outcome.adapterState];
      };
      expect(await left(async () => ({ outcome: 'pending' }))).to.deep.equal(['pending', kept]);
      expect(await left(async () => ({ outcome: 'pending', adapterState: 'x' }))).to.deep.equal(['pending', 'x']);
      expect(await left(async ({ http }) => ((answer = reset), http.send(post)))).to.deep.equal(['unknown', kept]);
      const refused = async () => Promise.reject(new ProviderCallError('not_sent', 'no connection'));
      expect((await left(refused))[1]).to.deep.equal(kept);
      expect((await left(async () => ({ outcome: 'failed', nothingCharged: true })))[1]).to.deep.equal(kept);
    });
  }

  it('stores a copy of the state that a call keeps, within its limits', async () => {
    const state = { order: 'o-77' };
    const outcome = await calls.submit(async ({ keep }) => {
      keep(state);
      state.order = 'changed';
      keep('x'.repeat(4095));
      return { outcome: 'succeeded' };
    });
    expect([outcome.outcome, outcome.adapterState]).to.deep.equal(['unknown', { order: 'o-77' }]);
  });

  it('maps the statuses of fetched events', async () => {
    const subject = create({
      fetchStatus: async () => ({ result: 'events', events: [event], seenToken: 'n' }),
      mapStatus: statusTable({ payment: { paid: 'succeeded' } }),
    });
    expect(await subject.fetchStatus('acme', fakePayment)).to.deep.equal({
      result: 'events',
      events: [{ ...event, status: 'succeeded' }],
      seenToken: 'n',
    });
  });

  for (const [what, mapStatus] of [
    ['throws', () => Promise.reject(new Error('never here')) as unknown as 'pending'],
    ['returns a promise', (() => Promise.resolve('succeeded')) as unknown as () => 'succeeded'],
    ['returns a status of another kind', () => 'won'],
    ['returns nothing', (() => undefined) as unknown as () => 'pending'],
    ['returns unknown', () => 'unknown'],
  ] as [string, RefineStatus][]) {
    it(`maps to unknown if mapStatus ${what}, and counts the status`, async () => {
      const subject = create({
        fetchStatus: async () => ({ result: 'events', events: [event, event] }),
        mapStatus: statusTable({}, mapStatus),
      });
      const report = await subject.fetchStatus('acme', fakePayment);
      expect(report.result === 'events' && report.events.map(({ status }) => status)).to.deep.equal([
        'unknown',
        'unknown',
      ]);
      expect(await counted('unknown_statuses_total', { provider: 'acme', kind: 'payment' })).to.equal(2);
    });
  }

  it('counts a second status that the table lacks, while the known one decides', async () => {
    const unlisted = { ...event, unlistedStatus: 'Settled Frozen' };
    const subject = create({
      fetchStatus: async () => ({ result: 'events', events: [unlisted] }),
      mapStatus: statusTable({}, () => 'succeeded'),
    });
    const report = await subject.fetchStatus('acme', fakePayment);
    expect(report.result === 'events' && report.events[0]).to.include({ ...unlisted, status: 'succeeded' });
    expect(await counted('unknown_statuses_total', { provider: 'acme', kind: 'payment' })).to.equal(1);
  });

  it('counts decline codes that the table lacks', async () => {
    const subject = create({ submit: async () => ({ outcome: 'failed', decline: '05', unknownStatus: 'tired' }) });
    await subject.submit('acme', submission);
    await subject.submit('acme', submission);
    expect(await counted('unknown_statuses_total', { kind: 'decline' })).to.equal(2);
  });

  it('raises an alarm for each unknown status in an answer, by its mode', async () => {
    const raised: string[] = [];
    const answers = {
      submit: async () => ({ outcome: 'failed', decline: '05', unknownStatus: 'tired' }),
      complete: async () => ({
        outcome: 'pending',
        unknownStatus: `it's 4111111111111111 and 12345678, "${'x'.repeat(99)}`,
      }),
      refund: async () => ({ outcome: 'unknown', unknownStatus: 'ODD' }),
      capture: async () => ({ outcome: 'unknown', unknownStatus: 'ODD' }),
    } as const;
    const raise: ProviderCallsDeps['raise'] = (kind, { id }, reason) => void raised.push(`${kind} ${id} | ${reason}`);
    const subject = create(answers as never, {}, {}, { raise });
    await subject.submit('acme', { ...submission, sandbox: true });
    await subject.complete('acme', { ...fakePayment, sandbox: false }, {} as never);
    await subject.refund('acme', { ...fakePayment, sandbox: false }, { money: fakePayment.money } as never);
    await subject.capture('acme', { ...fakePayment, sandbox: false }, {} as never);
    expect(raised.map((one) => one.split(' | ')[0])).to.deep.equal([
      'status_unknown acme (test): decline tired',
      `status_unknown acme: payment it_s [hidden] and #_ _${'x'.repeat(18)}`,
      'status_unknown acme: refund ODD',
      'status_unknown acme: payment ODD',
    ]);
    expect(raised[0]).to.match(/ \| decline tired, payment \d+$/);
  });

  for (const [what, broken] of [
    ['an amount that is not a decimal', { amount: '25,90' }],
    ['an empty identity', { dedupeKey: '' }],
    ['an unknown kind', { kind: 'party' }],
    ['an invalid time', { occurredAt: new Date(Number.NaN) }],
    ['no status', { providerStatus: undefined }],
    ['more details than ten', { details: Object.fromEntries(Array.from({ length: 11 }, (__, n) => [`d${n}`, 'x'])) }],
    ['a detail that is too long', { details: { arn: 'x'.repeat(201) } }],
    ['a received amount that is not a decimal', { received: 'many' }],
    ['3D Secure of another value', { threeDs: 'perhaps' }],
  ] as const) {
    it(`has no information from an event with ${what}`, async () => {
      expect(
        reported(await calls.fetchStatus(async () => ({ result: 'events', events: [{ ...event, ...broken }] }))),
      ).to.equal('no_information');
    });
  }

  it('uses an adapter’s method of a submission and its next fetch, with defaults for invalid answers', () => {
    const usual = create({});
    const active = usual.registry.byName('acme')!;
    expect(usual.methodOf(active, submission)).to.equal('card');
    expect(usual.nextFetch(active, fakePayment, 0)).to.equal('by_policy');

    const own = create({ methodOf: () => 'upi_qr', nextFetch: (_, asked) => (asked > 1 ? undefined : 7) });
    const other = own.registry.byName('acme')!;
    expect(own.methodOf(other, submission)).to.equal('upi_qr');
    expect(own.nextFetch(other, fakePayment, 1)).to.equal(7);
    expect(own.nextFetch(other, fakePayment, 2)).to.equal(undefined);

    const broken = create({
      methodOf: () => 'cash' as 'card',
      nextFetch() {
        throw new Error(payload);
      },
    });
    const third = broken.registry.byName('acme')!;
    expect(broken.methodOf(third, submission)).to.equal('card');
    expect(broken.nextFetch(third, fakePayment, 1)).to.equal('by_policy');
    expect(JSON.stringify(lines)).not.to.contain(payload);
  });

  it('believes nothing of a fetched report that names another account, and raises an alarm', async () => {
    const event = { kind: 'payment', providerStatus: 'paid', reference: null, providerReference: 'P-1' } as const;
    const report = async (accountKey?: string): Promise<StatusReport> => ({
      result: 'events',
      events: [{ ...event, amount: null, currency: null, dedupeKey: null, ...(accountKey && { accountKey }) }],
    });
    const raised: unknown[] = [];
    let named: string | undefined;
    const { registry, ...subject } = create(
      { fetchStatus: async () => report(named) },
      {},
      {},
      {
        raise: (kind, about) => void raised.push([kind, about]),
      },
    );
    registry.replace([{ ...registry.byName('acme')!, keys: { live: 'shop-eu', test: 'shop-test' } }]);
    for (const [key, result] of [
      [undefined, 'events'],
      ['shop-eu', 'events'],
      ['shop-pt', 'no_information'],
    ] as const) {
      named = key;
      expect((await subject.fetchStatus('acme', fakePayment)).result, key).to.equal(result);
    }
    expect(raised).to.deep.equal([['callback_of_other_account', { type: 'adapter', id: 'acme' }]]);
  });
});
