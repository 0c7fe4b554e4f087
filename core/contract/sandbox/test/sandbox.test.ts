import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import type { CreateSandbox } from '../../index.ts';
import {
  BoundedMap,
  choicePage,
  createOnce,
  createRepetitions,
  createRouter,
  cut,
  faulty,
  html502,
  jsonReply,
  listen,
  noAnswer,
  redirectReply,
  returnForm,
  sendRequest,
  textReply,
  troubleBefore,
  type Handler,
  type RunningSandbox,
} from '../index.ts';

const setup = { options: {}, providerSide: {}, publicUrl: 'http://127.0.0.1:1', delayMs: 1 };

describe('a sandbox that listens', () => {
  let running: RunningSandbox | undefined;

  afterEach(async () => {
    await running?.close();
    running = undefined;
  });

  async function serve(routes: Readonly<Record<string, Handler>>): Promise<string> {
    running = await listen(
      ({ baseUrl }) => ({ handle: createRouter(routes, { baseUrl, maxBytes: 100 }), async close() {} }),
      setup,
    );
    return running.baseUrl;
  }

  async function send(url: string, method: 'GET' | 'POST' = 'GET', body?: string) {
    const reply = await sendRequest({ method, url, ...(body === undefined ? {} : { body }) }, 2000);
    return `${reply.status} ${reply.body.toString()}`;
  }

  it('lists its test values and events at its root', async () => {
    const createSandbox: CreateSandbox = () => ({
      handle() {},
      events: ['refund done'],
      causes: { 'payment.refunded': 'refund done' },
      async close() {},
    });
    createSandbox.testValues = [
      { member: 'amount', value: '.60', result: 'page: underpaid' },
      { member: 'upiId', value: 'declined@upi', result: 'declined 05' },
    ];
    const provider = { name: 'coins', title: 'Coin server', code: 19, inputs: ['billing'] };
    const listed = await listen(createSandbox, { ...setup, provider });
    const page = await (await fetch(listed.baseUrl)).text();
    await listed.close();
    for (const shown of [
      '<h1>Sandbox of Coin server (code 19)</h1>',
      'page: underpaid',
      '<th scope="col">UPI id</th>',
      '<code>payment.refunded</code>',
      '<pre>paywright trigger coins payment.refunded --payment 10042</pre>',
      `href="${setup.publicUrl}/docs/testing"`,
    ])
      expect(page).to.contain(shown);
    expect(page, 'a provider without cards').not.to.contain('4000000000009995').and.not.to.contain('<td>upiId');
    const cards = await listen(createSandbox, { ...setup, provider: { ...provider, inputs: ['card', 'billing'] } });
    expect(await (await fetch(cards.baseUrl)).text()).to.contain('4000000000009995');
    await cards.close();
  });

  it('finds the handler by method and path and decodes the parameters', async () => {
    const base = await serve({
      'GET /v1/charges/by-ref/:ref': (_request, ref) => textReply(200, `ref ${ref}`),
      'GET /v1/charges/:txn/:what': (_request, txn, what) => textReply(200, `${txn} ${what}`),
      'POST /v1/charges': (request) => textReply(200, `${request.query} ${request.form()?.get('a')}`),
    });
    expect(await send(`${base}/v1/charges/by-ref/GW-1-1`)).to.equal('200 ref GW-1-1');
    expect(await send(`${base}/v1/charges/A%2FB%7E/complete`)).to.equal('200 A/B~ complete');
    expect(await send(`${base}/v1/charges?x=1?`, 'POST', 'a=b+c')).to.equal('200 x=1? b c');
    expect(await send(`${base}/v1/charges`)).to.equal('404 no such address');
    expect(await send(`${base}/v1/charges/%E0/x`)).to.equal('404 no such address');
  });

  it('refuses a body that is too large and reads UTF-8 strictly', async () => {
    const base = await serve({ 'POST /': (request) => textReply(200, String(request.text() === undefined)) });
    expect(await send(base + '/', 'POST', 'x'.repeat(101))).to.equal('413 too large');
    const broken = await sendRequest({ method: 'POST', url: `${base}/`, body: Buffer.from([0xff]) }, 2000);
    expect(broken.body.toString()).to.equal('true');
  });

  it('cuts an answer in the middle and closes without one', async () => {
    const whole = jsonReply(200, { txn: 'A-1' });
    const base = await serve({ 'GET /cut': () => cut(whole), 'GET /none': () => noAnswer, 'GET /whole': () => whole });
    const failure = (path: string): Promise<string> => send(base + path).catch((error: Error) => error.message);
    expect(await failure('/cut')).to.equal('aborted');
    expect(await failure('/none')).to.equal('socket hang up');
    expect(await failure('/whole')).to.equal('200 {"txn":"A-1"}');
  });

  it('answers 500 and warns when a handler throws', async () => {
    const base = await serve({
      'GET /': () => {
        throw new TypeError('a fault of the sandbox');
      },
    });
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    expect(await send(`${base}/`)).to.equal('500 the sandbox failed');
    expect((await warned).message).to.equal('a fault of the sandbox');
  });

  it('refuses a port that is in use', async () => {
    const base = await serve({});
    const error = await listen(() => ({ handle() {}, async close() {} }), setup, Number(new URL(base).port)).catch(
      (caught: NodeJS.ErrnoException) => caught.code,
    );
    expect(error).to.equal('EADDRINUSE');
  });

  it('shows pages whose choices are submit buttons, with everything escaped', async () => {
    const base = await serve({
      'GET /': () =>
        choicePage({
          title: 'Pay "<now>"',
          action: '/x?a=1&b=2',
          name: 'choice',
          values: ['pass', 'fail'],
          hidden: { id: "'" },
          summary: { shop: 'Shop', reference: 'GW-1-1' },
        }),
      'POST /back': (request) => returnForm(request, 'https://shop.example/3ds', { cres: 'a"b' }),
      'GET /on': () => redirectReply('https://shop.example/'),
    });
    const shown = await send(`${base}/`);
    expect(shown).to.contain('<form method="post" action="/x?a=1&amp;b=2">');
    expect(shown).to.contain('<button type="submit" name="choice" value="fail">Decline</button>');
    expect(shown).to.contain('<input type="hidden" name="id" value="&#39;" />').and.not.contain('<now>');
    expect(await send(`${base}/back`, 'POST')).to.contain(
      '<form id="return" method="post" action="https://shop.example/3ds">',
    );
    const asJson = await sendRequest(
      { method: 'POST', url: `${base}/back`, headers: { Accept: 'application/json' } },
      2000,
    );
    expect(JSON.parse(asJson.body.toString())).to.deep.equal({
      method: 'POST',
      action: 'https://shop.example/3ds',
      fields: { cres: 'a"b' },
    });
    const moved = await sendRequest({ method: 'GET', url: `${base}/on` }, 2000);
    expect([moved.status, Object.fromEntries(moved.headers)['Location']]).to.deep.equal([303, 'https://shop.example/']);
  });
});

describe('the answers of a sandbox', () => {
  const answers = { error: jsonReply(500, {}), tooMany: jsonReply(429, {}) };

  it('refuse .51 once per key, .50 and .52 always, and accept every other amount', () => {
    const once = createOnce();
    const trouble = (rule: Parameters<typeof troubleBefore>[0], key: string) =>
      troubleBefore(rule, () => once(key), answers);
    expect(trouble('.51', 'GW-1-1'))
      .to.deep.include({ status: 429 })
      .and.have.nested.property('headers.Retry-After', '1');
    expect(trouble('.51', 'GW-1-1')).to.equal(undefined);
    expect(trouble('.51', 'GW-2-1')).to.deep.include({ status: 429 });
    expect([trouble('.50', 'x'), trouble('.52', 'x'), trouble('.53', 'x')]).to.deep.equal([
      { ...answers.error, headers: { ...answers.error.headers, 'X-Sandbox-Rule': '.50' } },
      { ...html502, headers: { ...html502.headers, 'X-Sandbox-Rule': '.52' } },
      undefined,
    ]);
  });

  it('are stored once per key, completely, and say if values differ or the first is not done', async () => {
    const repetitions = createRepetitions();
    const reported = {
      busy: textReply(409, 'busy'),
      differs: textReply(409, 'differs'),
      keep: ({ status }: { status: number }) => status < 500,
    };
    let charges = 0;
    const charge = (values: string, status = 200) =>
      repetitions.answer('key', values, () => faulty(textReply(status, `charge ${++charges}`), '.53'), reported);
    await charge('a', 500);
    const [first, busy] = await Promise.all([charge('a'), charge('a')]);
    expect([first.body, first.fault, busy.body]).to.deep.equal(['charge 2', 'cut', 'busy']);
    expect(await charge('a')).to.deep.equal(textReply(200, 'charge 2'));
    expect((await charge('b')).body).to.equal('differs');
    expect(charges).to.equal(2);
  });

  it('are forgotten beyond the limit, the oldest first', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3);
    expect([...map.keys()]).to.deep.equal(['b', 'c']);
  });
});
