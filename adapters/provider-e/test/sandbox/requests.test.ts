import { basicAuthorization, type HttpReply, type Outcome, type Submission } from '@paywright/contract';
import { realHttp, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerE from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { readJsonFault, readXmlFault } from '../../wire.ts';
import { harness, claimsOf, h2hSubmission, tokenOf, xmlSubmission, type Claims } from '../messages.ts';

const { options } = harness;

let trip: RoundTrip<Options>;
beforeEach(async () => {
  trip = await startRoundTrip({ adapter: providerE, createSandbox, options, delayMs: 8 });
});
afterEach(() => trip.close());

const textOf = ({ body }: HttpReply): string => Buffer.from(body).toString();

describe('an XML order at the sandbox', () => {
  const body = `<?xml version='1.0'?>
<submit acct="GWSHOP"><order capture="0" code="GW-1-1" new="1"><later/>
<address country="DE" postal="1" state="" city="" street=""/><payer phone="" email="" name=""/>
<card cvv="123" year="2031" month="01" number="4111111111111111"/><sum exp="2" cur="EUR" value="2590"/></order></submit>`;
  const authorization = basicAuthorization('gw-api', 'p:ss wörd');

  /** `400 BAD_REQUEST`, or only the status. */
  async function post(sent: string, headers: Readonly<Record<string, string>>, path = '/orders'): Promise<string> {
    const reply = await realHttp(trip.sandboxUrl).send({ method: 'POST', path, headers, body: sent });
    const fault = readXmlFault(reply);
    expect(fault?.begun ?? 'no').to.equal('no');
    return `${reply.status} ${fault?.code ?? ''}`.trim();
  }
  const known = { Authorization: authorization };

  it('has any prefix, order and unknown member, and is marked as a repetition the second time', async () => {
    expect(await post(body, known)).to.equal('200');
    const again = await realHttp(trip.sandboxUrl).send({ method: 'POST', path: '/orders', headers: known, body });
    expect(textOf(again)).to.match(/^<pay:reply .*replayed="yes"><result kind="CAPTURED" seq="1" at="[^"]*Z">/);
  });

  for (const [name, expected, change, headers] of [
    ['no password', '401 ACCESS', (text: string) => text, {}],
    ['another password', '401 ACCESS', (text: string) => text, { Authorization: basicAuthorization('gw-api', 'x') }],
    [
      'the password of notices',
      '401 ACCESS',
      (text: string) => text,
      { Authorization: basicAuthorization('gw-notice', 'N0tice:current') },
    ],
    ['another account', '401 ACCESS', (text: string) => text.replace('GWSHOP', 'OTHER'), known],
    ['no account', '400 BAD_REQUEST', (text: string) => text.replace('acct=', 'a='), known],
    ['no XML', '400 BAD_REQUEST', () => '{}', known],
    ['another root', '400 BAD_REQUEST', (text: string) => text.replaceAll('submit', 'refund'), known],
    ['two orders', '400 BAD_REQUEST', (text: string) => text.replace('<order', '<order/><order'), known],
    ...[
      'code',
      'capture',
      'value',
      'cur',
      'exp',
      'number',
      'month',
      'year',
      'cvv',
      'name',
      'email',
      'phone',
      'street',
      'city',
      'state',
      'postal',
      'country',
    ].map(
      (name) =>
        [
          `no ${name}`,
          '400 BAD_REQUEST',
          (text: string) => text.replace(new RegExp(` ${name}=`), ` x-${name}=`),
          known,
        ] as const,
    ),
    ['no card', '400 BAD_REQUEST', (text: string) => text.replace(/<card.*?>/, ''), known],
    [
      'an exponent that differs from ISO 4217',
      '400 BAD_REQUEST',
      (text: string) => text.replace('exp="2"', 'exp="3"'),
      known,
    ],
    ['a wrong card number', '400 BAD_REQUEST', (text: string) => text.replace('1111"', '1112"'), known],
    ['an unknown currency', '422 NOT_POSSIBLE', (text: string) => text.replace('EUR', 'QQQ'), known],
  ] as const) {
    it(`gets ${expected} for ${name}`, async () => {
      expect(await post(change(body), headers)).to.equal(expected);
    });
  }

  it('is protected: a status request needs the password and the order', async () => {
    await post(body, known);
    const get = async (path: string, headers = known): Promise<string> => {
      const reply = await realHttp(trip.sandboxUrl).send({ method: 'GET', path, headers });
      return `${reply.status} ${readXmlFault(reply)?.code ?? ''}`.trim();
    };
    expect(await get('/orders/GW-1-1?acct=GWSHOP')).to.equal('200');
    expect(await get('/orders/GW-1-1?acct=OTHER')).to.equal('401 ACCESS');
    expect(await get('/orders/GW-1-1')).to.equal('400 BAD_REQUEST');
    expect(await get('/orders/GW-2-1?acct=GWSHOP')).to.equal('404 NO_ORDER');
    expect(await get('/orders/GW-1-1?acct=GWSHOP', { Authorization: 'Basic eA==' })).to.equal('401 ACCESS');
  });

  it('is refunded only at its own address', async () => {
    await post(body, known);
    const refund =
      '<refund acct="GWSHOP"><order code="GW-1-1" refund="R1"><sum value="1" cur="EUR" exp="2"/></order></refund>';
    expect(await post(refund, known, '/orders/GW-2-1/refunds')).to.equal('400 BAD_REQUEST');
    expect(await post(refund.replace('EUR', 'USD'), known, '/orders/GW-1-1/refunds')).to.equal('422 NOT_POSSIBLE');
    expect(await post(refund.replace('refund="R1"', ''), known, '/orders/GW-1-1/refunds')).to.equal('400 BAD_REQUEST');
    expect(await post(refund, known, '/orders/GW-1-1/refunds')).to.equal('200');
  });
});

describe('a token at the sandbox', () => {
  const payer = '{"name":"","email":"","phone":"","ip":null}';
  const addr = '{"street":"","city":"","state":"","zip":"","country":"DE"}';
  const card = '{"no":"4111111111111111","exp":"0131","cvv":"123"}';
  const fresh = (): string => String(Math.floor(Date.now() / 1000));
  const payment = (changes: Claims = {}): string =>
    claimsOf({
      tranRef: undefined,
      orig: undefined,
      op: undefined,
      rc: undefined,
      why: undefined,
      inv: '"GW-1-1"',
      card,
      payer,
      addr,
      delay: '0',
      iat: fresh(),
      ...changes,
    });

  async function post(sent: string, path = '/h2h/payments'): Promise<string> {
    const reply = await realHttp(trip.sandboxUrl).send({ method: 'POST', path, body: sent });
    return `${reply.status} ${readJsonFault(reply)?.code ?? ''}`.trim();
  }
  const [k1, k0] = options.h2hKeys;

  it('is answered with the key of the request', async () => {
    const body = tokenOf(payment(), '{"alg":"HS256","kid":"k0"}', [k0!]);
    const reply = await realHttp(trip.sandboxUrl).send({ method: 'POST', path: '/h2h/payments', body });
    const { token } = JSON.parse(textOf(reply)) as { token: string };
    expect(Buffer.from(token.split('.')[0]!, 'base64url').toString()).to.equal(
      '{"alg":"HS256","kid":"k0","typ":"JWT"}',
    );
  });

  for (const [name, expected, make] of [
    ['no token', '400 BAD_REQUEST', () => '{}'],
    ['a wrong MAC', '401 ACCESS', () => tokenOf(payment(), undefined, [{ ...k1!, secret: k0!.secret }])],
    ['another account', '401 ACCESS', () => tokenOf(payment({ acct: '"OTHER"' }))],
    ['a stale token', '401 ACCESS', () => tokenOf(payment({ iat: '1' }))],
    ...['inv', 'sum', 'cur', 'card', 'payer', 'addr', 'delay', 'iat'].map(
      (name) => [`no ${name}`, '400 BAD_REQUEST', () => tokenOf(payment({ [name]: undefined }))] as const,
    ),
    ['no ip', '400 BAD_REQUEST', () => tokenOf(payment({ payer: payer.replace(',"ip":null', '') }))],
    ['a wrong card number', '400 BAD_REQUEST', () => tokenOf(payment({ card: card.replace('1111"', '1112"') }))],
    ['an amount as a string', '400 BAD_REQUEST', () => tokenOf(payment({ sum: '"25.90"' }))],
    ['an amount that the currency cannot express', '400 BAD_REQUEST', () => tokenOf(payment({ sum: '25.905' }))],
    ['an unknown currency', '422 NOT_POSSIBLE', () => tokenOf(payment({ cur: '"QQQ"' }))],
  ] as const) {
    it(`gets ${expected} for ${name}`, async () => expect(await post(make())).to.equal(expected));
  }

  it('finds no payment by a wrong number', async () => {
    await post(tokenOf(payment()));
    const about = {
      sum: undefined,
      cur: undefined,
      card: undefined,
      payer: undefined,
      addr: undefined,
      delay: undefined,
    };
    const ask = (changes: Claims): string => tokenOf(payment({ ...about, ...changes }));
    expect(await post(ask({}), '/h2h/status')).to.equal('200');
    expect(await post(ask({ inv: '"GW-2-1"' }), '/h2h/status')).to.equal('404 NO_ORDER');
    expect(await post(ask({ tranRef: '7', code: '"246810"' }), '/h2h/confirm')).to.equal('404 NO_ORDER');
    expect(await post(ask({ tranRef: '7', refund: '"R1"', sum: '1', cur: '"EUR"' }), '/h2h/refund')).to.equal(
      '404 NO_ORDER',
    );
  });
});

describe('the member code at the sandbox', () => {
  const card = { ...h2hSubmission.card, number: '4000000000003246' };
  const given: Submission<'card'> = { ...h2hSubmission, card };
  const enter = (outcome: Outcome, code: string, payment = given): Promise<Outcome> =>
    providerE.complete!(trip.toStored(payment, outcome), { kind: 'code', code }, trip.provider);

  it('is awaited, shown as awaited, and not reported', async () => {
    const outcome = await trip.submit(given);
    const paymentId = outcome.providerReference!;
    const action = { type: 'confirm', paymentId } as const;
    expect(outcome).to.deep.equal({ outcome: 'pending', providerReference: paymentId, action });
    const { action: _, ...lost } = trip.toStored(given, outcome);
    const report = await trip.fetchStatus(lost);
    expect(report.result === 'events' && report.events[0]).to.deep.include({ providerStatus: 'sale/2001', action });
    expect(trip.deliveries).to.deep.equal([]);
  });

  for (const [code, expected, reported] of [
    ['246810', { outcome: 'succeeded' }, 'sale/0000 succeeded'],
    ['000000', { outcome: 'failed', decline: '05', declineText: 'wrong code' }, 'sale/4055 failed'],
  ] as const) {
    it(`gets ${expected.outcome} for ${code}, permanently`, async () => {
      const outcome = await trip.submit(given);
      const { providerReference } = outcome;
      expect(await enter(outcome, code)).to.deep.equal({ ...expected, providerReference });
      await trip.until(() => trip.reported().length === 1);
      expect(trip.reported()).to.deep.equal([reported]);
      expect(await enter(outcome, code === '246810' ? '000000' : '246810')).to.deep.equal({
        ...expected,
        providerReference,
      });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([`${reported} 25.90`]);
    });
  }

  it('is followed by the rules of the amount', async () => {
    const misled = { ...given, money: { amount: '25.57', currency: 'EUR' }, captureDelayHours: 1 };
    const outcome = await trip.submit(misled);
    expect(await enter(outcome, '246810', misled)).to.include({ outcome: 'pending', authorised: true });
    await trip.until(() => trip.heard.length === 2);
    expect(trip.heard.map((heard) => heard.outcome)).to.deep.equal(['invalid_signature', 'accepted']);
    expect(trip.reported()).to.deep.equal(['sale/0000 succeeded']);
  });

  it('is not requested for an XML order', async () => {
    expect((await trip.submit({ ...xmlSubmission, card })).outcome).to.equal('succeeded');
  });
});
