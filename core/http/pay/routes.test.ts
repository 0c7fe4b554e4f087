import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { PayerInput, PayPage, PayPageDetails } from '../../payments/service.ts';
import { startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';

const details: PayPageDetails = {
  merchant: 'Shop <b>"1" & \'2\'',
  amount: '25.90',
  unit: 'EUR',
  isTest: false,
  ways: ['card', 'upi'],
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
const refresh = '<meta http-equiv="refresh" content="3">';

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

  it('is 429 for an address at the 61st visit without the link, and for a payment at the 121st with one', async () => {
    const other = await startGateway();
    const visit = async (query = '', id = 1) => (await other.get(`/pay/${id}${query}`, { key: null })).status;
    for (let n = 1; n <= 60; n += 1) expect(await visit('', n)).not.to.equal(429);
    expect(await visit()).to.equal(429);
    for (let n = 1; n <= 120; n += 1) expect(await visit('?r=x')).not.to.equal(429);
    expect(await visit('?k=x')).to.equal(429);
    expect(await visit('?k=x', 2)).not.to.equal(429);
    await other.server.close(0);
  });

  it('shows the state in a word, and reloads by itself, also without script', async () => {
    const { status, text, headers } = await visit({}, { query: '?cres=marker&x=%3Cscript%3E' });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('<strong>pending</strong>').and.include(refresh);
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
    expect(text).to.include('Shop &lt;b&gt;&quot;1&quot; &amp; &#39;2&#39; asks for <strong>25.90 EUR</strong>');
    expect(text).to.include('<a href="https://shop.example/%22x%22" target="_top">');
  });

  it('with the link’s own part posts to itself alone, and is framed by nobody', async () => {
    const { headers, text } = await visit({ state: 'created', details }, { query: '?k=a%22b' });
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('content-security-policy'))
      .to.include("form-action 'self'")
      .and.include("frame-ancestors 'none'")
      .and.not.include('script-src');
    expect(text).to.include('<form method="post" action="?k=a%22b">');
    expect(text).to.include('name="attempts" value="1"');
    expect(text).not.to.include('http-equiv').and.not.to.include('<script>');
  });

  it('shows the way that the address names, else the first', async () => {
    const upi = await visit({ state: 'created', details }, { query: '?k=key&way=upi' });
    expect(upi.text).to.include('name="upiId"').and.not.include('name="number"');
    const other = await visit({ state: 'created', details }, { query: '?k=key&way=%3Ci%3E' });
    expect(other.text).to.include('name="number"').and.not.include('&lt;i&gt;');
  });

  it('hands over what the payer filled in, and loads anew', async () => {
    gateway.answers.page = { ...plain, state: 'created', details };
    const typed = { way: 'upi', attempts: '1', ...payer, country: 'pt', upiId: ' a@bank ', number: '4111111111111111' };
    const body = new URLSearchParams(typed).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Test/1' };
    const { status, headers: answered } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect([status, answered.get('location')]).to.deep.equal([303, '?k=key']);
    expect(gateway.askedOnly('payerOf')[0]).to.equal('key');
    const [id, input, given] = gateway.askedOnly('pay') as [number, PayerInput, unknown];
    expect([id, input.kind, input.upiId, input.card]).to.deep.equal([10042, 'upi', 'a@bank', undefined]);
    expect(given).to.deep.equal({ seen: 1 });
    expect(input.payer).to.deep.equal({ ...payer, country: 'PT', ipAddress: '127.0.0.1' });
    expect(input.body).not.to.have.any.keys('number', 'attempts', 'way');
  });

  it('writes what was filled in back into the form, but no card number, wherever it was typed', async () => {
    gateway.answers.page = { ...plain, state: 'created', details };
    const typed = { way: 'card', attempts: '1', ...payer, name: '4111 1111 1111 1111', address: '<b>"1"', city: '' };
    const body = new URLSearchParams({ ...typed, number: '4111111111111111', cvv: '737' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect([status, text.includes('Please fill in: City, Good until')]).to.deep.equal([400, true]);
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
    expect(text).to.include('<input type="hidden" name="creq" value="a&quot;b&lt;c&gt;&amp;">').and.include('<button>');
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
    expect(framed.text)
      .to.include('top.location.replace')
      .and.include('<a href="https://shop.example/" target="_top">');
  });

  it('allows its own script and style by their digests, and no other', async () => {
    const { createHash } = await import('node:crypto');
    const { headers, text } = await visit({});
    const policy = headers.get('content-security-policy')!;
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ] as const) {
      const source = new RegExp(`<${tag}>(.*?)</${tag}>`).exec(text)![1]!;
      const digest = createHash('sha256').update(source).digest('base64');
      expect(policy).to.include(`${directive} 'sha256-${digest}'`);
    }
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
