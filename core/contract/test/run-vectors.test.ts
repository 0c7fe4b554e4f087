import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  acknowledgeByDefault,
  defineRoute,
  invalidSignature,
  noInformation,
  nothingCharged,
  onlyHeader,
  ProviderCallError,
  secret,
  text,
  tryLater,
  unproven,
  v,
  type ProviderAdapter,
  type ReportedEvent,
} from '../index.ts';
import { compareRequest } from '../testing/compare-request.ts';
import { fixture, readVectorFile, reply, runVectors, scriptedHttp, scriptedProvider } from '../testing/index.ts';
import { createAcme } from './acme/adapter.ts';
import { createTwoStepAcme, twoStepVectors } from './acme/two-step.ts';
import { createVectors, options } from './acme/vectors.ts';
import type { Options } from './acme/protocol.ts';

const file = createVectors();
const [paid] = file.submissions;
const [notice] = file.callbacks;

/** Runs vectors that a test made, and returns the differences of each. */
async function play(adapter: ProviderAdapter<Options>, vectors: object, given = {}): Promise<readonly string[][]> {
  const results = await runVectors(adapter, { options, ...vectors }, given);
  return results.map(({ differences }) => [...differences]);
}

const submission = (changes: object) => ({ submissions: [{ ...paid, ...changes }] });
const call = (name: string, changes: object) =>
  submission({ call: name, request: null, reply: null, expect: { outcome: 'unknown' }, ...changes });

describe('vectors', () => {
  it('pass for a correct adapter', async () => {
    const results = await runVectors(createAcme(), file);
    expect(results.filter(({ passed }) => !passed)).to.deep.equal([]);
    expect(results).to.have.length(file.callbacks.length + file.submissions.length);
  });

  it('can be chosen by name', async () => {
    const results = await runVectors(createAcme(), file, { only: ['too old', 'waiting'] });
    expect(results.map(({ name, call }) => `${call} ${name}`)).to.deep.equal(['callback too old', 'submit waiting']);
  });

  it('keep the spelling of numbers when they are read from text', () => {
    const read = readVectorFile('{"options":{},"submissions":[{"name":"x","payment":{"amount":25.90},"expect":{}}]}');
    expect(read.submissions[0]?.payment).to.deep.equal({ amount: '25.90' });
  });

  it('name the wrong member of a file', () => {
    expect(() => readVectorFile({ options: {}, callbacks: [{ name: 'x' }] })).to.throw('callbacks.0.route');
    expect(() => readVectorFile('[]')).to.throw('not a vectors file');
  });
});

describe('requests of a vector', () => {
  const wanted = (body: string, type = 'application/json') => ({
    method: 'POST',
    path: '/gate/v1/x',
    headers: [['content-type', type] as [string, string]],
    body,
  });
  const compare = (body: string, sent: string, type = 'application/json', exact = false) =>
    compareRequest(
      wanted(body, type),
      { method: 'POST', path: '/v1/x', headers: { 'Content-Type': type }, body: sent },
      'https://a.example/gate',
      exact,
    );
  const form = 'application/x-www-form-urlencoded';

  it('may order JSON members and form pairs freely, unless the protocol fixes its bytes', () => {
    expect(compare('{"a":1,"b":{"c":null}}', '{ "b":{"c":null}, "a":1 }')).to.deep.equal([]);
    expect(compare('a=1&b=x+y', 'b=x%20y&a=1', form)).to.deep.equal([]);
    expect(compare('{"a":1,"b":2}', '{"b":2,"a":1}', 'application/json', true)[0]).to.include('character 2');
    expect(compare('a=1&b=2', 'b=2&a=1', form, true)).to.have.length(1);
  });

  it('must spell numbers alike, and distinguish null from absent, and text from numbers', () => {
    expect(compare('{"n":25.90}', '{"n":25.9}')).to.deep.equal(['request.body.n.number: expected "25.90", got "25.9"']);
    expect(compare('{"n":1}', '{"n":"1"}')).to.have.length(1);
    expect(compare('{"n":null}', '{}')).to.have.length(1);
    expect(compare('{"amount":"25.90"}', '{"amount":"25.9"}')).to.have.length(1);
  });

  it('must hold each pair equally often', () => {
    expect(compare('a=1&a=2', 'a=1', form)).to.have.length(1);
    expect(compare('a=1', 'a=1&b=2', form)).to.have.length(1);
    expect(compare('a=1', 'a=%zz', form)).to.have.length(1);
  });

  it('include the path of the base address, and the headers that the vector names', () => {
    const sent = { method: 'GET', path: '/x', headers: {} } as const;
    expect(compareRequest(wanted(''), sent, 'https://a.example')).to.deep.equal([
      'request.method: expected "POST", got "GET"',
      'request.path: expected "/gate/v1/x", got "/x"',
      'request.headers[content-type]: expected "application/json", got nothing',
    ]);
  });
});

describe('calls of a vector', () => {
  it('fail if a request is missing, too many, or not expected', async () => {
    const silent = createAcme({ adapter: { submit: async () => ({ outcome: 'unknown' }) } });
    const [missing] = await play(silent, submission({ expect: { outcome: 'unknown' } }));
    expect(missing).to.deep.equal(['request: expected POST /charges, got none']);
    const [unexpected] = await play(createAcme(), submission({ request: null, expect: { outcome: 'unknown' } }));
    expect(unexpected).to.deep.equal(['request: expected none, got POST']);
    const twice = createAcme({
      adapter: {
        async submit(payment, ctx) {
          await createAcme().submit(payment, ctx);
          return createAcme().submit(payment, ctx);
        },
      },
    });
    const [more] = await play(twice, submission({ expect: { outcome: 'unknown' } }));
    expect(more).to.deep.equal(['request: expected no more than 1, got POST']);
  });

  it('classify a lost connection as core does', async () => {
    const failing = (failure: 'not_sent' | 'no_answer') => {
      const fail = async () => {
        throw new ProviderCallError(failure, 'gone');
      };
      return createAcme({
        adapter: { submit: fail, refund: fail, complete: fail, fetchStatus: fail, markSeen: fail },
      });
    };
    const expected = {
      not_sent: {
        submit: 'failed',
        refund: 'failed',
        complete: 'unknown',
        fetchStatus: 'unknown',
        afterCommit: 'unknown',
      },
      no_answer: {
        submit: 'unknown',
        refund: 'unknown',
        complete: 'unknown',
        fetchStatus: 'unknown',
        afterCommit: 'unknown',
      },
    } as const;
    for (const failure of ['not_sent', 'no_answer'] as const) {
      for (const [name, outcome] of Object.entries(expected[failure])) {
        const nothing = outcome === 'failed' ? { nothingCharged: true } : {};
        const refund = { reference: 'GW-10042-1-R1', amount: '1.00' };
        const vector = call(name, { payment: { ...paid?.payment, refund }, expect: { outcome, ...nothing } });
        expect(await play(failing(failure), vector), `${failure} ${name}`).to.deep.equal([[]]);
      }
    }
  });

  it('require that decline, nothingCharged and action are absent if they are not named', async () => {
    const declined = createAcme({ adapter: { submit: async () => nothingCharged('no') } });
    const [differences] = await play(declined, call('submit', { expect: { outcome: 'failed' } }));
    expect(differences).to.deep.equal(['nothingCharged: expected nothing, got true']);
  });

  it('compare a fetch by its folded outcome and its events', async () => {
    const event: ReportedEvent = {
      kind: 'payment',
      providerStatus: 'paid',
      reference: 'GW-10042-1',
      providerReference: 'ac_1',
      amount: '25.90',
      currency: 'EUR',
      dedupeKey: 'n-1',
    };
    const reported = (...events: ReportedEvent[]) =>
      createAcme({ adapter: { fetchStatus: async () => ({ result: 'events', events }) } });
    const expected = { kind: 'payment', status: 'succeeded', word: 'paid', amount: 25.9 };
    const fetch = (outcome: string, events: object[]) => call('fetchStatus', { expect: { outcome, events } });
    expect(await play(reported(event), fetch('succeeded', [expected]))).to.deep.equal([[]]);
    const refused = { ...event, providerStatus: 'refused', decline: '51' } as const;
    expect(
      await play(reported({ ...event, providerStatus: 'waiting' }, refused), fetch('failed', [{}, { decline: '51' }])),
    ).to.deep.equal([[]]);
    expect(await play(reported(refused), fetch('failed', [{ status: 'failed' }]))).to.deep.equal([
      ['events[0].decline: expected nothing, got "51"'],
    ]);
    expect(
      await play(reported({ ...event, providerStatus: 'odd' }), fetch('unknown', [{ status: 'unknown' }])),
    ).to.deep.equal([[]]);
    const never = createAcme({ adapter: { fetchStatus: async () => ({ result: 'nothing_charged' }) } });
    const vector = call('fetchStatus', { expect: { outcome: 'failed', nothingCharged: true, events: [] } });
    expect(await play(never, vector)).to.deep.equal([[]]);
    const waiting = createAcme({ adapter: { fetchStatus: async () => ({ result: 'waiting' }) } });
    expect(await play(waiting, fetch('pending', []))).to.deep.equal([[]]);
  });

  it('pass the step that a completion continues from', async () => {
    const steps: unknown[] = [];
    const adapter = createAcme({
      adapter: {
        async complete(_, step) {
          steps.push(step);
          return { outcome: 'unknown' };
        },
      },
    });
    const cres = Buffer.from('{"threeDSServerTransID":"tx-1","transStatus":"Y"}').toString('base64url');
    const brought = [{ posted: { cres } }, { posted: { PaRes: 'eJw' } }, { returned: 'result=a%21' }];
    for (const more of [{}, { code: '123456' }, ...brought]) {
      await play(adapter, call('complete', { payment: { ...paid?.payment, ...more } }));
    }
    expect(steps).to.deep.equal([
      { kind: 'return' },
      { kind: 'code', code: '123456' },
      { kind: '3ds', field: 'cres', value: cres, transactionId: 'tx-1', hint: 'Y' },
      { kind: '3ds', field: 'PaRes', value: 'eJw', transactionId: null, hint: 'U' },
      { kind: 'return', query: 'result=a%21' },
    ]);
  });

  it('pass the token, the random bytes and the addresses that the vector names', async () => {
    const adapter = createAcme({
      adapter: {
        async submit(_, ctx) {
          const fields = {
            token: ctx.threeDsToken ?? '',
            nonce: Buffer.from(ctx.random(12)).toString('hex'),
            url: ctx.callbackUrl('acme'),
            back: ctx.returnUrl('10042'),
            now: ctx.now().toISOString(),
          };
          return { outcome: 'pending', action: { type: 'redirect', method: 'POST', url: 'https://x.example', fields } };
        },
      },
    });
    const vector = {
      now: '2026-03-05T00:00:00.000Z',
      nonce: '00112233445566778899aabb',
      payment: { ...paid?.payment, publicUrl: 'https://pay.example', returnUrl: 'https://back.example/x' },
      expect: {
        outcome: 'pending',
        action: {
          type: 'redirect',
          method: 'POST',
          url: 'https://x.example',
          fields: {
            token: '{3dsToken}',
            nonce: '00112233445566778899aabb',
            url: 'https://pay.example/callbacks/acme',
            back: 'https://back.example/x',
            now: '2026-03-05T00:00:00.000Z',
          },
        },
      },
    };
    expect(await play(adapter, call('submit', vector))).to.deep.equal([[]]);
  });

  it('may ask for a key in addition to their own request, each with random bytes of its own', async () => {
    const asking = createAcme({
      adapter: {
        async submit(_, { http, random }) {
          for (const path of ['/charges', '/keys/7']) {
            await http.send({ method: 'GET', path, headers: { Nonce: Buffer.from(random(2)).toString('hex') } });
          }
          return { outcome: 'unknown' };
        },
      },
    });
    const exchange = (path: string, nonce: string) => ({
      nonce,
      request: { method: 'GET', path, headers: [['Nonce', nonce]] },
      reply: { status: 200, body: '' },
    });
    const vector = { ...exchange('/charges', 'aa01'), keyFetch: exchange('/keys/7', 'bb02') };
    expect(await play(asking, call('submit', vector))).to.deep.equal([[]]);
    const missing = { ...vector, keyFetch: { ...vector.keyFetch, request: { method: 'GET', path: '/keys/8' } } };
    expect(await play(asking, call('submit', missing))).to.deep.equal([
      ['request.path: expected "/keys/8", got "/keys/7"'],
    ]);
  });

  it('may be the provider’s own calls, if the runner gets them', async () => {
    const calls = { keyFetch: async () => ({ outcome: 'succeeded' }) as const };
    const vector = call('keyFetch', { expect: { outcome: 'succeeded' } });
    expect(await play(createAcme(), vector, { calls })).to.deep.equal([[]]);
    const [unknown] = await play(createAcme(), vector);
    expect(unknown?.[0]).to.include('the adapter cannot keyFetch');
  });
});

describe('exchanges of a vector', () => {
  const twice = createTwoStepAcme();
  const [first] = twoStepVectors.submissions;

  it('are played in order, and are named if one differs, is missing or is too many', async () => {
    const { exchanges = [] } = { exchanges: undefined, ...first };
    const [session, charge] = exchanges;
    const run = (given: readonly unknown[]) => play(twice, { submissions: [{ ...first, exchanges: given }] });
    expect(await run([session, charge])).to.deep.equal([[]]);
    const other = { ...session, request: { method: 'POST', path: '/session' } };
    expect(await run([other, charge])).to.deep.equal([
      ['exchanges[0].request.path: expected "/session", got "/sessions"'],
    ]);
    const [short] = await run([session]);
    expect(short?.[0]).to.equal('request: expected no more than 1, got POST');
    expect(await run([session, charge, session])).to.deep.equal([['request: expected POST /sessions, got none']]);
  });

  it('replace one request and reply, and never appear together with them', () => {
    const both = { ...paid, exchanges: [{ request: null, reply: null }] };
    expect(() => readVectorFile({ options: {}, submissions: [both] })).to.throw('exchanges, or request and reply');
    expect(() => readVectorFile({ options: {}, submissions: [{ ...first, exchanges: [] }] })).to.throw('exchanges');
  });
});

describe('standing answers of a vector', () => {
  const acme = createAcme();
  const adapter = createAcme({
    adapter: {
      async submit(payment, ctx) {
        const { status } = await ctx.http.send({ method: 'POST', path: '/token', chargesNothing: true });
        return status === 200 ? acme.submit(payment, ctx) : { ...nothingCharged('no token'), misconfigured: true };
      },
    },
  });
  const token = (answer: object | null) => ({ request: { method: 'POST', path: '/token' }, reply: answer });
  const refused = {
    request: null,
    reply: null,
    expect: { outcome: 'failed', nothingCharged: true, misconfigured: true },
  };
  const submissions = [
    paid,
    { ...paid, ...refused, standing: [token({ status: 401 })] },
    { ...paid, ...refused, standing: [token(null)], expect: { outcome: 'failed', nothingCharged: true } },
  ];

  it('replace those of the file for this vector alone', async () => {
    expect(await play(adapter, { standing: [token({ status: 200 })], submissions })).to.deep.equal([[], [], []]);
    expect(await play(adapter, { standing: [token({ status: 401 })], submissions: [paid] })).to.deep.equal([
      [
        'request: expected POST /charges, got none',
        'providerReference: expected "ac_1", got nothing',
        'outcome: expected "succeeded", got "failed"',
        'nothingCharged: expected nothing, got true',
      ],
    ]);
  });
});

describe('options of a vector', () => {
  it('are replaced by optionsOverride, and may be refused if that is also right', async () => {
    const override = { optionsOverride: { sealKeys: [] } };
    const [refused] = await play(createAcme(), submission(override));
    expect(refused).to.deep.equal(['options.sealKeys: one to three keys']);
    expect(await play(createAcme(), submission({ ...override, orRefuseOptions: true }))).to.deep.equal([[]]);
    const other = { optionsOverride: { shop: 'shop-9' }, callbacks: [] };
    const [differs] = await play(createAcme(), submission(other));
    expect(differs?.[0]).to.include('request.body.shop');
  });
});

describe('differences', () => {
  it('never show a secret of the options, a card number or a CVV', async () => {
    const Secret = v.strictObject({ baseUrl: v.string(), apiKey: secret() });
    const adapter = createAcme({
      manifest: { options: Secret as never },
      adapter: {
        submit: (payment, { http, options: given }) => {
          const body = `<pay key="${given.apiKey}" pan="${payment.card?.number}" cvv="${payment.card?.cvv}"/>`;
          return http.send({ method: 'POST', path: '/charges', body }).then(() => ({ outcome: 'unknown' }) as const);
        },
      },
    });
    const vectors = { options: { baseUrl: 'https://a.example', apiKey: 'hush-hush-hush' }, ...submission({}) };
    const text = JSON.stringify(await runVectors(adapter, vectors));
    expect(text).to.include('(hidden)');
    expect(text).not.to.include('hush-hush').and.not.to.include('4111111111111111').and.not.to.include('"123"');
  });

  it('name the error that an adapter threw', async () => {
    const adapter = createAcme({
      adapter: {
        submit() {
          throw new TypeError('x is undefined');
        },
      },
    });
    expect(await play(adapter, submission({}))).to.deep.equal([['threw TypeError: x is undefined']]);
  });
});

describe('callbacks of a vector', () => {
  const callback = (changes: object, expected: object) => ({
    callbacks: [{ ...notice, ...changes, expect: { ...notice?.expect, ...expected } }],
  });
  const ack = (outcome: string, status: number, body: string) => ({ ack: { outcome, status, body } });

  it('are answered as core would answer them', async () => {
    for (const [outcome, status, body] of [
      ['accepted', 200, 'noted'],
      ['duplicate', 200, 'noted'],
      ['unknown_reference', 200, 'noted'],
      ['try_later', 503, ''],
    ] as const) {
      expect(await play(createAcme(), callback({}, ack(outcome, status, body))), outcome).to.deep.equal([[]]);
    }
    const ignoring = createAcme({ route: { parseCallback: () => ({ events: [] }) } });
    const none = { events: [], ...ack('ignored', 200, 'noted') };
    expect(await play(ignoring, callback({}, none))).to.deep.equal([[]]);
  });

  it('are not duplicates if they have no dedupe key', async () => {
    const nameless = createAcme({
      route: {
        parseCallback: ({ value }) => ({
          events: [
            {
              kind: 'ping',
              providerStatus: value.state,
              reference: null,
              providerReference: value.id,
              amount: null,
              currency: null,
              dedupeKey: null,
            },
          ],
        }),
      },
    });
    const [differences] = await play(nameless, callback({}, { events: undefined, ...ack('duplicate', 200, 'noted') }));
    expect(differences).to.deep.equal(['ack.outcome: expected "duplicate", got "accepted"']);
  });

  it('are ignored if they belong to the other side than the payment', async () => {
    const base = createAcme().callbacks[0]!;
    const moded = createAcme({
      adapter: {
        callbacks: [
          {
            ...base,
            parseCallback(verified, ctx) {
              const parsed = base.parseCallback(verified, ctx);
              return 'events' in parsed
                ? { events: parsed.events.map((event) => ({ ...event, mode: 'test' as const })) }
                : parsed;
            },
          },
        ],
      },
    });
    const vector = callback({ payment: { mode: 'live' } }, ack('ignored', 200, 'noted'));
    expect(await play(moded, vector)).to.deep.equal([[]]);
  });

  it('play a probe, refused entries, and a proof that is not available', async () => {
    const route = (changes: object) => createAcme({ route: changes });
    const probing = route({ probe: () => text('echo') });
    expect(await play(probing, callback({}, { events: [], ...ack('accepted', 200, 'echo') }))).to.deep.equal([[]]);
    const partly = createAcme({ route: { parseCallback: () => ({ events: [], refused: 1 }) } });
    expect(await play(partly, callback({}, { events: [], ...ack('bad_signature', 401, '') }))).to.deep.equal([[]]);
    const later = route({ verifySignature: () => tryLater('no key') });
    const waits = { genuine: 'unproven', events: [], ...ack('try_later', 503, '') };
    expect(await play(later, callback({}, waits))).to.deep.equal([[]]);
  });

  it('may ask for a key once, however often they are delivered', async () => {
    let fetches = 0;
    const base = createAcme().callbacks[0]!;
    const keyed = createAcme({
      adapter: {
        callbacks: [
          {
            ...base,
            async verifySignature(raw, ctx) {
              const load = async () => {
                fetches += 1;
                const { status } = await ctx.http.send({ method: 'GET', path: '/keys/7' });
                return { value: status, until: new Date(ctx.now().getTime() + 1000) };
              };
              const status = await ctx.cache.remember('7', load);
              return status === 200 ? base.verifySignature(raw, ctx) : invalidSignature('no such key');
            },
          },
        ],
      },
    });
    const keyFetch = (status: number) => ({
      request: { method: 'GET', path: '/keys/7' },
      reply: { status, body: '' },
    });
    const twice = callback({ keyFetch: keyFetch(200) }, ack('duplicate', 200, 'noted'));
    expect(await play(keyed, twice)).to.deep.equal([[]]);
    expect(fetches).to.equal(1);
    const denied = { genuine: 'forged', events: [], ...ack('bad_signature', 401, '') };
    expect(await play(keyed, callback({ keyFetch: keyFetch(404) }, denied))).to.deep.equal([[]]);
  });

  it('are fetched if they only name the payment, and the stored events are reported', async () => {
    const sent: string[] = [];
    const pinged = createAcme({
      adapter: {
        callbacks: [
          defineRoute<Options, string>({
            path: 'acme',
            method: 'POST',
            caller: 'server',
            reports: 'pings',
            verifySignature: (raw) => (onlyHeader(raw, 'x-none') ? invalidSignature('?') : unproven('ac_1')),
            parseCallback: ({ value }) => ({
              events: [
                {
                  kind: 'ping',
                  providerStatus: 'ping',
                  reference: null,
                  providerReference: value,
                  amount: null,
                  currency: null,
                  dedupeKey: null,
                },
              ],
            }),
            acknowledge: acknowledgeByDefault,
          }),
        ],
        async fetchStatus({ providerReference }, { http }) {
          const { status } = await http.send({ method: 'GET', path: `/deals/${providerReference}` });
          return status === 200 ? { result: 'events', events: [], seenToken: '7' } : noInformation('no');
        },
        async markSeen(_, note, { http }) {
          sent.push(note);
          const { status } = await http.send({ method: 'POST', path: `/deals/seen/${note}` });
          return status === 204 ? 'done' : 'later';
        },
      },
    });
    const fetch = {
      request: { method: 'GET', path: '/deals/ac_1' },
      reply: { status: 200, body: '' },
      events: [],
      afterCommit: {
        request: { method: 'POST', path: '/deals/seen/7' },
        reply: { status: 204, body: '' },
        expect: { outcome: 'succeeded' },
      },
    };
    const expected = {
      mustFetch: true,
      events: [{ kind: 'ping', providerReference: 'ac_1' }],
      ack: { status: 200, body: 'OK' },
    };
    expect(await play(pinged, callback({ fetch }, expected))).to.deep.equal([[]]);
    expect(sent).to.deep.equal(['7']);
    const later = { ...fetch, reply: { status: 404, body: '' }, result: 'try later', afterCommit: null };
    expect(await play(pinged, callback({ fetch: later }, expected))).to.deep.equal([[]]);
    const wrong = { ...fetch, afterCommit: { ...fetch.afterCommit, reply: { status: 500, body: '' } } };
    expect(await play(pinged, callback({ fetch: wrong }, expected))).to.deep.equal([
      ['markSeen: outcome: expected "succeeded", got "unknown"'],
    ]);
  });
});

describe('scripted providers', () => {
  it('answer in order, record requests, and then refuse', async () => {
    const http = scriptedHttp([reply(200, { a: 1 }), null]);
    const first = await http.send({ method: 'GET', path: '/a' });
    expect(Buffer.from(first.body).toString()).to.equal('{"a":1}');
    const failures: unknown[] = [];
    for (const path of ['/b', '/c']) {
      await http.send({ method: 'GET', path }).catch((error: unknown) => failures.push(error));
    }
    expect(failures.map((error) => error instanceof ProviderCallError && error.failure)).to.deep.equal([
      'no_answer',
      'not_sent',
    ]);
    expect(http.requests.map(({ path }) => path)).to.deep.equal(['/a', '/b', '/c']);
  });

  it('remember a value until it is no longer valid', async () => {
    let now = new Date(0);
    let loads = 0;
    const { cache } = scriptedProvider({ options: {}, now: () => now });
    const load = async () => ({ value: (loads += 1), until: new Date(now.getTime() + 1000) });
    expect([await cache.remember('k', load), await cache.remember('k', load)]).to.deep.equal([1, 1]);
    now = new Date(1000);
    expect(await cache.remember('k', load)).to.equal(2);
  });

  it('find fixtures in the package that a test belongs to', () => {
    expect(() => fixture(import.meta.url, 'none.json')).to.throw('fixtures/none.json');
  });
});
