import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { PayerInput, PayerWay, PayPage, PayPageDetails } from '../../payments/service.ts';
import { startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';
import { sendRaw } from '../testing/raw-request.ts';

const everyField = ['name', 'email', 'phoneNumber', 'address', 'city', 'state', 'postalCode', 'country'] as const;
const way = (members: Partial<PayerWay> & Pick<PayerWay, 'id' | 'method'>): PayerWay => ({
  kind: 'billing',
  instrument: null,
  adapter: null,
  coin: null,
  title: 'Acme',
  currency: 'EUR',
  fields: everyField,
  ...members,
});
const card = way({ id: 'card', method: 'card', kind: 'card', instrument: 'card' });
const upi = way({
  id: 'upi_collect',
  method: 'upi_collect',
  kind: 'upi',
  instrument: 'upiId',
  fields: ['name', 'phoneNumber'],
});
const details: PayPageDetails = {
  merchant: 'Shop <b>"1" & \'2\'',
  recipientName: null,
  referenceId: null,
  notes: null,
  amount: '25.90',
  unit: 'EUR',
  currency: 'EUR',
  isTest: false,
  ways: [card, upi],
  known: {},
  attempts: 1,
  failure: null,
};
const payer = {
  name: 'A B',
  email: 'a@b.example',
  phoneNumber: '+351912345678',
  address: 'Rua 1',
  city: 'Lisboa',
  state: 'LX',
  postalCode: '1000',
  country: 'PT',
};
const plain: PayPage = { state: 'pending', stepLost: false, leaveTo: null, action: null, details: null };
const refresh = '<meta http-equiv="refresh" content="3" />';

describe('http: the payer’s page', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  const visit = (page: Partial<PayPage> | undefined, { query = '', headers = {} } = {}) => {
    gateway.answers.page = page && { ...plain, ...page };
    return gateway.send(`/pay/10042${query}`, { method: 'GET', key: null, headers });
  };

  it('counts what proves nothing for its address, whatever it carries, and what proves something for its payment', async () => {
    const taken: unknown[] = [];
    const take = async (...of: [string, number]) => {
      taken.push(of);
      return { limit: of[1], remaining: 1, resetSeconds: 1 };
    };
    const other = await startGateway({ deps: { rateLimiter: { take, takeEntries: async () => undefined } } });
    const visit = async (query: string, method = 'GET') =>
      (await other.send(`/pay/1${query}`, { key: null, method })).status;
    const wrong = ['', '?k=x', '?r=x', '?t=x'];
    for (let n = 0; n < 60; n += 1) expect(await visit(wrong[n % 4]!)).to.equal(200);
    for (const query of wrong) expect([await visit(query), await visit(query, 'POST')]).to.deep.equal([429, 429]);
    expect(taken).to.deep.equal([]);
    other.answers.page = plain;
    expect(await visit('?r=right')).to.equal(200);
    expect(taken).to.deep.equal([['pay 1', 120]]);
    await other.server.close(0);
  });

  it('is 404 to who posts without the link, unread', async () => {
    const head = 'POST /pay/1?k=x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n\r\n';
    expect((await sendRaw(gateway.port, head)).status).to.equal(404);
  });

  it('shows the state in a word, and reloads by itself, also without script', async () => {
    const { status, text, headers } = await visit({}, { query: '?cres=marker&x=%3Cscript%3E' });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('Your payment is under way').and.include(refresh);
    expect(text).not.to.include('marker');
    expect(text.match(/<script>/g)).to.have.length(1);
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([[10042, {}]]);
  });

  it('says that the way to the bank was lost with the provider’s answer, and goes on asking', async () => {
    const { text } = await visit({ stepLost: true });
    expect(text).to.include('The way to your bank was lost').and.include(refresh);
    expect((await visit({})).text).not.to.include('was lost');
  });

  for (const state of ['created', 'pending', 'paid', 'failed', 'refunded', 'expired', 'cancelled'] as const) {
    const isOpen = state === 'created' || state === 'pending';
    it(`${state} ${isOpen ? 'reloads' : 'is final'}, and leads on only where the merchant gave an address`, async () => {
      const stays = await visit({ state });
      expect([stays.status, stays.text.includes(refresh)]).to.deep.equal([200, isOpen]);
      const leaves = await visit({ state, leaveTo: 'https://shop.example/thanks?a=1&b=ü' });
      expect([leaves.status, leaves.headers.get('location')]).to.deep.equal([
        303,
        'https://shop.example/thanks?a=1&b=%C3%BC',
      ]);
    });
  }

  it('hands over the link’s own part and the token, each only where it is given once', async () => {
    await visit({}, { query: '?k=key&r=part&t=token&other=1' });
    await visit({}, { query: '?k=a&k=b&t=' });
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([
      [10042, { linkKey: 'key', returnPart: 'part', token: 'token' }],
      [10042, {}],
    ]);
  });

  it('with the link’s own part shows merchant and amount, and stays even after a failure', async () => {
    const { status, text } = await visit({ state: 'failed', leaveTo: 'https://shop.example/"x"', details });
    expect(status).to.equal(200);
    expect(text).to.include('Payment to Shop &lt;b&gt;&quot;1&quot; &amp; &#39;2&#39;').and.include('>€25.90</strong>');
    expect(text).to.include('<a href="https://shop.example/%22x%22" target="_top">');
  });

  it('with the link’s own part posts to itself alone, and is framed by nobody', async () => {
    const { headers, text } = await visit({ state: 'created', details }, { query: '?k=a%22b' });
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('content-security-policy'))
      .to.include("form-action 'self'")
      .and.include("frame-ancestors 'none'")
      .and.not.include('script-src');
    expect(text).to.include('<form method="post" action="?k=a%22b"');
    expect(text).to.include('name="attempts" value="1"');
    expect(text).not.to.include('http-equiv').and.not.to.include('<script>');
  });

  it('shows the way that the address names, else the first', async () => {
    const upi = await visit({ state: 'created', details }, { query: '?k=key&way=upi_collect' });
    expect(upi.text).to.include('name="upiId"').and.not.include('name="number"');
    const other = await visit({ state: 'created', details }, { query: '?k=key&way=%3Ci%3E' });
    expect(other.text).to.include('name="number"').and.not.include('&lt;i&gt;');
  });

  it('hands over what the payer filled in, and loads anew', async () => {
    gateway.answers.page = { ...plain, state: 'created', details };
    const more = { name: 'A B', phoneNumber: '+351912345678', upiId: ' a@bank ', number: '4111111111111111' };
    const typed = { way: 'upi_collect', attempts: '1', ...more };
    const body = new URLSearchParams(typed).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Test/1' };
    const { status, headers: answered } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect([status, answered.get('location')]).to.deep.equal([303, '?k=key']);
    expect(gateway.askedOnly('payerOf')[0]).to.equal('key');
    const [id, input, given] = gateway.askedOnly('pay') as [number, PayerInput, unknown];
    expect([id, input.kind, input.upiId, input.card]).to.deep.equal([10042, 'upi', 'a@bank', undefined]);
    expect(given).to.deep.equal({ seen: 1, way: upi });
    expect(input.payer).to.deep.equal({ name: 'A B', phoneNumber: '+351912345678', ipAddress: '127.0.0.1' });
    expect(input.body).not.to.have.any.keys('number', 'attempts', 'way');
  });

  it('writes what was filled in back into the form, but no card number, wherever it was typed', async () => {
    gateway.answers.page = { ...plain, state: 'created', details };
    const typed = { way: 'card', attempts: '1', ...payer, name: '4111 1111 1111 1111', address: '<b>"1"', city: '' };
    const body = new URLSearchParams({ ...typed, number: '4111111111111111', cvv: '737' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect([status, errorsOf(text)]).to.deep.equal([400, ['expiration', 'city']]);
    expect(text)
      .to.include('value="&lt;b&gt;&quot;1&quot;"')
      .and.not.match(/4111|737/);
  });

  it('what goes wrong on our side is a page too, that repeats nothing', async () => {
    gateway.answers.payments.payPage = async () => {
      throw new Error('marker');
    };
    for (const method of ['GET', 'POST']) {
      const { status, text, headers } = await gateway.send('/pay/10042', { method, key: null });
      expect([status, headers.get('content-type')]).to.deep.equal([500, 'text/html; charset=utf-8']);
      expect(text).not.to.include('marker');
    }
  });

  it('a right token leads on to the next action: a form that sends itself, also by hand', async () => {
    const fields = { creq: 'a"b<c>&', threeDSSessionData: 't' };
    const action = {
      type: 'redirect',
      method: 'POST',
      url: 'http://acs.example:81/challenge?a=1&b=2',
      fields,
    } as const;
    const { text, headers } = await visit({ action });
    expect(text).to.include(
      '<form id="go" method="post" action="http://acs.example:81/challenge?a=1&amp;b=2" target="_top">',
    );
    expect(text)
      .to.match(/<input\s+type="hidden" name="creq" value="a&quot;b&lt;c&gt;&amp;"/)
      .and.include('<button');
    expect(text).not.to.include('http-equiv');
    expect(headers.get('content-security-policy')).to.include('form-action http://acs.example:81 https:');
  });

  it('or to its address', async () => {
    const action = { type: 'redirect', method: 'GET', url: 'https://acs.example/c?x=1' } as const;
    const { status, headers } = await visit({ action });
    expect([status, headers.get('location')]).to.deep.equal([303, 'https://acs.example/c?x=1']);
  });

  it('an action that is no redirect is the merchant’s to show: the state, again and again', async () => {
    const { text } = await visit({ action: { type: 'confirm', paymentId: 'marker' } });
    expect(text).to.include(refresh).and.not.include('marker');
  });

  it('may be framed, and moves to the top window; a redirect inside a frame does too', async () => {
    const { headers, text } = await visit({});
    expect([
      headers.get('x-frame-options'),
      headers.get('content-security-policy')!.includes('frame-ancestors'),
    ]).to.deep.equal([null, false]);
    expect(text).to.include('top.location.replace(location.href)');
    const framed = await visit(
      { state: 'paid', leaveTo: 'https://shop.example/' },
      { headers: { 'Sec-Fetch-Dest': 'iframe' } },
    );
    expect([framed.status, framed.headers.get('location')]).to.deep.equal([200, null]);
    expect(framed.text).to.include('top.location.replace').and.include('href="https://shop.example/" target="_top">');
  });

  it('allows its own script by its digest, its own style sheet, and nothing else', async () => {
    const { createHash } = await import('node:crypto');
    const { headers, text } = await visit({});
    const policy = headers.get('content-security-policy')!;
    const source = /<script>(.*?)<\/script>/.exec(text)![1]!;
    const digest = createHash('sha256').update(source).digest('base64');
    expect(policy).to.equal(
      `default-src 'none'; base-uri 'none'; style-src 'self'; img-src 'self'; form-action 'none'; script-src 'sha256-${digest}'`,
    );
    expect(text).not.to.match(/<style|\sstyle=|\son\w+=/);
  });

  it('loads what it needs from its own address alone, where a browser keeps it for ever', async () => {
    const { text } = await visit({ state: 'created', details }, { query: '?k=key' });
    const addresses = [...text.matchAll(/<link[^>]* href="([^"]*)"/g)].map(([, address = '']) => address);
    expect(addresses).to.have.length(2);
    for (const address of addresses) {
      const { pathname } = new URL(address, `${gateway.url}/pay/10042`);
      const { status, headers } = await gateway.get(pathname, { key: null });
      expect([status, headers.get('cache-control')], address).to.deep.equal([
        200,
        'public, max-age=31536000, immutable',
      ]);
    }
    expect(text).not.to.match(/(src|href|action)="(https?:)?\/\//);
    expect((await gateway.get('/pay/assets/page.css', { key: null })).status).to.equal(404);
  });

  it('says nothing to search engines', async () => {
    expect((await visit({})).headers.get('x-robots-tag')).to.equal('noindex');
  });

  it('asks only for what the way needs, and of that for nothing that is known', async () => {
    const known = { name: 'Ines Duarte', email: 'ines@client.example', phoneNumber: '12', country: 'PT' };
    const shown = await visit(
      { state: 'created', details: { ...details, known } },
      { query: '?k=key&way=upi_collect' },
    );
    expect(inputsOf(shown.text)).to.deep.equal(['way', 'attempts', 'upiId', 'name', 'phoneNumber']);
    expect(shown.text)
      .to.include('<li>I••• D•••</li>')
      .and.not.match(/Ines|Duarte|client\.example/);
    const whole = await visit({ state: 'created', details: { ...details, known } }, { query: '?k=key' });
    expect(whole.text).to.include('i•••@client.example').and.include('<option  value="PT" selected>Portugal</option>');
  });

  it('sends on what is known where the payer leaves it as it is', async () => {
    const known = { name: 'Ines Duarte', phoneNumber: '+351912345678', email: 'ines@client.example' };
    gateway.answers.page = { ...plain, state: 'created', details: { ...details, known } };
    const typed = { way: 'upi_collect', attempts: '1', upiId: 'a@bank', name: '', phoneNumber: '+34600000000' };
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(typed).toString();
    expect((await gateway.send('/pay/10042?k=key', { key: null, body, headers })).status).to.equal(303);
    const [, { payer: sent }] = gateway.askedOnly('pay') as [number, PayerInput];
    expect(sent).to.deep.equal({ name: 'Ines Duarte', phoneNumber: '+34600000000', ipAddress: '127.0.0.1' });
  });

  it('escapes whatever it shows, wherever it comes from', async () => {
    const markup = `"'><img src=x onerror=alert(1)>&lt;{{7*7}}`;
    const everything: PayPageDetails = {
      ...details,
      merchant: markup,
      recipientName: markup,
      referenceId: markup,
      notes: markup,
      unit: markup,
      currency: null,
      known: Object.fromEntries(everyField.map((field) => [field, markup])),
      ways: [
        card,
        way({ id: `hosted_page.${markup}`, method: 'hosted_page', title: markup }),
        way({ id: `crypto.${markup}`, method: 'crypto', coin: markup }),
      ],
    };
    const actions: PayPage['action'][] = [
      { type: 'redirect', method: 'GET', url: `https://a.example/${markup}` },
      { type: 'redirect', method: 'POST', url: `https://a.example/${markup}`, fields: { [markup]: markup } },
      { type: 'confirm', paymentId: markup },
      { type: 'upi', mode: 'intent', link: `upi:${markup}`, text: markup, expiry: '2026-11-21T12:00:00Z' },
      {
        type: 'crypto',
        address: markup,
        coin: markup,
        amount: markup,
        network: markup,
        memo: markup,
        expiry: '2026-11-21T12:00:00Z',
      },
    ];
    const pages: Partial<PayPage>[] = [
      { state: 'created', details: everything },
      { state: 'paid', leaveTo: `https://a.example/?x=${markup}`, details: { ...everything, ways: [] } },
      { state: 'failed', details: { ...everything, failure: { kind: 'declined', code: '05' } } },
      ...actions.map((action): Partial<PayPage> => ({
        state: 'pending',
        action,
        details: { ...everything, ways: [] },
      })),
    ];
    const query = `?k=${encodeURIComponent(markup)}&lang=${encodeURIComponent(markup)}&way=${encodeURIComponent(`crypto.${markup}`)}`;
    for (const page of pages) {
      const { text } = await visit(page, { query });
      expect(text, page.action?.type ?? page.state ?? '')
        .not.to.include('<img')
        .and.not.include(markup);
    }
    gateway.answers.page = { ...plain, state: 'created', details: everything };
    const typed = Object.fromEntries(
      ['way', 'attempts', 'number', 'expiration', 'cvv', ...everyField].map((name) => [name, markup]),
    );
    const body = new URLSearchParams({ ...typed, way: 'card', attempts: '1' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text } = await gateway.send(`/pay/10042${query}`, { key: null, body, headers });
    expect([status, text.includes('<img'), text.includes(markup)]).to.deep.equal([400, false, false]);
    expect(text).to.include('&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;lt;{{7*7}}');
  });

  it('a visit that proves nothing: that it is checked, the same whether there is such a payment or not', async () => {
    const { status, text, headers } = await visit(undefined);
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('The payment is being checked').and.not.include('http-equiv');
    expect(headers.get('location')).to.equal(null);
  });

  it('too many visits of one payment: 429, a page', async () => {
    gateway.answers.remaining = 0;
    const { status, headers } = await visit({ state: 'paid', leaveTo: 'https://shop.example' });
    expect([status, headers.get('content-type')]).to.deep.equal([429, 'text/html; charset=utf-8']);
  });

  it('what is no id: 404, a page', async () => {
    const reply = await gateway.send('/pay/marker', { method: 'GET', key: null });
    expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(reply.text).not.to.include('marker');
  });
});

/** Names of the fields that are marked as wrong. */
function errorsOf(page: string): string[] {
  return [...page.matchAll(/class="error" id="(\w+)-error"/g)].map(([, name = '']) => name);
}

/** Names of what can be filled in, and of what is sent along. */
function inputsOf(page: string): string[] {
  return [...page.matchAll(/<(?:input|select)[^>]*? name="(\w+)"/g)].map(([, name = '']) => name);
}
