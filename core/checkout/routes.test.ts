// cspell:ignoreRegExp /[^\x00-\x7f]\S*/g
import { createHash } from 'node:crypto';
import type { Action } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type {
  PayBrand,
  PayerWay,
  PayPage,
  PayPageDetails,
  PayReceipt,
  PayVisit,
} from '../engine/payments/types/pay-page.ts';
import type { PayerInput } from '../engine/payments/types/input.ts';
import { contrast, LEAST_CONTRAST } from '../base/text/colour.ts';
import { languageCodes, wordsOf as wordsIn } from '../html/words/index.ts';
import { logo, startGateway } from '../http/testing/gateway.ts';
import { pageDetails, plainPage } from '../http/testing/pay-page.ts';
import { readQr } from '../http/testing/read-qr.ts';
import type { Reply, TestGateway } from '../http/testing/gateway.ts';
import { sendRaw } from '../http/testing/raw-request.ts';

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
const details: PayPageDetails = { ...pageDetails, ways: [card, upi] };
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
const refresh = '<noscript><meta http-equiv="refresh" content="5" /></noscript>';

describe('the payer’s page', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  /** Visits are limited per payment: tests with many visits have an `id` of their own. */
  const visit = (page: Partial<PayPage> | undefined, { query = '', headers = {}, id = 10_042 } = {}) => {
    gateway.answers.page = page && { ...plainPage, ...page };
    return gateway.send(`/pay/${id}${query}`, { method: 'GET', key: null, headers });
  };

  it('answers 404 to a POST without the link, without reading it', async () => {
    const head = 'POST /pay/1?k=x HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n\r\n';
    expect((await sendRaw(gateway.port, head)).status).to.equal(404);
  });

  it('shows the state, and reloads automatically, also without script', async () => {
    const { status, text, headers } = await visit({}, { query: '?cres=marker&x=%3Cscript%3E' });
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('Processing your payment').and.include(refresh);
    expect(text).not.to.include('marker');
    expect(text.match(/<script/g)).to.have.length(1);
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([[10042, {}]]);
  });

  it('says that the link to the bank was lost with the provider’s answer, and continues to reload', async () => {
    const { text } = await visit({ stepLost: true });
    expect(text).to.include('The link to your bank was lost').and.include(refresh);
    expect((await visit({})).text).not.to.include('was lost');
  });

  for (const state of ['created', 'pending', 'paid', 'failed', 'refunded', 'expired', 'cancelled'] as const) {
    const isOpen = state === 'created' || state === 'pending';
    it(`${isOpen ? 'reloads' : 'does not reload'} while ${state}, and redirects only if the merchant gave a URL`, async () => {
      const stays = await visit({ state });
      expect([stays.status, stays.text.includes(refresh)]).to.deep.equal([200, isOpen]);
      const leaves = await visit({ state, leaveTo: 'https://shop.example/thanks?a=1&b=ü' });
      expect([leaves.status, leaves.headers.get('location')]).to.deep.equal([
        303,
        'https://shop.example/thanks?a=1&b=%C3%BC',
      ]);
    });
  }

  it('passes on the key of the link and the token, each only if it is given once', async () => {
    await visit({}, { query: '?k=key&r=part&t=token&other=1' });
    await visit({}, { query: '?k=a&k=b&t=' });
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([
      [10042, { linkKey: 'key', returnPart: 'part', token: 'token' }],
      [10042, {}],
    ]);
  });

  it('shows merchant and amount with the key of the link, and does not redirect even after a failure', async () => {
    const { status, text } = await visit({ state: 'failed', leaveTo: 'https://shop.example/"x"', details });
    expect(status).to.equal(200);
    expect(text).to.include('Pay Shop &lt;b&gt;&quot;1&quot; &amp; &#39;2&#39;').and.include('>€25.90</strong>');
    expect(text).to.include('<a class="back" href="https://shop.example/%22x%22" target="_top">');
  });

  it('names the field that the provider refused, or tells the payer to pay another way', async () => {
    const refused = async (field: 'postalCode' | 'phoneNumber' | 'browserInfo'): Promise<string> => {
      const failure = { kind: 'field_refused', field } as const;
      return (await visit({ state: 'failed', details: { ...details, failure } })).text;
    };
    expect(await refused('postalCode')).to.include('<p>Postal code: Check this field.</p>');
    expect(await refused('phoneNumber')).to.include(
      '<p>Phone: Enter a phone number with its country code, for example +44 7400 123456.',
    );
    expect(await refused('browserInfo')).to.include('You can’t pay this way.');
  });

  it('says after an error of the provider only what can help: another way if there is one, or another amount', async () => {
    const shownWith = async (ways: readonly PayerWay[], sandboxRule?: string): Promise<string> => {
      const failure = { kind: 'nothing_charged', ...(sandboxRule && { sandboxRule }) } as const;
      return wordsOf((await visit({ state: 'failed', details: { ...details, ways, failure } }, { id: 10_043 })).text);
    };
    const reason = 'reach the bank.';
    const charged = 'You haven’t been charged.';
    expect(await shownWith([card])).to.include(`${reason} Try again in a moment. ${charged}`);
    expect(await shownWith(details.ways)).to.include(
      `${reason} Try again in a moment, or choose another way to pay. ${charged}`,
    );
    expect(await shownWith(details.ways, '.50')).to.include(
      `${reason} Test mode: amounts that end in .50 fail on purpose. ${charged}`,
    );
    expect(await shownWith([]))
      .to.include(reason)
      .and.not.include('Try again');
  });

  it('posts only to itself with the key of the link, and forbids framing', async () => {
    const { headers, text } = await visit({ state: 'created', details }, { query: '?k=a%22b' });
    expect(headers.get('x-frame-options')).to.equal('DENY');
    expect(headers.get('content-security-policy'))
      .to.include("form-action 'self'")
      .and.include("frame-ancestors 'none'");
    expect(text).to.include('<form method="post" action="?k=a%22b"');
    expect(text).to.include('name="attempts" value="1"');
    expect(text).not.to.include('http-equiv');
  });

  it('shows the way to pay that the URL names, else the first', async () => {
    const upi = await visit({ state: 'created', details }, { query: '?k=key&way=upi_collect' });
    expect(upi.text).to.include('name="upiId"').and.not.include('name="number"');
    const other = await visit({ state: 'created', details }, { query: '?k=key&way=%3Ci%3E' });
    expect(other.text).to.include('name="number"').and.not.include('&lt;i&gt;');
  });

  it('passes on the payer’s input, and reloads', async () => {
    gateway.answers.page = { ...plainPage, state: 'created', details };
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

  /** What the service gets from a form without script. Undefined if the form was refused. */
  async function paidBy(
    more: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<PayerInput | undefined> {
    gateway.reset();
    gateway.answers.page = { ...plainPage, state: 'created', details };
    const typed = { way: 'card', attempts: '1', ...payer, number: '4242424242424242', cvv: '737', expiration: '12/30' };
    const body = new URLSearchParams({ ...typed, ...more }).toString();
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', ...headers };
    await gateway.send('/pay/10042?k=key', { key: null, body, headers: form });
    return gateway.calls.find(({ name }) => name === 'pay')?.args[2] as PayerInput | undefined;
  }

  it('reads a phone number as typed, before its length is judged', async () => {
    for (const [phoneNumber, read] of [
      ['+351 912 345 678', '+351912345678'],
      ['+971 50 123 4567', '+971501234567'],
      ['+٩٧١٥٠١٢٣٤٥٦٧', '+971501234567'],
      ['+1 (415) 555-26.71', '+14155552671'],
      ['+351 912 345 678 901 2', undefined],
      ['(+1) (2) (3)', undefined],
    ] as const)
      expect((await paidBy({ phoneNumber }))?.payer.phoneNumber, phoneNumber).to.equal(read);
  });

  it('reads the digits of any script in every field of digits', async () => {
    const typed = { number: '٤١١١ ١١١١ ١١١١ ١١١١', expiration: '١٢/٣٠', cvv: '७३७', postalCode: '४०५०' };
    const input = await paidBy(typed);
    expect(input?.card).to.include({ number: '4111111111111111', expiration: '12/30', cvv: '737' });
    expect(input?.payer.postalCode).to.equal('4050');
    const upiId = 'rui٩@bank';
    expect((await paidBy({ way: 'upi_collect', name: 'A B', phoneNumber: '+351912345678', upiId }))?.upiId).to.equal(
      'rui9@bank',
    );
  });

  it('reads every common spelling of a month', async () => {
    for (const expiration of [
      '1/30',
      '01-30',
      '01.30',
      '1/2030',
      '01/2030',
      '2030-01',
      '0130',
      'January 2030',
      '०१/३०',
    ])
      expect((await paidBy({ expiration }))?.card?.expiration, expiration).to.equal('01/30');
    for (const expiration of ['13/30', '112', '2030', '1/1930'])
      expect(await paidBy({ expiration }), expiration).to.equal(undefined);
  });

  it('accepts the numbers of every scheme, and three digits as any security code', async () => {
    for (const number of ['8171999900000000021', '378282246310005'])
      expect((await paidBy({ number }))?.card?.number).to.equal(number);
  });

  it('requires no postal code and no state where addresses have none', async () => {
    for (const country of ['HK', 'AE', 'QA', 'JM', 'MO', 'PA', 'BS', 'FJ'])
      expect((await paidBy({ country, postalCode: '' }))?.payer.postalCode, country).to.equal('');
    for (const country of ['SG', 'MT', 'MC', 'VA', 'DE', 'FR', 'NL', 'GB', 'XK'])
      expect((await paidBy({ country, state: '  ' }))?.payer.state, country).to.equal('');
    for (const field of ['postalCode', 'state'])
      expect(await paidBy({ country: 'US', [field]: '' }), field).to.equal(undefined);
    expect(await paidBy({ country: 'HK', city: '' })).to.equal(undefined);
  });

  it('accepts the e-mail addresses that the API accepts, and changes nothing', async () => {
    for (const email of ['संपर्क@डाटामेल.भारत', 'josé@example.com', 'user@faß.example'])
      expect((await paidBy({ email }))?.payer.email).to.equal(email);
    expect(await paidBy({ email: 'user@a..b' })).to.equal(undefined);
  });

  it('lets no browser cut or refuse what the gateway accepts', async () => {
    const { text } = await visit({ state: 'created', details });
    expect(text).not.to.match(/minlength|type="email"/);
    // Only the card's fields have a bound, which no spelling that the gateway accepts reaches.
    const bounds = [...text.matchAll(/name="(\w+)"[^>]*maxlength="(\d+)"/g)].map(([, name, most]) => [
      name,
      Number(most),
    ]);
    expect(bounds).to.deep.equal([
      ['number', 40],
      ['expiration', 25],
      ['cvv', 8],
    ]);
    expect(text).to.include('value="XK"').and.include('inputmode="email"');
    const inputOf = (name: string): string => new RegExp(`<input[^>]*name="${name}"[^>]*>`).exec(text)?.[0] ?? '';
    expect(inputOf('postalCode'))
      .to.include('data-by-country')
      .and.not.match(/ required(?=[ >])/);
    expect(inputOf('city')).to.match(/ required(?=[ >])/);
  });

  it('uses the language of the page if the browser names none', async () => {
    for (const [header, language] of [
      ['*', 'en'],
      ['', 'en'],
      ['pt-PT,pt;q=0.9', 'pt-PT'],
    ] as const)
      expect((await paidBy({}, { 'Accept-Language': header }))?.browserInfo?.language, header).to.equal(language);
    const device = { screenWidth: '411.4285', colorDepth: '30', screenHeight: '731', timezone: '-840' };
    expect((await paidBy(device))?.browserInfo).to.include(device);
  });

  it('reads a member code in groups and in any digits', async () => {
    for (const code of ['246 810', '٢٤٦٨١٠', '२४६८१०']) {
      gateway.reset();
      gateway.answers.page = { ...plainPage, action: { type: 'confirm', paymentId: 'A-1' }, details };
      const body = new URLSearchParams({ way: 'confirm', attempts: '1', code }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      await gateway.send('/pay/10042?k=key', { key: null, body, headers });
      expect(gateway.askedOnly('confirm')).to.deep.equal([10042, 'A-1', '246810']);
    }
  });

  it('sends the provider the payer’s device, as far as the script measured it', async () => {
    gateway.answers.page = { ...plainPage, state: 'created', details };
    const device = { colorDepth: '24', screenHeight: '844', screenWidth: '390', timezone: '-60' };
    const send = async (more: Readonly<Record<string, string>>): Promise<PayerInput['browserInfo']> => {
      const typed = { way: 'upi_collect', attempts: '1', name: 'A B', phoneNumber: '+351912345678', upiId: 'a@bank' };
      const body = new URLSearchParams({ ...typed, ...more }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'User-Agent': 'Test/1' };
      await gateway.send('/pay/10042?k=key', { key: null, body, headers });
      return (gateway.calls.findLast(({ name }) => name === 'pay')!.args[2] as PayerInput).browserInfo;
    };
    expect(await send(device)).to.include({
      ...device,
      javascriptEnabled: true,
      javaEnabled: false,
      userAgent: 'Test/1',
    });
    expect(await send({ screenWidth: '<b>' })).to.not.have.any.keys('screenWidth', 'javascriptEnabled');
  });

  it('fills the form with the payer’s input again, but with no card number from any field', async () => {
    gateway.answers.page = { ...plainPage, state: 'created', details };
    const typed = { way: 'card', attempts: '1', ...payer, name: '4111 1111 1111 1111', address: '<b>"1"', city: '' };
    const body = new URLSearchParams({ ...typed, number: '4111111111111111', cvv: '737' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect([status, errorsOf(text)]).to.deep.equal([400, ['expiration', 'city']]);
    expect(text)
      .to.include('value="&lt;b&gt;&quot;1&quot;"')
      .and.not.match(/4111|737/);
  });

  it('refuses a card if the service accepts no card data, shows the other ways, and keeps nothing of it', async () => {
    const refusing = await startGateway({ config: { refuseCardNumbers: true } });
    try {
      refusing.answers.page = { ...plainPage, state: 'created', details: { ...details, ways: [upi] } };
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const post = async (typed: Readonly<Record<string, string>>): Promise<Reply> => {
        const body = new URLSearchParams({ attempts: '1', ...payer, ...typed }).toString();
        return refusing.send('/pay/10042?k=key', { key: null, body, headers });
      };
      for (const typed of [
        { way: 'card', number: '4111111111111111', expiration: '12/30', cvv: '737' },
        { way: 'upi_collect', upiId: 'a@bank', cvv: '737' },
        { way: 'upi_collect', upiId: 'a@bank', name: '4111 1111 1111 1111' },
      ]) {
        const { status, text, headers: answered } = await post(typed);
        expect(status).to.equal(400);
        expect(text).to.include('You can’t pay this way.').and.include('name="upiId"');
        expect(text).not.to.match(/4111|737/);
        expect(answered.get('set-cookie')).to.equal(null);
      }
      expect(refusing.calls.map(({ name }) => name)).not.to.include.members(['pay']);
      expect((await post({ way: 'upi_collect', upiId: 'a@bank' })).status).to.equal(303);
      expect(refusing.calls.filter(({ name }) => name === 'pay')).to.have.length(1);
    } finally {
      await refusing.server.close(1000);
    }
  });

  it('tidies no value of more than 200 characters, so padding costs no time', async () => {
    const pay = async (length: number): Promise<[status: number, wrong: readonly string[]]> => {
      gateway.answers.page = { ...plainPage, state: 'created', details };
      const expiration = `12${' '.repeat(length - 5)}/30`;
      const typed = { way: 'card', attempts: '1', ...payer, number: '4242424242424242', cvv: '737', expiration };
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(typed).toString();
      const { status, text } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
      return [status, errorsOf(text)];
    };
    expect(await pay(200)).to.deep.equal([303, []]);
    for (const length of [201, 60_000]) expect(await pay(length)).to.deep.equal([400, ['expiration']]);
  });

  it('answers an internal error with a page that repeats nothing', async () => {
    gateway.answers.payments.payPage = async () => {
      throw new Error('marker');
    };
    for (const method of ['GET', 'POST']) {
      const { status, text, headers } = await gateway.send('/pay/10042', { method, key: null });
      expect([status, headers.get('content-type')]).to.deep.equal([500, 'text/html; charset=utf-8']);
      expect(text).not.to.include('marker');
    }
  });

  it('sends a visitor with a valid token to the next action with a form, which the payer can also submit', async () => {
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

  it('redirects a visitor with a valid token to the next action', async () => {
    const action = { type: 'redirect', method: 'GET', url: 'https://acs.example/c?x=1' } as const;
    const { status, headers } = await visit({ action });
    expect([status, headers.get('location')]).to.deep.equal([303, 'https://acs.example/c?x=1']);
  });

  it('shows only the state, and reloads, for an action that the merchant shows', async () => {
    const { text } = await visit({ action: { type: 'confirm', paymentId: 'marker' } });
    expect(text).to.include(refresh).and.not.include('marker');
  });

  it('may be framed, and moves to the top window, also for a redirect inside a frame', async () => {
    const { headers, text } = await visit({});
    expect([
      headers.get('x-frame-options'),
      headers.get('content-security-policy')!.includes('frame-ancestors'),
    ]).to.deep.equal([null, false]);
    expect(text).to.include('<body  class="note" data-moves ');
    const framed = await visit(
      { state: 'paid', leaveTo: 'https://shop.example/' },
      { headers: { 'Sec-Fetch-Dest': 'iframe' } },
    );
    expect([framed.status, framed.headers.get('location')]).to.deep.equal([200, null]);
    expect(framed.text).to.include(' data-moves ').and.include('href="https://shop.example/" target="_top">');
  });

  it('allows its own script and style, and no other inline or external content', async () => {
    for (const page of [{}, { state: 'created', details }] as const) {
      const { headers, text } = await visit(page, { query: '?k=key' });
      expect(headers.get('content-security-policy')!.replace(sourceOf(styleIn(text)), 'STYLE')).to.match(
        /^default-src 'none'; base-uri 'none'; img-src 'self'; style-src 'STYLE'; form-action '(none|self)'; script-src 'self'; connect-src 'self'(; frame-ancestors 'none')?$/,
      );
      expect(text).not.to.match(/\sstyle=|\son\w+=|<script>/);
      expect(text.match(/<style/g)).to.have.length(1);
    }
  });

  it('loads files only from its own origin, where browsers cache them forever', async () => {
    const { text } = await visit({ state: 'created', details }, { query: '?k=key' });
    const loaded = /<(?:link[^>]* href|script[^>]* src)="([^"]*)"/g;
    const addresses = [...text.matchAll(loaded)].map(([, address = '']) => address);
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
    expect((await gateway.get('/pay/assets/pay.js', { key: null })).status).to.equal(404);
    const { pathname } = new URL(addresses[0]!, `${gateway.url}/pay/10042`);
    const ofAnotherVersion = pathname.replace(/\.[0-9a-f]{12}\./, '.0123456789ab.');
    const { status, headers } = await gateway.get(ofAnotherVersion, { key: null });
    expect([status, headers.get('cache-control')]).to.deep.equal([200, 'no-store']);
  });

  describe('of a merchant with a brand', () => {
    const brand = {
      logo: `7-${logo.hash}.png`,
      colour: '#0b7443',
      support: 'help@shop.example',
      terms: 'https://shop.example/terms',
    };
    const merchant = { name: 'Rua', brand };
    const linkPage = async (of: PayBrand = brand) =>
      (await visit({ merchant: { ...merchant, brand: of }, state: 'created', details }, { query: '?k=key' })).text;

    it('shows logo, colour, help and terms', async () => {
      const text = await linkPage();
      expect(text).to.include('<img class="logo" src="../pay/logos/7-0123456789abcdef.png" alt=""');
      expect(text).to.include('<link rel="icon" href="../pay/logos/7-0123456789abcdef.png"');
      expect(styleIn(text)).to.include('--accent:#0b7443;');
      expect(text).to.match(/Questions\? <a href="mailto:help@shop.example"[^>]*><bdi>help@shop.example</);
      expect(text).to.match(/<a href="https:\/\/shop.example\/terms"[^>]*>Terms</);
      expect(await linkPage({ ...brand, support: 'https://shop.example/help' })).to.include(
        '<a href="https://shop.example/help"',
      );
      expect(await linkPage(plainPage.merchant.brand)).not.to.match(/<img|accent:#0b7443|mailto:|Terms/);
    });

    it('shows the brand on every page with a valid token, and on no other', async () => {
      const own = [
        await visit({ merchant }, { query: '?r=return-part' }),
        await visit(
          { merchant, action: { type: 'redirect', method: 'POST', url: 'https://bank.example/', fields: {} } },
          { query: '?t=token' },
        ),
        await visit(
          { merchant, state: 'paid', leaveTo: 'https://shop.example/' },
          { query: '?r=return-part', headers: { 'Sec-Fetch-Dest': 'iframe' } },
        ),
      ];
      for (const { text } of own) {
        expect(text).to.include('<link rel="icon" href="../pay/logos/7-0123456789abcdef.png"');
        expect(text).to.include('<img class="logo" src="../pay/logos/7-0123456789abcdef.png" alt=""');
        expect(text).to.include('<bdi>Rua</bdi>').and.include('--accent:#0b7443;');
      }
      expect(own[0]!.text).to.include('mailto:help@shop.example').and.include('https://shop.example/terms');
      const { text } = await visit(undefined, { query: '?r=wrong' });
      expect(text).not.to.match(/Rua|logos|accent:#0b7443/);
    });

    it('has the colour in its style, lighter in dark mode, and ignores an invalid colour', async () => {
      const visited = await visit({ merchant, state: 'created', details }, { query: '?k=key' });
      const style = styleIn(visited.text);
      expect(visited.headers.get('content-security-policy')).to.include(`style-src '${sourceOf(style)}'`);
      const [light, dark] = [...style.matchAll(/--accent:(#[0-9a-f]{6});/g)].slice(-2).map(([, colour]) => colour);
      expect(light).to.equal('#0b7443');
      expect(contrast(dark!, '#181b21')).to.be.at.least(LEAST_CONTRAST);
      const usual = styleIn(await linkPage(plainPage.merchant.brand));
      for (const colour of ['#0b744', '#0b7443;}', '</style><script>'])
        expect(styleIn(await linkPage({ ...brand, colour })), colour).to.equal(usual);
    });

    it('serves the logo as an image that is cached forever and never interpreted as a page', async () => {
      const { status, headers, text } = await gateway.get(`/pay/logos/${brand.logo}`, { key: null });
      expect(status).to.equal(200);
      expect(Object.fromEntries(headers)).to.include({
        'content-type': 'image/png',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      });
      expect(headers.get('content-security-policy')).to.match(/^default-src 'none'/);
      expect(text).to.include('PNG');
    });

    it('answers 404 for another logo, and limits such requests', async () => {
      const names = [`8-${logo.hash}.png`, '7-fedcba9876543210.png', '7-0123.png', 'x', `7-${logo.hash}.svg`];
      for (const name of names)
        expect((await gateway.get(`/pay/logos/${name}`, { key: null })).status, name).to.equal(404);
      const tries = Array.from({ length: 60 }, async () => gateway.get('/pay/logos/x', { key: null }));
      const statuses = (await Promise.all(tries)).map(({ status }) => status);
      expect(statuses).to.include(429);
    });
  });

  it('forbids indexing by search engines', async () => {
    expect((await visit({})).headers.get('x-robots-tag')).to.equal('noindex');
  });

  it('asks only for the data that the way to pay needs and that is not known yet', async () => {
    const known = { name: 'Ines Duarte', email: 'ines@client.example', phoneNumber: '12', country: 'PT' };
    const shown = await visit(
      { state: 'created', details: { ...details, known } },
      { query: '?k=key&way=upi_collect' },
    );
    expect(inputsOf(shown.text)).to.deep.equal(['way', 'attempts', 'upiId', 'name', 'phoneNumber']);
    expect(shown.text)
      .to.include('<li><bdi>I••• D•••</bdi></li>')
      .and.not.match(/Ines|Duarte|client\.example/);
    const whole = await visit({ state: 'created', details: { ...details, known } }, { query: '?k=key' });
    expect(whole.text).to.include('i•••@client.example').and.include('<option  value="PT" selected>Portugal</option>');
    const called = { ...known, phoneNumber: '+351912345678' };
    const { text } = await visit({ state: 'created', details: { ...details, known: called } }, { query: '?k=key' });
    expect(text).to.include('<bdi>•••78</bdi>').and.not.include('351912');
  });

  it('names the merchant as the source of known data only before the first attempt', async () => {
    const known = { name: 'Ines Duarte', email: 'ines@client.example' };
    const merchant = { ...plainPage.merchant, name: 'Rua' };
    for (const [state, attempts, title] of [
      ['created', 0, 'From Rua'],
      ['failed', 1, 'Your details'],
    ] as const) {
      const page = { merchant, state, details: { ...details, known, attempts } };
      const { text } = await visit(page, { query: '?k=key', id: 10_043 });
      expect(/<div class="known">\s*<p>(.*?)<\/p>/.exec(text)?.[1]).to.equal(title);
    }
  });

  it('uses the known value if the payer leaves a field empty', async () => {
    const known = { name: 'Ines Duarte', phoneNumber: '+351912345678', email: 'ines@client.example' };
    gateway.answers.page = { ...plainPage, state: 'created', details: { ...details, known } };
    const typed = { way: 'upi_collect', attempts: '1', upiId: 'a@bank', name: '', phoneNumber: '+34600000000' };
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(typed).toString();
    expect((await gateway.send('/pay/10042?k=key', { key: null, body, headers })).status).to.equal(303);
    const [, { payer: sent }] = gateway.askedOnly('pay') as [number, PayerInput];
    expect(sent).to.deep.equal({ name: 'Ines Duarte', phoneNumber: '+34600000000', ipAddress: '127.0.0.1' });
  });

  for (const [forwarded, address] of [
    ['203.0.113.9:38242', '203.0.113.9'],
    ['[2001:db8::5]:443', '2001:db8::5'],
    ['unknown', null],
    ['203.0.113.9, _hidden', null],
  ] as const) {
    it(`passes on ${address ?? 'no address'} as the payer’s if the proxy writes ${forwarded}`, async () => {
      const behind = await startGateway({ config: { trustedProxies: 1 } });
      behind.answers.page = { ...plainPage, state: 'created', details };
      const typed = { way: 'upi_collect', attempts: '1', name: 'A B', phoneNumber: '+351912345678', upiId: 'a@bank' };
      const body = new URLSearchParams(typed).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-For': forwarded };
      await behind.send('/pay/10042?k=key', { key: null, body, headers });
      await behind.server.close(1000);
      const [, input] = behind.askedOnly('pay') as [number, PayerInput];
      expect([input.payer.ipAddress, input.browserInfo?.ip]).to.deep.equal([address, address ?? undefined]);
    });
  }

  it('escapes all shown values, whatever their source', async () => {
    const markup = `"'><img src=x onerror=alert(1)>&lt;{{7*7}}`;
    const everything: PayPageDetails = {
      ...details,
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
    const merchant = { name: markup, brand: { logo: markup, colour: null, support: markup, terms: markup } };
    const actions: PayPage['action'][] = [
      { type: 'redirect', method: 'GET', url: `https://a.example/${markup}` },
      { type: 'redirect', method: 'POST', url: `https://a.example/${markup}`, fields: { [markup]: markup } },
      { type: 'confirm', paymentId: markup },
      { type: 'upi', mode: 'intent', link: `upi:${markup}`, text: markup, expiry: '2026-11-21T12:00:00Z' },
      { type: 'qr', text: markup, app: markup, expiry: '2026-11-21T12:00:00Z' },
      { type: 'qr', text: `app://x/${markup}`, expiry: markup },
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
      { state: 'pending' },
      { state: 'pending', action: actions[1]! },
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
      const { text } = await visit({ ...page, merchant }, { query });
      expect(text, page.action?.type ?? page.state ?? '')
        .not.to.include('<img src')
        .and.not.include(markup);
    }
    gateway.answers.page = { ...plainPage, merchant, state: 'created', details: everything };
    const typed = Object.fromEntries(
      ['way', 'attempts', 'number', 'expiration', 'cvv', ...everyField].map((name) => [name, markup]),
    );
    const body = new URLSearchParams({ ...typed, way: 'card', attempts: '1' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { status, text } = await gateway.send(`/pay/10042${query}`, { key: null, body, headers });
    expect([status, text.includes('<img src'), text.includes(markup)]).to.deep.equal([400, false, false]);
    expect(text).to.include('&quot;&#39;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;lt;{{7*7}}');
  });

  it('polls the state while it waits, with only the token of return addresses', async () => {
    for (const query of ['?k=key', '?r=return-part']) {
      const { text } = await visit({ state: 'pending', ...(query === '?k=key' && { details }) }, { query });
      expect(text).to.include('data-watch="state/10042?r=return-part" data-stamp="stamp-1"');
    }
    gateway.reset();
    gateway.answers.page = { ...plainPage, leaveTo: 'https://shop.example/', details };
    const { status, json, headers } = await gateway.get('/pay/state/10042?r=return-part&k=key&t=token', { key: null });
    expect([status, json]).to.deep.equal([200, { state: 'pending', stamp: 'stamp-1' }]);
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([[10042, { returnPart: 'return-part' }]]);
  });

  it('answers 404 to a poll without that token, and limits such polls per address', async () => {
    const other = await startGateway();
    const ask = async (): Promise<number> => (await other.get('/pay/state/1?r=wrong', { key: null })).status;
    for (let n = 0; n < 60; n += 1) expect(await ask()).to.equal(404);
    expect(await ask()).to.equal(429);
    await other.server.close(0);
  });

  it('explains while it waits: what it waits for, not to pay twice, and that the page can be closed', async () => {
    for (const [method, said] of [
      ['card', 'waiting for your bank'],
      ['upi_collect', 'waiting for your UPI app'],
      ['crypto', 'waiting for the network'],
    ] as const) {
      const { text } = await visit({ details: { ...details, ways: [], method } }, { query: '?k=key' });
      expect(text).to.include(said).and.include('Don’t pay twice').and.include('You can close this page');
      expect(text).to.include(refresh);
    }
  });

  const receipt: PayReceipt = {
    paidAt: new Date('2026-11-21T11:58:00Z'),
    reference: 'GW-10042-1',
    way: { method: 'card', title: 'Acme', coin: null },
    cardBin: '424242',
    cardLastDigits: '4242',
    charged: '25.90',
    isPart: false,
    laterCharges: [],
    refunded: null,
    refundedAt: null,
    refundedByProvider: false,
  };

  it('says after a minute that it takes longer than usual, and lets a payer with the link copy it', async () => {
    const slow = { isSlow: true, details: { ...details, ways: [], method: 'card' } } as const;
    const { text } = await visit(slow, { query: '?k=key' });
    expect(wordsOf(text))
      .to.include('This is taking longer than usual. Don’t pay twice.')
      .and.include('The result will be at this link.')
      .and.not.include('few seconds');
    expect(text).to.include('data-copy=""');
    const returned = wordsOf((await visit({ isSlow: true }, { query: '?r=return-part' })).text);
    expect(returned).to.include('longer than usual').and.not.include('this link');
  });

  it('shows the charged part of a payment in large, and both amounts on its receipt', async () => {
    const part = { ...receipt, charged: '20.00', isPart: true };
    const { text } = await visit(
      { state: 'paid', details: { ...details, ways: [], receipt: part } },
      { query: '?k=key' },
    );
    expect(text).to.include('<strong class="amount">€20.00</strong>');
    expect(wordsOf(text)).to.include('Amount charged €20.00 Amount requested €25.90 Date');
  });

  it('says how much of a paid payment was refunded, when, and to which card', async () => {
    const refundedAt = new Date('2026-11-27T11:15:00Z');
    const of = (state: 'paid' | 'refunded', own: Partial<PayReceipt>) =>
      visit({ state, details: { ...details, ways: [], receipt: { ...receipt, ...own } } }, { query: '?k=key' });
    const part = await of('paid', { refunded: '12.00', refundedAt, refundedByProvider: true });
    expect(part.text).to.include('<title>Payment complete, €12.00 refunded · ');
    expect(wordsOf(part.text))
      .to.include('Payment complete, €12.00 refunded Your refund is on its way.')
      .and.include('Refunded €12.00 Refunded on Nov 27, 2026, 11:15 AM UTC Refunded to Visa ending in 4242');
    const byHand = wordsOf((await of('refunded', { refunded: '25.90', refundedAt })).text);
    expect(byHand).to.include('Payment refunded').and.include('Refunded on').and.not.include('Refunded to');
  });

  it('says when a link expired', async () => {
    const expiresAt = new Date('2026-11-20T11:15:00Z');
    const { text } = await visit(
      { state: 'expired', details: { ...details, ways: [], expiresAt } },
      { query: '?k=key' },
    );
    expect(text).to.include('datetime="2026-11-20T11:15:00.000Z"');
    expect(wordsOf(text)).to.include('It expired on Nov 20, 2026, 11:15 AM UTC . Ask the shop for a new link.');
  });

  it('shows a receipt when paid: shop, amount, date, number and card', async () => {
    const paid = {
      state: 'paid',
      details: { ...details, ways: [], receipt },
    } as const;
    const shown = wordsOf((await visit(paid, { query: '?k=key' })).text);
    expect(shown).to.include(
      'Paid to Shop <b>"1" & \'2\' Amount €25.90 Date Nov 21, 2026, 11:58 AM UTC Reference GW-10042-1 Paid with Visa ending in 4242 Print this receipt',
    );
    const atPage: PayReceipt = { ...receipt, way: { method: 'hosted_page', title: 'Acme', coin: null } };
    const there = await visit(
      { state: 'paid', details: { ...details, ways: [], receipt: atPage } },
      { query: '?k=key' },
    );
    expect(wordsOf(there.text)).to.include('Paid with Acme Print');
  });

  it('redirects to the shop after a countdown that the payer can stop', async () => {
    const paid = {
      state: 'paid',
      leaveTo: 'https://shop.example/a',
      details: { ...details, ways: [], receipt },
    } as const;
    const leaves = await visit(paid, { query: '?k=key' });
    expect(leaves.text)
      .to.include('<noscript><meta http-equiv="refresh" content="10;url=https://shop.example/a" /></noscript>')
      .and.include('data-go="https://shop.example/a" data-seconds="10"')
      .and.include('href="?k=key&stay=1"');
    expect(wordsOf(leaves.text)).to.include('in 10 seconds . Stay on this page');
    const stays = await visit(paid, { query: '?k=key&stay=1' });
    expect(stays.text).not.to.include('http-equiv="refresh"').and.not.to.include('data-go');
    expect(stays.text).to.include('href="https://shop.example/a"');
  });

  it('shows a title of their own for expired, cancelled and refunded', async () => {
    for (const [state, title] of [
      ['expired', 'This payment link has expired'],
      ['cancelled', 'Payment cancelled'],
      ['refunded', 'Payment refunded'],
    ] as const) {
      const { text } = await visit({ state, details: { ...details, ways: [] } }, { query: '?k=key' });
      expect(text).to.include(`>${title}</h2>`);
    }
  });

  it('names the shop’s help address where nothing can be paid: no way to pay, or an expired link', async () => {
    const brand = { ...plainPage.merchant.brand, support: 'help@shop.example' };
    for (const [state, title] of [
      ['created', 'This payment can’t be taken right now'],
      ['expired', 'This payment link has expired'],
    ] as const) {
      const merchant = { ...plainPage.merchant, brand };
      const { text } = await visit({ state, merchant, details: { ...details, ways: [] } }, { query: '?k=key' });
      expect(text).to.include(`>${title}</h2>`).and.include('<p class="sign plain">');
      expect(text.match(/Questions\? <a href="mailto:help@shop.example"[^>]*><bdi>help@shop.example</g)).to.have.length(
        1,
      );
    }
    const named = await visit({ state: 'created', details: { ...details, ways: [] } }, { query: '?k=key' });
    expect(named.text).to.include('<title>This payment can’t be taken right now · ');
    expect(wordsOf(named.text)).to.include(
      'Shop <b>"1" & \'2\' has no way to accept EUR here at the moment. You haven’t',
    );
    for (const language of languageCodes) {
      const { text } = await visit(
        { state: 'created', details: { ...details, ways: [] } },
        { query: `?k=key&lang=${language}` },
      );
      expect(wordsOf(text), language).to.include('EUR');
    }
  });

  it('draws a QR code for UPI apps, links to them, and shows the expiry', async () => {
    const action = { type: 'upi', mode: 'qr', text: 'upi://pay?pa=shop@bank', expiry: '2026-11-21T12:15:00Z' } as const;
    const { text } = await visit({ action, details: { ...details, ways: [] } }, { query: '?k=key' });
    expect(text).to.include('aria-label="QR code for UPI apps"').and.include(' data-left="900"');
    expect(text).to.include('href="upi://pay?pa=shop@bank"').and.include('Don’t pay twice');
    expect(readQr(text)).to.equal('upi://pay?pa=shop@bank');
  });

  it('draws the QR code of a wallet with the name of its app, and links to the app', async () => {
    const code = { type: 'qr', text: 'acme-wallet://pay?code=1', expiry: '2026-11-21T12:15:00Z' } as const;
    const show = async (action: Action, members: Partial<PayPageDetails> = {}, query = ''): Promise<string> =>
      (await visit({ action, details: { ...details, ways: [], ...members } }, { query: `?k=key${query}` })).text;
    const text = await show({ ...code, app: 'Acme' }, { wayTitle: 'Acme Pay' });
    expect(text).to.include('aria-label="QR code for Acme"').and.include(' data-left="900"');
    expect(text).to.include(`<p class="touch"><a class="main" href="${code.text}">Open Acme</a></p>`);
    expect(wordsOf(text))
      .to.include('Scan with Acme Open Acme on your phone, scan the code, and approve the payment.')
      .and.include('Don’t pay twice')
      .and.not.include('UPI');
    expect(readQr(text)).to.equal(code.text);
    expect(text).to.include('data-watch="state/10042?r=return-part"').and.include('data-seconds="5"');
    const byTitle = await show(code, { wayTitle: 'Acme Pay' });
    expect(wordsOf(byTitle)).to.include('Scan with Acme Pay');
    for (const language of languageCodes) {
      const { qrStep } = wordsIn(language);
      const shown = wordsOf(await show({ ...code, app: 'Acme' }, {}, `&lang=${language}`));
      for (const word of [qrStep.title, qrStep.text]) expect(shown, language).to.include(word('Acme'));
    }
  });

  it('lets a payer copy the text of a code that no device can open', async () => {
    const pix = '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-426655440000';
    const show = async (text: string): Promise<string> => {
      const action = { type: 'qr', text, expiry: '2026-11-21T12:15:00Z', app: 'Pix' } as const;
      return (await visit({ action, details: { ...details, ways: [] } }, { query: '?k=key' })).text;
    };
    const page = await show(pix);
    expect(page).to.include(`data-copy="${pix}"`).and.include(`<code dir="ltr">${pix}</code>`);
    expect(wordsOf(page)).to.include('On this device, copy the code and paste it into Pix.');
    expect(page).not.to.include('class="touch"');
    expect(readQr(page)).to.equal(pix);
    const tooLong = await show('x'.repeat(3000));
    expect(tooLong)
      .to.include(`data-copy="${'x'.repeat(3000)}"`)
      .and.not.include('<svg class="qr"');
    const script = await show('javascript://pay.example/%0Aalert(1)');
    expect(script).to.include('data-copy="javascript:').and.not.include('href="javascript:');
  });

  it('shows a code, coins or UPI without a countdown if the provider’s time is no time', async () => {
    const expiry = 'tomorrow';
    for (const action of [
      { type: 'qr', text: 'app://x', expiry },
      { type: 'upi', mode: 'collect', expiry },
      { type: 'crypto', coin: 'BTC', network: 'bitcoin', address: 'a', amount: '1', expiry },
    ] as const) {
      const { status, text } = await visit({ action, details: { ...details, ways: [] } }, { query: '?k=key' });
      expect([status, text.includes('class="until"')], action.type).to.deep.equal([200, false]);
    }
  });

  it('shows address, exact amount, network, link and QR code for coins, and the received amount', async () => {
    const action = {
      type: 'crypto',
      coin: 'BTC',
      network: 'bitcoin',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      amount: '0.00051000',
      expiry: '2026-11-21T12:15:00Z',
    } as const;
    const coins = { received: '10.00', missing: '15.90', excess: null };
    const { text } = await visit({ action, details: { ...details, ways: [] } }, { query: '?k=key' });
    const link = 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.00051';
    expect(text)
      .to.include(`href="${link}"`)
      .and.include(`data-copy="${action.address}"`)
      .and.include('data-copy="0.00051000"');
    expect(readQr(text)).to.equal(link);
    expect(wordsOf(text))
      .to.include('Exchange rate 1 BTC = €50,784.31 Network Bitcoin Address')
      .and.include('Send only Bitcoin on the Bitcoin network.')
      .and.not.include('received');
    expect(text).to.include('<span class="group">bc1q</span><span class="group">ar0s</span>');
    const part = await visit({ action, details: { ...details, ways: [], coins } }, { query: '?k=key' });
    expect(wordsOf(part.text))
      .to.include('We’ve received €10.00 so far.')
      .and.include('€15.90 left to pay.')
      .and.include('If you don’t send the rest in time, ask the shop for your €10.00 back.');
    expect(part.text).to.include('<title>Send the rest: 0.00031309 BTC · ');
    expect([text, part.text].map((one) => />(Send the[^<]*)<\/h2>/.exec(one)?.[1])).to.deep.equal([
      'Send the exact amount',
      'Send the rest: 0.00031309 BTC',
    ]);
    // 0.00051 * 15.90 / 25.90, rounded up: with a code for the full amount, the payer would pay twice.
    const rest = link.replace('0.00051', '0.00031309');
    expect(part.text).to.include(`href="${rest}"`).and.include('data-copy="0.00031309"');
    expect(readQr(part.text)).to.equal(rest);
  });

  it('explains coins that arrived too late or were too many', async () => {
    const of = async (state: PayPage['state'], coins: PayPageDetails['coins']): Promise<string> =>
      wordsOf((await visit({ state, details: { ...details, ways: [], coins } }, { query: '?k=key', id: 10_043 })).text);
    for (const state of ['expired', 'cancelled'] as const) {
      const text = await of(state, { received: '10.00', missing: '15.90', excess: null });
      expect(text).to.include('receive the full amount in time. Ask the shop for a refund.');
      expect(text)
        .to.include('We’ve received €10.00.')
        .and.not.match(/Send the rest|new link|don’t need to do anything/);
    }
    expect(await of('paid', { received: '30.00', missing: null, excess: '4.10' })).to.include(
      '€4.10 more than requested',
    );
  });

  describe('after a failed attempt', () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const send = async (typed: Readonly<Record<string, string>>): Promise<string> => {
      gateway.answers.page = { ...plainPage, state: 'created', details };
      const body = new URLSearchParams({ way: 'card', attempts: '1', ...payer, ...typed }).toString();
      const { headers } = await gateway.send('/pay/10042?k=key', { key: null, body, headers: form });
      return headers.get('set-cookie') ?? '';
    };
    const shownWith = async (cookie: string, page: Partial<PayPage> = {}): Promise<Reply> => {
      const failed = { ...plainPage, state: 'failed', details: { ...details, attempts: 2 }, ...page } as const;
      return visit(failed, { query: '?k=key', headers: { Cookie: cookie.split(';')[0]! } });
    };

    it('keeps the payer’s own data, and no payment data', async () => {
      const paying = { number: '4242424242424242', expiration: '12/30', cvv: '737', upiId: 'a@bank' };
      const cookie = await send({ ...paying, city: '4111 1111 1111 1111', address: '"Rua" 1' });
      expect(cookie).to.match(/^typed=[\w-]+; Path=\/pay\/10042; Max-Age=3600; HttpOnly; SameSite=Lax; Secure$/);
      const { text } = await shownWith(cookie);
      expect(text)
        .to.include('value="A B"')
        .and.include('value="&quot;Rua&quot; 1"')
        .and.include('value="PT" selected');
      expect(text).not.to.match(/4242|737|12\/30|a@bank|4111/);
    });

    it('leads a browser that opened the link from the end of an attempt to the link', async () => {
      const opened = await visit({ ...plainPage, state: 'created', details }, { query: '?k=key' });
      const kept = opened.headers.getSetCookie().find((one) => one.startsWith('link=')) ?? '';
      const headers = { Cookie: kept.split(';')[0]! };
      const comeBack = async (state: PayPage['state'], right = 'key', more = {}) => {
        const whole = { ...plainPage, state, details };
        const payPage = async (_: number, { linkKey, returnPart }: PayVisit) =>
          linkKey === right ? whole : returnPart ? { ...whole, details: null } : undefined;
        gateway.answers.payments = { payPage };
        return gateway.send('/pay/10042?r=part', { method: 'GET', key: null, headers: { ...headers, ...more } });
      };
      for (const state of ['failed', 'paid', 'cancelled'] as const) {
        const { status, headers: answered } = await comeBack(state);
        expect([status, answered.get('location')], state).to.deep.equal([303, '?k=key']);
        expect((await comeBack(state, 'key', { Cookie: '' })).status, state).to.equal(200);
        expect((await comeBack(state, 'another key')).status, state).to.equal(200);
        const framed = await comeBack(state, 'key', { 'Sec-Fetch-Dest': 'iframe' });
        expect(framed.text, state).to.include('href="?k=key" target="_top"');
      }
      expect((await comeBack('pending')).status).to.equal(200);
    });

    it('shows the kept data only on the page of this payment, and forgets it after the payment is paid', async () => {
      const cookie = await send({});
      const forged = cookie.replace(/^typed=.{8}/, 'typed=AAAAAAAA');
      expect((await shownWith(forged)).text).not.to.include('value="A B"');
      const paid = await shownWith(cookie, { state: 'paid', details: { ...details, ways: [] } });
      expect(paid.headers.get('set-cookie')).to.match(/^typed=; Path=\/pay\/10042; Max-Age=0;/);
    });
  });

  describe('in the payer’s language', () => {
    const shown = async (query: string, language: string): Promise<string> => {
      const page = { state: 'created', details: { ...details, merchant: 'Shop' } } as const;
      return (await visit(page, { query, headers: { 'Accept-Language': language } })).text;
    };

    it('uses the language of the browser with the amounts of the region, else English', async () => {
      expect(await shown('?k=key', 'fr, pt-BR;q=0.8, en;q=0.5'))
        .to.include('<html lang="pt" dir="ltr" data-locale="pt-BR">')
        .and.include('Pagar €\u00A025,90');
      expect(await shown('?k=key', 'de-DE'))
        .to.include('25,90\u00A0€ bezahlen')
        .and.include('Österreich');
      expect(await shown('?k=key', 'ar'))
        .to.include('<html lang="ar" dir="rtl"')
        .and.include('رقم البطاقة');
      const inCoins = { ...details, amount: '0.00051000', unit: 'BTC', currency: 'BTC' };
      const arabic = await visit({ state: 'created', details: inCoins }, { query: '?k=key&lang=ar' });
      expect(arabic.text).to.include('>\u200F0.00051000 BTC</strong>');
      expect(await shown('?k=key', 'fr'))
        .to.include('<html lang="en"')
        .and.include('Pay €25.90');
    });

    it('uses the language that the payer chooses, and keeps link and way to pay', async () => {
      const page = await shown('?k=key&way=upi_collect&t=token', 'de');
      expect(page).to.include('<a href="?k=key&amp;way=upi_collect&amp;lang=hi" lang="hi" hreflang="hi">हिन्दी</a>');
      expect(page).to.include('<span lang="de" aria-current="true">Deutsch</span>').and.not.include('token');
      const chosen = await shown('?k=key&lang=hi', 'de');
      expect(chosen).to.include('<html lang="hi"').and.include('<form method="post" action="?k=key&amp;lang=hi"');
    });
  });

  it('says only that the payment is being checked without a token', async () => {
    const { status, text, headers } = await visit(undefined);
    expect([status, headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(text).to.include('The payment is being checked').and.not.include('http-equiv');
    expect(headers.get('location')).to.equal(null);
  });

  it('shows a wrong link with a sign and in the languages of the other pages', async () => {
    const { status, text } = await visit(undefined, { query: '?k=wrong&lang=de' });
    expect([status, text.includes(wordsIn('de').badLink.title)]).to.deep.equal([200, true]);
    expect(text).to.include('<p class="sign plain">').and.include('lang="hi" hreflang="hi">हिन्दी</a>');
  });

  it('speaks of no payment at an unknown address of the service', async () => {
    for (const language of languageCodes) {
      const headers = { Accept: 'text/html' };
      const path = `/nowhere?lang=${language}`;
      const { status, text } = await gateway.send(path, { method: 'GET', key: null, headers, isJudged: false });
      expect([status, text.includes(wordsIn(language).statuses[404].text)], language).to.deep.equal([404, true]);
      expect(text).to.include(`<a href="docs">${wordsIn(language).documentation}</a>`);
      if (language === 'en')
        expect(wordsOf(text).trim()).to.match(/^Page not found There is nothing at this address\./);
    }
  });

  it('answers an invalid id with 404 and a page', async () => {
    const reply = await gateway.send('/pay/marker', { method: 'GET', key: null });
    expect([reply.status, reply.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
    expect(reply.text).to.include('This link isn’t valid').and.not.include('marker');
  });
});

/** The text of a page, without its markup. */
function wordsOf(page: string): string {
  const [, body = ''] = /<body[^>]*>(.*)<\/body>/s.exec(page) ?? [];
  const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** The only style of the page. */
function styleIn(page: string): string {
  return /<style>(.*?)<\/style>/s.exec(page)?.[1] ?? '';
}

/** The source expression with which a policy allows a style. */
function sourceOf(style: string): string {
  return `sha256-${createHash('sha256').update(style).digest('base64')}`;
}

/** The names of the fields that are marked as wrong. */
function errorsOf(page: string): string[] {
  return [...page.matchAll(/class="error" id="(\w+)-error"/g)].map(([, name = '']) => name);
}

/** The names of all inputs, visible and hidden. */
function inputsOf(page: string): string[] {
  return [...page.matchAll(/<(?:input|select)[^>]*? name="(\w+)"/g)].map(([, name = '']) => name);
}
