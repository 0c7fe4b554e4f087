import { refuseSubmission } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerF from '../index.ts';
import { harness, dealId, fault, shows, unreadable, type Members } from './messages.ts';

const { recordCall, submission, submit } = harness;

const nothing = { outcome: 'failed', nothingCharged: true } as const;
const known = { providerReference: dealId };
const open = { phase: 'open', mark: 1 } as const;

describe('submit', () => {
  it('requests a deal, with members in their order and without white space', async () => {
    const { requests } = await recordCall(shows(), (ctx) => providerF.submit(submission, ctx));
    expect(requests).to.deep.equal([
      {
        method: 'POST',
        path: '/v1/deals',
        headers: {
          Authorization: 'Bearer f_tok_test_0123456789',
          'Content-Type': 'application/json',
          'Idempotency-Key': 'GW-10042-1',
        },
        body:
          '{"shop":"shop-5","ref":"GW-10042-1","gross":{"v":"25.90","c":"EUR"},' +
          '"payer":{"name":"Ines Duarte","email":"ines.duarte@shop.example","phone":"+351912345678","ip":null},' +
          '"address":{"street":"Rua Augusta 12","city":"Lisboa","state":"LX","zip":"1100-053","country":"PT"},' +
          '"backUrl":"https://gateway.example/pay/10042"}',
      },
    ]);
  });

  for (const [amount, currency, spelled] of [
    ['1840', 'JPY', '1840'],
    ['18.4', 'KWD', '18.400'],
    ['0', 'EUR', '0.00'],
    ['90071992547409931.07', 'EUR', '90071992547409931.07'],
  ] as const) {
    it(`writes ${amount} ${currency} as ${spelled}`, async () => {
      const payment = { ...submission, money: { amount, currency } };
      const { requests } = await recordCall(shows(), (ctx) => providerF.submit(payment, ctx));
      expect(requests[0]?.body).to.contain(`"gross":{"v":"${spelled}","c":"${currency}"}`);
    });
  }

  it('sends no request for an amount that the currency cannot express', () => {
    const payment = { ...submission, money: { amount: '18.4', currency: 'JPY' } };
    expect(refuseSubmission(providerF.manifest, payment)).to.include(nothing);
  });

  const phases: readonly (readonly [members: Members, outcome: Members])[] = [
    [{ phase: 'settled' }, { outcome: 'succeeded' }],
    [open, { outcome: 'pending' }],
    [{ ...open, goTo: null }, { outcome: 'pending' }],
    [{ phase: 'held' }, { outcome: 'pending', authorised: true }],
    [{ phase: 'left' }, { outcome: 'failed' }],
    [{ phase: 'lapsed', why: 'limit_reached' }, { outcome: 'failed' }],
    [{ phase: 'brewing' }, { outcome: 'pending', unknownStatus: 'brewing' }],
    [{ phase: 'Settled' }, { outcome: 'pending', unknownStatus: 'Settled' }],
    [{ phase: 'constructor' }, { outcome: 'pending', unknownStatus: 'constructor' }],
    [
      { phase: 'dropped', why: 'wallet_refused' },
      { outcome: 'failed', decline: '05' },
    ],
    [
      { phase: 'dropped', why: 'balance_low' },
      { outcome: 'failed', decline: '51' },
    ],
    [
      { phase: 'dropped', why: 'wallet_expired' },
      { outcome: 'failed', decline: '54' },
    ],
    [
      { phase: 'dropped', why: 'wallet_blocked' },
      { outcome: 'failed', decline: '57' },
    ],
    [
      { phase: 'dropped', why: 'limit_reached' },
      { outcome: 'failed', decline: '61' },
    ],
    [
      { phase: 'dropped', why: 'moon' },
      { outcome: 'failed', decline: '05', declineText: 'moon', unknownStatus: 'moon' },
    ],
    [
      { phase: 'dropped', why: null },
      { outcome: 'failed', decline: '05' },
    ],
    [
      { phase: 'dropped', why: undefined },
      { outcome: 'failed', decline: '05' },
    ],
  ];
  for (const [members, outcome] of phases) {
    it(`reads ${JSON.stringify(members)} as ${JSON.stringify(outcome)}`, async () => {
      for (const status of [200, 201]) {
        expect(await submit(shows(members, status))).to.deep.equal({ ...outcome, ...known });
      }
    });
  }

  describe('the redirect to the wallet', () => {
    const live = 'https://api.provider-f.example';
    const sandbox = 'https://sandbox.provider-f.example:8443';
    const addresses: readonly (readonly [goTo: string, onSandbox: boolean, isTaken: boolean])[] = [
      [`${live}/wallet/1?a=b`, false, true],
      ['https://a.b.api.provider-f.example/', false, true],
      ['https://API.provider-f.example/', false, true],
      ['http://api.provider-f.example/', false, false],
      ['https://wallet.provider-f.example/', false, false],
      ['https://provider-f.example/', false, false],
      ['https://evilapi.provider-f.example/', false, false],
      ['https://api.provider-f.example.evil.example/', false, false],
      ['https://api.provider-f.example@evil.example/', false, false],
      ['//api.provider-f.example/', false, false],
      ['/wallet/1', false, false],
      ['javascript:alert(1)', false, false],
      ['', false, false],
      [`${sandbox}/wallet/1`, true, true],
      ['https://sandbox.provider-f.example/wallet/1', true, false],
      ['https://a.sandbox.provider-f.example:8443/', true, false],
      ['http://sandbox.provider-f.example:8443/', true, false],
      [`${live}/wallet/1`, true, false],
    ];
    for (const [goTo, onSandbox, isTaken] of addresses) {
      it(`is ${isTaken ? 'accepted' : 'refused'}: ${JSON.stringify(goTo)} ${onSandbox ? 'of the sandbox' : 'live'}`, async () => {
        const outcome = await submit(shows({ ...open, goTo }, 201), submission, { sandbox: onSandbox });
        if (isTaken) {
          const action = { type: 'redirect', method: 'GET', url: goTo };
          expect(outcome).to.deep.equal({ outcome: 'pending', ...known, action });
        } else {
          expect(outcome).to.include({ outcome: 'unknown', ...known });
        }
      });
    }

    it('is checked in every answer, and is an action only of an open deal', async () => {
      const goTo = 'https://elsewhere.example/';
      expect((await submit(shows({ goTo }))).outcome).to.equal('unknown');
      expect(await submit(shows({ goTo: `${live}/` }))).to.deep.equal({ outcome: 'succeeded', ...known });
    });
  });

  it('does not depend on the spelling of the amount', async () => {
    for (const spelled of ['25.9', '25.900', '025.90']) {
      expect((await submit(shows({ gross: { v: spelled, c: 'EUR' } }))).outcome).to.equal('succeeded');
    }
  });

  describe('an unusable answer', () => {
    const others: readonly (readonly [what: string, members: Members])[] = [
      ...unreadable,
      ['another amount', { gross: { v: '25.91', c: 'EUR' } }],
      ['another currency', { gross: { v: '25.90', c: 'USD' } }],
    ];
    for (const [what, members] of others) {
      it(`is unknown: ${what}`, async () => {
        expect((await submit(shows(members, 201))).outcome).to.equal('unknown');
      });
    }

    for (const [what, answer] of [
      ['no deal', reply(201, {})],
      ['a deal that is a list', reply(201, { deal: [] })],
      ['a member twice', reply(201, '{"deal":{},"deal":{}}')],
      ['another status', shows({}, 202)],
      ['a redirect', shows({}, 302)],
      ['a fault under 200', fault(200, 'closed', false)],
      ['a fault under 202', fault(202, 'closed', false)],
      ['a fault under 302', fault(302, 'closed', false)],
      ['404', shows({}, 404)],
    ] as const) {
      it(`is unknown: ${what}`, async () => {
        expect((await submit(answer)).outcome).to.equal('unknown');
      });
    }
  });

  describe('a fault', () => {
    for (const [status, code] of [
      [400, 'bad_field'],
      [422, 'not_offered'],
      [429, 'slow_down'],
      [500, 'internal'],
      [503, 'closed'],
      [409, 'key_reused'],
      [418, 'moon'],
    ] as const) {
      it(`charged nothing for ${status} ${code} if it says that it did not start`, async () => {
        const outcome = await submit(fault(status, code, false));
        const refused = code === 'bad_field' ? { refusedField: 'body' } : {};
        expect(outcome).to.deep.equal({ ...nothing, ...refused, reason: `F answered ${status} ${code}` });
        for (const started of [true, undefined, null, 0, 'false', '']) {
          expect((await submit(fault(status, code, started))).outcome).to.equal('unknown');
        }
      });
    }

    it('names the option if the token is refused', async () => {
      const outcome = await submit(fault(401, 'bad_token', false));
      expect(outcome).to.include({ ...nothing, misconfigured: true });
      expect(outcome).to.have.property('reason').that.contains('apiToken').and.not.contains('f_tok');
      expect((await submit(reply(401))).outcome).to.equal('unknown');
    });

    for (const [what, body] of [
      ['no code', { fault: { started: false } }],
      ['another form', { started: false }],
      ['a text', '"started":false'],
      ['bytes after its end', '{"fault":{"code":"closed","started":false}}x'],
    ] as const) {
      it(`is unknown with ${what}`, async () => {
        expect((await submit(reply(503, body))).outcome).to.equal('unknown');
      });
    }
  });
});
