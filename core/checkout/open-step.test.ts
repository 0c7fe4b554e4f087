import type { Action } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { GatewayError } from '../base/errors.ts';
import type { PayerWay, PayPage, PayPageDetails } from '../engine/payments/types/pay-page.ts';
import { languageCodes, wordsOf } from '../html/words/index.ts';
import { now, startGateway, type TestGateway } from '../http/testing/gateway.ts';
import { pageDetails, plainPage } from '../http/testing/pay-page.ts';

const upi: PayerWay = {
  id: 'upi_collect',
  method: 'upi_collect',
  kind: 'upi',
  instrument: 'upiId',
  adapter: null,
  coin: null,
  title: 'Acme',
  currency: 'EUR',
  fields: ['name'],
};
const toBank: Action = { type: 'redirect', method: 'GET', url: 'https://bank.example/c?x=1' };
const formToBank: Action = { ...toBank, method: 'POST', fields: { creq: 'a"b' } };
const byUpi: Action = { type: 'upi', mode: 'collect', expiry: '2026-11-21T12:15:00Z' };
const bank = 'https://bank.example/c?x=1';

describe('the page of a payment with an open step', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => gateway.reset());
  after(() => gateway.server.close(1000));

  function waiting(action: Action | null, members: Partial<PayPageDetails> = {}): PayPage {
    const details = { ...pageDetails, startedAt: now, ...members };
    return { ...plainPage, state: 'pending', action, details };
  }
  const open = async (page: PayPage, query = '', headers: Readonly<Record<string, string>> = {}) => {
    gateway.answers.page = page;
    return gateway.send(`/pay/10042?k=key${query}`, { method: 'GET', key: null, headers });
  };
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const send = async (fields: Readonly<Record<string, string>>, query = '&other=1') =>
    gateway.send(`/pay/10042?k=key${query}`, {
      key: null,
      headers: form,
      body: new URLSearchParams(fields).toString(),
    });

  it('asks before it leads to the bank, by a link or by a form that nothing submits', async () => {
    const byLink = await open(waiting(toBank));
    expect(byLink.text).to.include(`<a class="main" href="${bank}">Continue this payment</a>`);
    const byForm = await open(waiting(formToBank));
    expect(byForm.text)
      .to.include(`<form method="post" action="${bank}" target="_top">`)
      .and.include('value="a&quot;b"');
    expect(byForm.headers.get('content-security-policy')).to.include('form-action https://bank.example https:');
    for (const { status, text } of [byLink, byForm]) {
      expect([status, /http-equiv="refresh"|id="go"|data-moves/.test(text)]).to.deep.equal([200, false]);
      // A poll of this page is no return from the bank.
      expect(text).to.include('data-watch="state/10042?r=return-part&amp;quiet=1"');
    }
  });

  it('leads to the bank right after the form of this attempt, and not later or for another attempt', async () => {
    const leads = async (page: PayPage, go: string): Promise<boolean> =>
      /content="0;url=|id="go"/.test((await open(page, go)).text);
    for (const action of [toBank, formToBank]) {
      expect(await leads(waiting(action, { attempts: 3 }), '&go=3')).to.equal(true);
      expect(await leads(waiting(action, { attempts: 3 }), '&go=2')).to.equal(false);
      const earlier = new Date(now.getTime() - 3 * 60_000);
      expect(await leads(waiting(action, { attempts: 3, startedAt: earlier }), '&go=3')).to.equal(false);
      expect(await leads(waiting(action, { attempts: 3, startedAt: null }), '&go=3')).to.equal(false);
    }
  });

  it('names the attempt in the address that follows the form, only if the next step is at the bank', async () => {
    const next = async (after: PayPage): Promise<string | null> => {
      gateway.answers.page = { ...plainPage, state: 'created', details: { ...pageDetails, ways: [upi] } };
      gateway.answers.payments = {
        pay: async (...args) => {
          gateway.answers.page = after;
          return { id: args[1], present: async () => Promise.reject(new Error('not asked')) };
        },
      };
      return (await send({ way: 'upi_collect', attempts: '1', name: 'A B', upiId: 'a@bank' })).headers.get('location');
    };
    expect(await next(waiting(toBank, { attempts: 2 }))).to.equal('?k=key&go=2');
    expect(await next(waiting(byUpi, { attempts: 2 }))).to.equal('?k=key');
  });

  describe('whose target asks for the origin of the page', () => {
    const policyOf = ({ headers }: { readonly headers: Headers }): string | null => headers.get('referrer-policy');
    const link = `<a class="main" href="${bank}" target="_top" referrerpolicy="strict-origin">`;
    const byLink: Action = { ...toBank, referrer: 'origin' };
    const byForm: Action = { ...formToBank, referrer: 'origin' };

    it('names it in the link of the page that asks, and in no other request of that page', async () => {
      const asked = await open(waiting(byLink));
      expect([policyOf(asked), asked.text.includes(`${link}Continue this payment</a>`)]).to.deep.equal([
        'no-referrer',
        true,
      ]);
    });

    it('names it where a page leads on or posts a form, and its other links still name nothing', async () => {
      const leads = await open(waiting(byLink, { attempts: 3 }), '&go=3');
      expect(leads.text).to.include('content="0;url=').and.include(link);
      const branded = {
        ...plainPage.merchant,
        brand: { ...plainPage.merchant.brand, terms: 'https://shop.example/t' },
      };
      const asked = await open({ ...waiting(byForm), merchant: branded });
      const posts = await open(waiting(byForm, { attempts: 3 }), '&go=3');
      expect([leads, asked, posts].map(policyOf)).to.deep.equal(Array(3).fill('strict-origin'));
      expect(asked.text).to.include('<a href="https://shop.example/t" target="_blank" rel="noreferrer">');
    });

    it('leads a visitor with a token on by a page, because a redirect would name where the payer came from', async () => {
      const visitByToken = async (action: Action, headers = {}) => {
        gateway.answers.page = { ...plainPage, state: 'pending', action };
        return gateway.send('/pay/10042?t=token', { method: 'GET', key: null, headers });
      };
      const led = await visitByToken(byLink);
      expect([led.status, policyOf(led)]).to.deep.equal([200, 'strict-origin']);
      expect(led.text).to.include(`content="0;url=${bank}"`).and.include(link);
      const framed = await visitByToken(byLink, { 'Sec-Fetch-Dest': 'iframe' });
      expect(framed.text).to.include(link).and.not.include('http-equiv');
      const posted = await visitByToken(byForm);
      expect([posted.text.includes('id="go"'), policyOf(posted)]).to.deep.equal([true, 'strict-origin']);
    });

    it('is sent no referrer at all if it does not ask for it', async () => {
      const pages = [
        await open(waiting(toBank)),
        await open(waiting(toBank, { attempts: 3 }), '&go=3'),
        await open(waiting(formToBank)),
        await open(waiting(formToBank, { attempts: 3 }), '&go=3'),
      ];
      for (const page of pages) {
        expect([policyOf(page), page.text.includes('referrerpolicy')]).to.deep.equal(['no-referrer', false]);
      }
    });
  });

  it('polls as a payer who gave up at the address of a cancel button, so that no step is completed', async () => {
    gateway.answers.page = waiting(null);
    const page = { ...plainPage, state: 'pending' } as const;
    gateway.answers.page = page;
    const shown = await gateway.send('/pay/10042?r=return-part&cancelled=1', { method: 'GET', key: null });
    const [, watch = ''] = /data-watch="([^"]*)"/.exec(shown.text) ?? [];
    expect(watch).to.equal('state/10042?r=return-part&amp;cancelled=1');
    gateway.reset();
    gateway.answers.page = page;
    await gateway.get(`/pay/${watch.replaceAll('&amp;', '&')}`, { key: null });
    expect(gateway.calls.map(({ args }) => args)).to.deep.equal([
      [10042, { returnPart: 'return-part', isCancelled: true }],
    ]);
  });

  it('offers the other ways if the step can be replaced now, and leads back to the step', async () => {
    for (const action of [toBank, byUpi]) {
      const page = waiting(action, { ways: [upi], otherWay: 'now' });
      const asked = await open(page);
      expect(asked.text).to.include('<a class="back" href="?k=key&other=1">Pay another way</a>');
      expect(asked.text).not.to.include('name="upiId"');
      const other = await open(page, '&other=1');
      expect(other.text).to.include('name="upiId"').and.include('<form method="post" action="?k=key&amp;other=1"');
      expect(other.text).to.include('<a href="?k=key">Continue this payment</a>').and.not.include('http-equiv');
      expect(other.text).not.to.include(bank);
    }
  });

  it('says from when on the payer can pay another way, and offers none before', async () => {
    const later = new Date('2026-11-21T12:15:00Z');
    for (const [action, otherWay] of [
      [toBank, later],
      [byUpi, later],
      [toBank, null],
      [byUpi, null],
    ] as const) {
      const { text } = await open(waiting(action, { otherWay }), '&other=1');
      expect(text).not.to.match(/name="upiId"|Pay another way/);
      expect(/You can pay another way from <time datetime="2026-11-21T12:15:00.000Z">/.test(text)).to.equal(
        otherWay !== null,
      );
    }
  });

  it('keeps the form of the other ways if the input is wrong, and says if the step may still go through', async () => {
    const page = waiting(toBank, { ways: [upi], otherWay: 'now' });
    gateway.answers.page = page;
    const typed = { way: 'upi_collect', attempts: '1', name: 'A B', upiId: 'a@bank' };
    const wrong = await send({ ...typed, upiId: 'x' });
    expect([wrong.status, wrong.text.includes('name="upiId"')]).to.deep.equal([400, true]);
    gateway.answers.payments = { pay: async () => Promise.reject(new GatewayError('PAYMENT_NOT_PAYABLE', 'waits')) };
    const refused = await send(typed);
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('the payment you started may still go through').and.include('name="upiId"');
  });

  it('keeps the form of a member code whose code is wrong', async () => {
    gateway.answers.page = waiting({ type: 'confirm', paymentId: 'P' }, { ways: [upi], otherWay: 'now' });
    const refusal = new GatewayError('INVALID_CARD', 'the member code is wrong', {
      details: { field: 'code', reason: 'x' },
    });
    gateway.answers.payments = { confirm: async () => Promise.reject(refusal) };
    const { status, text } = await send({ way: 'confirm', code: '000000' }, '');
    expect([status, text.includes('name="code"'), text.includes('name="upiId"')]).to.deep.equal([400, true, false]);
  });

  it('has words for all of it in each language', async () => {
    const page = waiting(toBank, { ways: [upi], otherWay: 'now' });
    for (const language of languageCodes) {
      const { otherWay } = wordsOf(language);
      const asked = (await open(page, `&lang=${language}`)).text;
      for (const word of [otherWay.title, otherWay.text, otherWay.proceed, otherWay.link])
        expect(asked).to.include(word);
      expect((await open(page, `&lang=${language}&other=1`)).text).to.include(otherWay.ends);
      expect(otherWay.from).to.include('{time}');
    }
  });

  it('says that the payer cancelled it after a cancellation at the provider’s page, and not that the bank declined it', async () => {
    const failure = { kind: 'cancelled' } as const;
    const { text } = await open({ ...plainPage, state: 'failed', details: { ...pageDetails, ways: [upi], failure } });
    expect(text).to.include('You cancelled the payment').and.include('Choose how you’d like to pay.');
    expect(text)
      .to.include('name="upiId"')
      .and.not.match(/declined|didn’t go through/);
  });
});
