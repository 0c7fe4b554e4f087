// cspell:ignore mehr
/** How the payer's page names and pictures the ways to pay, and what its buttons and fields say. */
import { brands } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import type { PayerWay, PayPageDetails } from '../engine/payments/types/pay-page.ts';
import { now, startGateway, type TestGateway } from '../http/testing/gateway.ts';
import { pageDetails, plainPage } from '../http/testing/pay-page.ts';

const way = (members: Partial<PayerWay> & Pick<PayerWay, 'id' | 'method'>): PayerWay => ({
  kind: 'billing',
  instrument: null,
  adapter: 'acme',
  coin: null,
  title: 'Acme',
  currency: 'EUR',
  fields: [],
  ...members,
});
const named = (...names: readonly string[]) => names.map((name) => ({ name, picture: null }));
const page = way({ id: 'hosted_page.acme', method: 'hosted_page' });
const wallet = way({ id: 'ewallet_redirect.acme', method: 'ewallet_redirect' });
const card = way({ id: 'card', method: 'card', kind: 'card', instrument: 'card', adapter: null });
const coins = way({ id: 'crypto.BTC', method: 'crypto', coin: 'BTC', adapter: null });
const upi = (mode: 'intent' | 'qr' | 'collect'): PayerWay =>
  way({
    id: `upi_${mode}`,
    method: `upi_${mode}`,
    kind: 'upi',
    instrument: mode === 'collect' ? 'upiId' : null,
    adapter: null,
    currency: 'INR',
  });

const onPhone = { 'User-Agent': 'Mozilla/5.0 (Linux; Android 14) Mobile' };

describe('the ways of the payer’s page', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(async () => gateway.server.close(0));

  const shown = async (
    details: Partial<PayPageDetails>,
    { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
  ): Promise<string> => {
    gateway.answers.page = { ...plainPage, state: 'created', details: { ...pageDetails, attempts: 0, ...details } };
    return (await gateway.send(`/pay/10042?k=key${query}`, { key: null, method: 'GET', headers })).text;
  };
  /** The names of the ways, in their order. */
  const namesIn = (html: string): string[] =>
    [
      ...html.matchAll(/<(?:a href="[^"]*" data-way|h3 tabindex="-1"|h2 id="way")>.*?<\/svg>\s*<span>(.*?)<\/span>/gs),
    ].map(([, name]) => name!);
  const nameOf = async (one: PayerWay, lang = 'en'): Promise<string | undefined> =>
    namesIn(await shown({ ways: [one] }, { query: `&lang=${lang}` }))[0];
  const buttonOf = async (one: PayerWay): Promise<string> => {
    const [, inside = ''] = /<button class="main">(.*?)<\/button>/s.exec(await shown({ ways: [one] })) ?? [];
    const lock = inside.includes('<svg') ? 'lock: ' : '';
    return lock + inside.replaceAll(/<[^>]*>/g, '').trim();
  };

  it('are named by the operator or the adapter, else by their brands, else by the provider', async () => {
    const names = { '': 'Bank transfer', de: 'Bank' };
    expect(await nameOf({ ...page, names })).to.equal('Bank transfer');
    expect(await nameOf({ ...page, names, brands: named('iDEAL') }, 'de')).to.equal('Bank');
    expect(await nameOf({ ...page, names }, 'hi')).to.equal('Bank transfer');
    expect(await nameOf({ ...page, brands: named('iDEAL') })).to.equal('iDEAL');
    expect(await nameOf({ ...page, brands: named('iDEAL', 'PayPal') })).to.equal('iDEAL or PayPal');
    expect(await nameOf({ ...page, brands: named('iDEAL', 'PayPal', 'Visa') }, 'de')).to.equal(
      'iDEAL, PayPal und mehr',
    );
    expect(await nameOf(page)).to.equal('Acme');
    expect(await nameOf({ ...card, names })).to.equal('Pay by card');
    expect(await nameOf({ ...coins, names })).to.equal('Bitcoin');
  });

  it('are told apart by their providers if two have the same name, but not a coin', async () => {
    const other = { ...page, id: 'hosted_page.other', adapter: 'other', title: 'Other' };
    const bitcoin = { names: { '': 'Bitcoin' } };
    expect(namesIn(await shown({ ways: [{ ...page, ...bitcoin }, { ...other, ...bitcoin }, coins] }))).to.deep.equal([
      'Bitcoin (Acme)',
      'Bitcoin (Other)',
      'Bitcoin',
    ]);
  });

  it('have a lock and the amount on the button only where the payer pays here', async () => {
    expect(await buttonOf(card)).to.equal('lock: Pay €25.90');
    expect(await buttonOf(upi('collect'))).to.equal('lock: Pay €25.90');
    expect(await buttonOf(upi('qr'))).to.equal('Show the QR code');
    expect(await buttonOf(coins)).to.equal('Show the payment address');
    expect(await buttonOf(page)).to.equal('Continue');
    expect(await buttonOf({ ...page, leadsTo: 'Mollie' })).to.equal('Continue to Mollie');
    expect(await buttonOf({ ...wallet, leadsTo: 'PayPal' })).to.equal('Continue with PayPal');
  });

  it('begin with UPI in India, so that the form of the card is closed, and with the card anywhere else', async () => {
    const ways = [card, upi('intent'), upi('qr'), upi('collect')];
    expect(namesIn(await shown({ ways }, { headers: onPhone }))).to.deep.equal([
      'UPI app on this phone',
      'UPI QR code',
      'UPI ID',
      'Card',
    ]);
    const onDesk = await shown({ ways });
    expect(namesIn(onDesk)).to.deep.equal(['UPI QR code', 'UPI ID', 'Card']);
    expect(onDesk).not.to.include('name="number"');
    const inEuro = ways.map((one) => ({ ...one, currency: 'EUR' }));
    expect(namesIn(await shown({ ways: inEuro }, { headers: onPhone }))[0]).to.equal('Card');
  });

  it('show pictures from our own address, with the names of accepted cards', async () => {
    const accepted = [
      { name: 'Visa', picture: '0123456789abcdef.svg' },
      { name: 'Elo', picture: null },
    ];
    const html = await shown({
      ways: [
        { ...card, brands: accepted },
        { ...page, brands: accepted },
      ],
    });
    expect(html).to.include('<img src="../pay/pictures/0123456789abcdef.svg" alt="Visa" height="24" />');
    expect(html.replaceAll(/\s+/g, ' ')).to.include('<li data-accepted="Elo">Elo</li>');
    // Next to the name of a way, the pictures say nothing more.
    expect(html).to.include('<img src="../pay/pictures/0123456789abcdef.svg" alt="" height="24" />');
  });

  it('serve a picture so that it can run and load nothing, and answer 404 to any other name', async () => {
    const picture = { type: 'image/svg+xml', bytes: Buffer.from(String(brands.visa.picture)) } as const;
    gateway.answers.payments = { picture: (file) => (file === 'visa.svg' ? picture : undefined) };
    const { status, headers, text } = await gateway.get('/pay/pictures/visa.svg', { key: null });
    expect([status, headers.get('content-type'), text]).to.deep.equal([200, 'image/svg+xml', brands.visa.picture]);
    expect(headers.get('content-security-policy')).to.equal("default-src 'none'; sandbox");
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable');
    const missing = await gateway.get('/pay/pictures/other.svg', { key: null });
    expect([missing.status, missing.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8']);
  });

  it('ask for an address as the payer’s country writes it', async () => {
    const fields = ['address', 'city', 'state', 'postalCode', 'country'] as const;
    const labelsIn = async (country: string): Promise<string[]> => {
      const html = await shown({ ways: [{ ...card, fields }], known: { country } });
      const open = [...html.matchAll(/<div\s+class="field[^"]*">\s*<label for="\w+">(.*?)<\/label>/gs)];
      return open.map(([, label]) => label!).slice(3);
    };
    const usual = ['Country or region', 'Postal code', 'City', 'Street and number'];
    expect(await labelsIn('PT')).to.deep.equal(usual);
    expect(await labelsIn('HK')).to.deep.equal([usual[0], usual[2], usual[3], 'State or region']);
    expect(await labelsIn('US')).to.deep.equal([usual[0], 'ZIP code', usual[2], usual[3], 'State']);
    expect(await labelsIn('IN')).to.deep.equal([usual[0], 'PIN code', usual[2], usual[3], 'State']);
    expect(await labelsIn('JP')).to.deep.equal([usual[0], 'Postal code', 'Prefecture', usual[2], usual[3]]);
  });

  it('choose the country that the merchant named, else that of the currency, else of the browser', async () => {
    const chosenIn = async (details: Partial<PayPageDetails>, asked: string): Promise<string | undefined> => {
      const ways = [{ ...card, fields: ['country', 'state', 'phoneNumber'] as const }];
      const html = await shown({ ways, ...details }, { headers: { 'Accept-Language': asked } });
      return /<option\s+value="(\w\w)" selected>/.exec(html)?.[1];
    };
    expect(await chosenIn({ known: { country: 'ES' } }, 'pt-PT')).to.equal('ES');
    expect(await chosenIn({ unit: 'INR', currency: 'INR' }, 'en-US')).to.equal('IN');
    expect(await chosenIn({}, 'en, pt-PT;q=0.9, en-US;q=0.8')).to.equal('PT');
    expect(await chosenIn({}, 'zh-Hant-HK')).to.equal('HK');
    for (const asked of ['en', '*', 'es-419', 'en-ZZ', 'x-PT'])
      expect(await chosenIn({}, asked), asked).to.equal(undefined);
  });

  it('show an example of a phone number of the payer’s likely country', async () => {
    const ways = [{ ...upi('collect'), fields: ['phoneNumber'] as const }];
    const html = await shown({ ways, unit: 'INR', currency: 'INR' }, { headers: { 'Accept-Language': 'en-GB' } });
    expect(html).to.include('for example +91\u00A081234\u00A056789');
    const inEuro = await shown({ ways }, { headers: { 'Accept-Language': 'pt-PT' }, query: '&lang=en' });
    expect(inEuro).to.include('for example +351\u00A0');
  });

  it('ask for a state only once a country has one', async () => {
    const ways = [{ ...card, fields: ['country', 'state', 'postalCode'] as const }];
    const isShown = async (known: { country?: string }, asked = 'en'): Promise<boolean> => {
      const html = await shown({ ways, known }, { headers: { 'Accept-Language': asked } });
      return !/<div\s+class="field"\s+hidden[^>]*>\s*<label for="state">/.test(html);
    };
    expect(await isShown({})).to.equal(false);
    expect(await isShown({ country: 'PT' })).to.equal(false);
    expect(await isShown({ country: 'US' })).to.equal(true);
    expect(await isShown({}, 'en-US')).to.equal(true);
    const body = new URLSearchParams({ way: 'card', attempts: '0', number: '4242424242424242', cvv: '123' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Accept-Language': 'en' };
    const { text } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect([...text.matchAll(/class="error" id="(\w+)-error"/g)].map(([, name]) => name)).to.have.members([
      'expiration',
      'country',
      'postalCode',
    ]);
    expect(text).to.include('Check these fields:').and.include('<a href="#postalCode">');
  });

  it('say that several fields are wrong without a list that repeats them', async () => {
    await shown({ ways: [{ ...card, fields: ['name'] }] });
    const body = new URLSearchParams({ way: 'card', attempts: '0' }).toString();
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { text } = await gateway.send('/pay/10042?k=key', { key: null, body, headers });
    expect(text).to.include('>Check the fields marked below.</p>').and.not.include('<a href="#number">');
    expect(text.match(/class="error"/g)).to.have.length(4);
  });

  it('load the page again at the end of the time to pay, also without script', async () => {
    const expiresAt = new Date(now.getTime() + 90_000);
    const html = await shown({ ways: [card], expiresAt });
    expect(html).to.include('<noscript><meta http-equiv="refresh" content="90" /></noscript>');
    expect(html).to.include('data-expires="90"');
    const inTwoDays = new Date(now.getTime() + 172_800_000);
    for (const later of [null, inTwoDays])
      expect(await shown({ ways: [card], expiresAt: later })).not.to.include('data-expires');
  });

  it('are gone from the page of a return, which shows the amount and the test mode', async () => {
    const due = { amount: '25.90', unit: 'EUR', currency: 'EUR', isTest: true };
    gateway.answers.page = { ...plainPage, due };
    const { text } = await gateway.send('/pay/10042?r=part', { key: null, method: 'GET' });
    expect(text).to.include('<p class="due">€25.90</p>').and.include('Test mode: no real payment');
    gateway.answers.page = { ...plainPage, due: { ...due, isTest: false } };
    expect((await gateway.send('/pay/10042?r=part', { key: null, method: 'GET' })).text).not.to.include('Test mode');
  });

  it('leave a receipt with the order number and the merchant’s contact', async () => {
    const receipt = {
      paidAt: now,
      reference: 'GW-10042-1',
      way: { method: 'ewallet_redirect', title: 'Provider F', coin: null, names: { '': 'E-wallet' } },
      cardBin: null,
      cardLastDigits: null,
      charged: '25.90',
      isPart: false,
      laterCharges: [],
      refunded: '25.90',
      refundedAt: null,
      refundedByProvider: true,
    } as const;
    const brand = { logo: null, colour: null, support: 'https://shop.example/help', terms: null };
    gateway.answers.page = {
      ...plainPage,
      merchant: { name: 'Book shop', brand },
      state: 'refunded',
      details: { ...pageDetails, referenceId: 'order-1', receipt },
    };
    const { text } = await gateway.send('/pay/10042?k=key', { key: null, method: 'GET' });
    const rows = [...text.matchAll(/<dt>(.*?)<\/dt>\s*<dd>(.*?)<\/dd>/gs)].map(([, name, value]) =>
      [name, value!.replaceAll(/<[^>]*>/g, '').trim()].join(': '),
    );
    expect(rows).to.include.members([
      'Order: order-1',
      'Paid with: E-wallet',
      'Refunded: €25.90',
      'Contact: shop.example',
    ]);
    expect(text.match(/<a href="https:\/\/shop\.example\/help"/g)).to.have.length(1);
  });
});
