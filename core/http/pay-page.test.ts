import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { PayPage } from '../payments/service.ts';
import { notFound } from '../errors.ts';
import { startGateway } from './testing/gateway.ts';
import type { TestGateway } from './testing/gateway.ts';

const plain: PayPage = { state: 'pending', leaveTo: null, action: null, details: null };
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

  it('tells the state in a word, and asks again by itself, also without script', async () => {
    const { status, text, headers } = await visit({}, { query: '?cres=marker&x=%3Cscript%3E' });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('<strong>pending</strong>').and.include(refresh);
    expect(text).not.to.include('marker');
    expect(text.match(/<script>/g)).to.have.length(1);
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([[10042, {}]]);
  });

  for (const state of ['created', 'pending', 'paid', 'failed', 'refunded', 'expired', 'cancelled'] as const) {
    const isOpen = state === 'created' || state === 'pending';
    it(`${state} ${isOpen ? 'asks again' : 'is final'}, and leads on only where there is somewhere to go`, async () => {
      const stays = await visit({ state });
      expect([stays.status, stays.text.includes(refresh)]).to.deep.equal([200, isOpen]);
      const leaves = await visit({ state, leaveTo: 'https://shop.example/thanks?a=1&b=ü' });
      expect([leaves.status, leaves.headers.get('location')]).to.deep.equal([
        303,
        'https://shop.example/thanks?a=1&b=%C3%BC',
      ]);
    });
  }

  it('hands over the link’s own part and the token, each only where it stands once', async () => {
    await visit({}, { query: '?k=key&t=token&other=1' });
    await visit({}, { query: '?k=a&k=b&t=' });
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([
      [10042, { linkKey: 'key', token: 'token' }],
      [10042, {}],
    ]);
  });

  it('with the link’s own part shows merchant and amount, and stays even after a failure', async () => {
    const details = { merchant: 'Shop <b>"1" & \'2\'', amount: '25.90', unit: 'EUR' };
    const { status, text } = await visit({ state: 'failed', leaveTo: 'https://shop.example/"x"', details });
    expect(status).to.equal(200);
    expect(text).to.include('Shop &lt;b&gt;&quot;1&quot; &amp; &#39;2&#39; asks for <strong>25.90 EUR</strong>');
    expect(text).to.include('<a href="https://shop.example/%22x%22" target="_top">');
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

  it('where there is no such payment: 404, a page', async () => {
    const unknown = await visit(undefined);
    gateway.answers.payments.payPage = async () => {
      throw notFound('it');
    };
    for (const reply of [unknown, await visit({}), await gateway.send('/pay/marker', { method: 'GET', key: null })]) {
      expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(reply.text).not.to.include('marker');
    }
  });
});
