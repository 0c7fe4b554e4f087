import type { StoredPayment, Submission } from '@gateway/contract';
import { scriptedHttp, scriptedProvider } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import type { Options } from '../options.ts';
import { h2hStored, h2hSubmission, now, options, reply, seconds, xmlStored, xmlSubmission } from './helpers.ts';

/** What is sent for a payment, or not. */
async function sent(payment: Submission, given: Partial<Options> = {}) {
  const http = scriptedHttp([reply(500)]);
  const outcome = await providerE.submit(payment, scriptedProvider({ options: { ...options, ...given }, now, http }));
  return { outcome, request: http.requests[0] };
}

describe('what E is asked', () => {
  it('escapes what XML needs, leaves out an address that is not there, and says when to capture', async () => {
    const { request } = await sent({
      ...xmlSubmission,
      money: { amount: '1.5', currency: 'KWD' },
      captureDelayHours: 7,
      payer: { ...xmlSubmission.payer, name: `<"A" & 'B'>\t\r\n\u0000\u{1F600}`, city: '', state: ']]>' },
    });
    expect(String(request?.body)).to.equal(
      '<?xml version="1.0" encoding="UTF-8"?><pay:submit xmlns:pay="urn:provider-e:pay:1" acct="GWSHOP">' +
        '<order code="GW-10042-1" capture="7"><sum value="1500" cur="KWD" exp="3"/>' +
        '<card number="4111111111111111" month="03" year="2031" cvv="737"/>' +
        `<payer name="&lt;&quot;A&quot; &amp; 'B'&gt;&#9;&#13;&#10;\u{1F600}" email="ines.duarte@shop.example" phone="+351912345678"/>` +
        '<address street="Rua Augusta 12" city="" state="]]&gt;" postal="1100-053" country="PT"/></order></pay:submit>',
    );
  });

  for (const [currency, amount, written] of [
    ['EUR', '25.9', '25.90'],
    ['JPY', '1800', '1800'],
    ['KWD', '1.5', '1.500'],
    ['EUR', '0', '0.00'],
    ['EUR', '4035.03', '4035.03'],
  ] as const) {
    it(`writes ${amount} ${currency} as the number ${written} in a token`, async () => {
      const { request } = await sent({ ...h2hSubmission, money: { amount, currency }, captureDelayHours: 3 });
      const { token } = JSON.parse(String(request?.body)) as { token: string };
      expect(Buffer.from(token.split('.')[1]!, 'base64url').toString()).to.equal(
        `{"acct":"GWSHOP","inv":"GW-10042-1","sum":${written},"cur":"${currency}",` +
          '"card":{"no":"4111111111111111","exp":"0331","cvv":"737"},' +
          '"payer":{"name":"Ines Duarte","email":"ines.duarte@shop.example","phone":"+351912345678","ip":null},' +
          '"addr":{"street":"Rua Augusta 12","city":"Lisboa","state":"LX","zip":"1100-053","country":"PT"},' +
          `"delay":3,"iat":${seconds}}`,
      );
    });
  }

  for (const [flow, isH2h, path] of [
    ['auto', true, '/h2h/payments'],
    ['auto', false, '/orders'],
    ['xml', true, '/orders'],
    ['xml', false, '/orders'],
    ['jws', true, '/h2h/payments'],
    ['jws', false, '/h2h/payments'],
  ] as const) {
    it(`goes to ${path} with flow ${flow} where isH2h is ${isH2h}`, async () => {
      expect((await sent({ ...xmlSubmission, isH2h }, { flow })).request?.path).to.equal(path);
    });
  }

  it('asks by the interface that the payment went through, also where flow was changed since', async () => {
    const asked = async (payment: StoredPayment, flow: Options['flow']): Promise<string | undefined> => {
      const http = scriptedHttp([reply(500)]);
      await providerE.fetchStatus!(payment, scriptedProvider({ options: { ...options, flow }, now, http }));
      return http.requests[0]?.path.split('?')[0];
    };
    const { providerReference: _, ...bare } = h2hStored;
    const action = { type: 'confirm', paymentId: '7' } as const;
    expect(await asked(h2hStored, 'auto')).to.equal('/h2h/status');
    expect(await asked(bare, 'auto')).to.equal('/h2h/status');
    expect(await asked(bare, 'xml')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...bare, isH2h: false }, 'jws')).to.equal('/h2h/status');
    expect(await asked(xmlStored, 'jws')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...xmlStored, providerReference: '0123' }, 'jws')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...bare, isH2h: false, action }, 'xml')).to.equal('/h2h/status');
  });

  it('sends nothing for an amount that its currency cannot express, or without a card', async () => {
    const { card: _, ...cardless } = xmlSubmission;
    for (const payment of [
      { ...xmlSubmission, money: { amount: '25.905', currency: 'EUR' } },
      { ...h2hSubmission, money: { amount: '1.5', currency: 'JPY' } },
      { ...xmlSubmission, money: { amount: '1'.repeat(17), currency: 'EUR' } },
      cardless,
    ]) {
      const { outcome, request } = await sent(payment);
      expect([outcome.outcome, 'nothingCharged' in outcome, request]).to.deep.equal(['failed', true, undefined]);
    }
  });
});
