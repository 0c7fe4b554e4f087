import { refuseSubmission, v, type Submission } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerC from '../index.ts';
import { harness, answer, answered, error, formReply, unreadable, withHash, paid } from './messages.ts';

const { now, options, submission } = harness;

const submit = (given: ReturnType<typeof answer>, payment: Submission<'card'> = submission) =>
  answered(given, async (ctx) => refuseSubmission(providerC.manifest, payment) ?? providerC.submit(payment, ctx));
const outcomeOf = async (given: ReturnType<typeof answer>) => (await submit(given)).result;

describe('the request to C', () => {
  it('leaves out only the values that the merchant did not send', async () => {
    const { sent, requests } = await submit(answer());
    expect(requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal(['POST /v1/payments']);
    expect(Object.keys(sent).join(' ')).to.equal(
      'c_key c_ref c_total c_item c_name c_mail c_phone c_addr c_city c_region c_zip c_land x1 x2 x3 x4 x5 ' +
        'c_pan c_exp c_cvv c_sec c_note c_back c_3ds c_hash',
    );
    expect(sent).to.include({ c_exp: '0331', c_sec: 'auto', x1: '10042', x5: '' });
  });

  it("contains every value of the merchant, in the order of C's manual", async () => {
    const { sent } = await submit(answer(), {
      ...submission,
      payer: { ...submission.payer, ipAddress: '203.0.113.9' },
      is3ds: true,
      captureDelayHours: 0,
      browserInfo: { userAgent: 'Zoë | 1', javaEnabled: false, acceptHeader: '*/*', unheard: 'x' } as never,
      wallet: { walletType: 'applePay', authenticationValue: 'AAA=', xid: 'X', eci: '05' },
    });
    expect(Object.keys(sent).join(' ')).to.equal(
      'c_key c_ref c_total c_item c_name c_mail c_phone c_addr c_city c_region c_zip c_land c_ip x1 x2 x3 x4 x5 ' +
        'c_pan c_exp c_cvv c_hold c_sec c_browser c_wtype c_wauth c_wxid c_weci c_note c_back c_3ds c_hash',
    );
    expect(sent).to.include({ c_hold: '0', c_sec: 'must', c_wtype: 'applePay', c_wauth: 'AAA=', c_weci: '05' });
    expect(Buffer.from(sent['c_browser']!, 'base64').toString()).to.equal(
      '{"acceptHeader":"*/*","javaEnabled":false,"userAgent":"Zoë | 1"}',
    );
    expect((await submit(answer(), { ...submission, browserInfo: {} })).sent).not.to.have.property('c_browser');
  });

  it('replaces the separators in the payer’s text, also in the hash', async () => {
    const payer = { ...submission.payer, name: 'A|B\r\nC', email: 'a|b@c.example', city: 'x\ny', ipAddress: '1|2' };
    const { sent } = await submit(answer(), { ...submission, payer, wallet: { eci: '0|5' } });
    expect(sent).to.include({ c_name: 'A/B//C', c_mail: 'a/b@c.example', c_city: 'x/y', c_ip: '1/2', c_weci: '0/5' });
    const plain = { ...submission.payer, name: 'A/B//C', email: 'a/b@c.example' };
    expect(sent['c_hash']).to.equal((await submit(answer(), { ...submission, payer: plain })).sent['c_hash']);
  });

  for (const [amount, currency, key, total] of [
    ['25.9', 'EUR', 'GWDEMO01', '25.90'],
    ['0', 'EUR', 'GWDEMO01', '0.00'],
    ['2590', 'JPY', 'GWDEMO02', '2590'],
    ['25.9', 'KWD', 'GWDEMO03', '25.900'],
    ['999999999999999.999', 'KWD', 'GWDEMO03', '999999999999999.999'],
  ] as const) {
    it(`sends ${amount} ${currency} to its account as ${total}`, async () => {
      const { sent } = await submit(answer(), { ...submission, money: { amount, currency } });
      expect(sent).to.include({ c_key: key, c_total: total });
    });
  }

  for (const [amount, currency] of [
    ['25.9', 'USD'],
    ['25.901', 'EUR'],
    ['25.9', 'JPY'],
    ['1000000000000000', 'EUR'],
  ] as const) {
    it(`sends nothing for ${amount} ${currency}`, async () => {
      const { result, requests } = await submit(answer(), { ...submission, money: { amount, currency } });
      expect(result).to.include({ outcome: 'failed', nothingCharged: true });
      expect(requests).to.deep.equal([]);
    });
  }

  it('accepts at most 15 digits before the point, and only the currencies of the accounts', () => {
    const fits = (amount: unknown): boolean => v.safeParse(providerC.manifest.bounds!, { amount, unit: 'EUR' }).success;
    expect([fits(999999999999999), fits('25.9'), fits(0), fits(undefined), fits('much')]).to.deep.equal(
      Array(5).fill(true),
    );
    expect([fits(1e15), fits('1000000000000000.01')]).to.deep.equal([false, false]);
    const { currencies } = providerC.manifest;
    expect(typeof currencies === 'function' && currencies(options)).to.deep.equal(['EUR', 'JPY', 'KWD']);
  });

  it("redirects to C's page if the payer types the card there", async () => {
    for (const payment of [submission, { ...submission, wallet: { eci: '05' }, is3ds: false }]) {
      const cardEntry = 'page';
      const { result, requests } = await answered(answer(), (ctx) =>
        providerC.submit(payment, { ...ctx, options: { ...options, cardEntry } }),
      );
      expect(requests).to.deep.equal([]);
      if (result.outcome !== 'pending' || result.action?.type !== 'redirect') throw new Error(result.outcome);
      expect(result).not.to.have.property('providerReference');
      const { url, fields = {} } = result.action;
      expect(url).to.equal('https://api.provider-c.example/base/v1/page');
      expect(Object.keys(fields).join(' ')).to.equal(
        'c_key c_ref c_total c_item c_name c_mail x1 x2 x3 x4 x5 c_sec c_note c_back c_until c_hash',
      );
      expect(fields).to.include({
        c_until: String(now.getTime() / 1000 + 1800),
        c_sec: 'is3ds' in payment ? 'skip' : 'auto',
      });
      expect(JSON.stringify(result)).not.to.contain(submission.card.number);
      expect(providerC.methodOf!(payment, { ...options, cardEntry })).to.equal('hosted_page');
    }
    expect(providerC.methodOf!(submission, options)).to.equal('card');
    expect(providerC.methodOf!({ ...submission, wallet: {} }, options)).to.equal('wallet_card');
  });
});

describe('submit at C', () => {
  const providerReference = '700000000000000181';

  for (const [changes, expected] of [
    [{}, { outcome: 'succeeded' }],
    [{ c_total: '25.9' }, { outcome: 'succeeded' }],
    [{ c_total: '25.9000' }, { outcome: 'succeeded' }],
    [{ c_extra: 'fee=0.35' }, { outcome: 'succeeded' }],
    [{ c_state: 'pending' }, { outcome: 'pending' }],
    [{ c_state: 'usercancel' }, { outcome: 'pending' }],
    [{ c_state: 'lapsed' }, { outcome: 'pending' }],
    [{ c_state: 'settled' }, { outcome: 'pending', unknownStatus: 'settled' }],
    [{ c_state: 'SUCCESS' }, { outcome: 'pending', unknownStatus: 'SUCCESS' }],
    [{ c_state: 'failure' }, { outcome: 'failed', decline: '05' }],
    [
      { c_state: 'failure', c_msg: 'No' },
      { outcome: 'failed', decline: '05', declineText: 'No' },
    ],
    [
      { c_state: 'failure', c_why: 'do_not_honour' },
      { outcome: 'failed', decline: '05' },
    ],
    [
      { c_state: 'failure', c_why: 'no_funds', c_msg: 'Poor' },
      { outcome: 'failed', decline: '51', declineText: 'Poor' },
    ],
    [
      { c_state: 'failure', c_why: 'card_expired' },
      { outcome: 'failed', decline: '54' },
    ],
    [
      { c_state: 'failure', c_why: 'not_allowed' },
      { outcome: 'failed', decline: '57' },
    ],
    [
      { c_state: 'failure', c_why: 'over_limit' },
      { outcome: 'failed', decline: '61' },
    ],
    [
      { c_state: 'failure', c_why: 'moon', c_msg: 'Full' },
      { outcome: 'failed', decline: '05', declineText: 'Full', unknownStatus: 'moon' },
    ],
    [
      { c_state: 'failure', c_why: 'auth_failed' },
      { outcome: 'failed', decline: '05', threeDsResult: 'N' },
    ],
    [
      { c_state: 'failure', c_why: 'auth_failed', c_auth: 'U', c_msg: 'Away' },
      { outcome: 'failed', decline: '05', threeDsResult: 'U', declineText: 'Away', acsResponse: 'Away' },
    ],
    [
      { c_state: 'failure', c_why: 'auth_failed', c_auth: 'R' },
      { outcome: 'failed', decline: '05', threeDsResult: 'R' },
    ],
    [
      { c_state: 'failure', c_why: 'auth_failed', c_auth: 'Q' },
      { outcome: 'failed', decline: '05', threeDsResult: 'N' },
    ],
    [
      { c_state: 'failure', c_why: 'no_funds', c_auth: 'N' },
      { outcome: 'failed', decline: '51' },
    ],
  ] as const) {
    it(`reads ${JSON.stringify(changes)} as ${expected.outcome}`, async () => {
      expect(await outcomeOf(answer(changes))).to.deep.equal({ ...expected, providerReference });
    });
  }

  it('accepts the previous salt', async () => {
    expect(await outcomeOf(formReply(200, withHash(paid, 'c-salt-open-previous-77')))).to.include({
      outcome: 'succeeded',
    });
  });

  for (const [name, given] of unreadable) {
    it(`treats ${name} as unknown`, async () => {
      const result = await outcomeOf(given);
      expect(result.outcome).to.equal('unknown');
      expect(result).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [status, word, isOurFault] of [
    [400, 'bad_field', false],
    [401, 'bad_hash', true],
    [401, 'bad_key', true],
    [429, 'slow_down', false],
    [500, 'not_started', false],
    [503, 'closed', false],
  ] as const) {
    it(`treats ${status} ${word} as failed, nothing charged`, async () => {
      const result = await outcomeOf(error(status, word));
      expect(result).to.include({ outcome: 'failed', nothingCharged: true }).and.not.to.have.property('decline');
      expect('misconfigured' in result).to.equal(isOurFault);
    });
  }

  it('treats 422 not_payable as decline 57', async () => {
    expect(await outcomeOf(error(422, 'not_payable'))).to.deep.equal({
      outcome: 'failed',
      decline: '57',
      declineText: 'for people',
    });
  });
});

describe('a refusal of a field', () => {
  it('is about the body, because C names no field', async () => {
    const outcome = await harness.submit(error(400, 'bad_field'));
    expect(outcome).to.include({ nothingCharged: true, refusedField: 'body' });
  });
});
