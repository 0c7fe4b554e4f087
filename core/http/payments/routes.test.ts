// cspell:ignoreRegExp /[^\x00-\x7f]\S*|m(?=ü)\S*/g
/** Tests what the paying endpoints pass to the payments service. */
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { GatewayError } from '../../base/errors.ts';
import { cardBody, endpoints, orderBody, payerBody } from '../testing/bodies.ts';
import { fieldOf, startGateway } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';

const caller = { ownerId: 7, environment: 'test', requestId: 'r' } as const;
const noOrder = { referenceId: null, notifyUrl: null, successUrl: null, failureUrl: null, originDomain: null };

describe('the payments API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => {
    gateway.reset();
  });
  after(() => gateway.server.close(1000));

  it('passes on code, order and payer of a host-to-host call as sent', async () => {
    const browserInfo = { userAgent: 'x', javaEnabled: false, strange: 1 };
    const order = { ...orderBody, referenceId: 'r-1', notifyUrl: 'https://shop.example/n', successUrl: null };
    const extras = { captureDelayHours: 7, is3ds: true, isSandbox: false, ipAddress: '::1', wallet: { eci: '05' } };
    const body = { ...cardBody, ...order, ...extras, browserInfo };
    await gateway.send('/payments/h2h/11?transaction3dsId=x', { body, headers: { 'X-Request-Id': 'r' } });
    const [code, given, input] = gateway.askedOnly('payH2h');
    expect(gateway.calls[0]!.args[0]).to.include(caller);
    expect(code).to.equal(11);
    expect(given).to.deep.equal({
      ...noOrder,
      amount: '25.9',
      unit: 'EUR',
      referenceId: 'r-1',
      notifyUrl: order.notifyUrl,
    });
    expect(input).to.deep.include({
      kind: 'card',
      payer: { ...payerBody, ipAddress: '::1' },
      card: { number: cardBody.number, expiration: '12/30', expiryMonth: '12', expiryYear: '2030', cvv: '737' },
      browserInfo: { userAgent: 'x', javaEnabled: false },
      wallet: { eci: '05' },
      captureDelayHours: 7,
      is3ds: true,
      isSandbox: false,
    });
    expect(Object.keys((input as { body: object }).body)).to.have.members(Object.keys(body));
  });

  it('masks the card of the request in every other field, with a warning, also if the payment fails', async () => {
    gateway.answers.payments = {
      payH2h: async () => {
        throw new GatewayError('CARD_DECLINED', 'declined', { details: { declineCode: '05', declineReason: 'no' } });
      },
    };
    const { number } = cardBody;
    const body = { ...cardBody, ...orderBody, referenceId: `r-${number}`, name: `Zoe ${number}` };
    const { status, headers } = await gateway.send('/payments/h2h/11', { body });
    expect(status).to.equal(400);
    expect(headers.get('X-Gateway-Warning'))
      .to.include('name contained a card number')
      .and.include('referenceId contained');
    const [, order, input] = gateway.askedOnly('payH2h') as [
      number,
      { referenceId: string },
      { payer: { name: string } },
    ];
    const masked = `${number.slice(0, 6)}…${number.slice(-4)}`;
    expect([order.referenceId, input.payer.name]).to.deep.equal([`r-${masked}`, `Zoe ${masked}`]);
  });

  it('reads each input kind with its own form, without members that were not sent', async () => {
    for (const [code, kind, member] of [
      [27, 'billing', {}],
      [51, 'token', { token: 'tok_marker_51' }],
      [31, 'upi', { upiId: 'marker.user@upi' }],
    ] as const) {
      gateway.reset();
      const { body } = { body: endpoints[`/payments/h2h/${code}`] };
      await gateway.send(`/payments/h2h/${code}`, { body: { ...body, is3ds: false, card: 1, cvv: null } });
      const { body: _, ...input } = gateway.askedOnly('payH2h')[2] as Record<string, unknown>;
      expect(input).to.deep.equal({ kind, payer: { ...payerBody, ipAddress: null }, is3ds: false, ...member });
    }
  });

  it('passes the input whose member is in the body to a provider of several inputs', async () => {
    for (const [member, kind] of [
      [cardBody, 'card'],
      [{ token: 'tok_marker_58' }, 'token'],
      [{}, 'billing'],
    ] as const) {
      gateway.reset();
      await gateway.send('/payments/h2h/58', { body: { ...payerBody, ...orderBody, ...member } });
      expect(gateway.askedOnly('payH2h')[2]).to.include({ kind });
    }
    gateway.reset();
    const wrong = gateway.send('/payments/h2h/58', { body: { ...payerBody, ...orderBody, number: '' } });
    expect(await fieldOf(wrong)).to.deep.equal(['VAL001', undefined]);
    expect(gateway.calls).to.deep.equal([]);
  });

  it('pays the payment request of the path by card or UPI, and resumes it with transaction3dsId', async () => {
    await gateway.send('/payments/creditCard/10042', { body: cardBody });
    await gateway.send('/payments/upi/10043', { body: endpoints['/payments/upi/10042'] });
    await gateway.send('/payments/creditCard/10044?transaction3dsId=5f6b%201', { body: cardBody });
    expect(gateway.calls.map(({ name, args }) => [name, args[1]])).to.deep.equal([
      ['pay', 10042],
      ['pay', 10043],
      ['resume', 10044],
    ]);
    expect(gateway.calls[2]!.args[2]).to.equal('5f6b 1');
    const body = { ...cardBody, providerAccount: 'acme/shop' };
    const headers = { Accept: 'application/json' };
    const resumed = await gateway.send('/payments/creditCard/10044?transaction3dsId=a', { body, headers });
    expect(resumed.json['warnings']).to.deep.equal([
      { field: 'providerAccount', message: 'is ignored: the attempt keeps its account' },
    ]);
    expect(JSON.stringify(gateway.calls.at(-1)!.args)).to.not.contain('acme/shop');
    const twice = gateway.send('/payments/creditCard/10044?transaction3dsId=a&transaction3dsId=b', { body: cardBody });
    expect(await fieldOf(twice)).to.deep.equal(['VAL002', 'transaction3dsId']);
  });

  it('accepts a month that is not past, in every spelling that means only one month', async () => {
    for (const [expiration, code] of [
      ['11/26', undefined],
      ['10/26', 'PAY002'],
      ['12/25', 'PAY002'],
      ['13/30', 'PAY002'],
      ['00/30', 'PAY002'],
      ['112', 'PAY002'],
      ['2030', 'PAY002'],
      ['1/30', undefined],
      ['12/2030', undefined],
      ['12-30', undefined],
      ['2030-12', undefined],
      ['١٢/٣٠', undefined],
    ] as const) {
      const { problem } = await gateway.send('/payments/creditCard/1', { body: { ...cardBody, expiration } });
      expect(problem.code, expiration).to.equal(code);
    }
  });

  it('passes on number, month and code of a card in the digits 0–9', async () => {
    const typed = { number: '٤١١١١١١١١١١١١١١١', expiration: '2030-01', cvv: '७३७' };
    const { status } = await gateway.send('/payments/creditCard/1', { body: { ...cardBody, ...typed } });
    expect(status).to.equal(200);
    const [, input] = gateway.askedOnly('pay') as [number, { card: object }];
    expect(input.card).to.deep.equal({
      number: '4111111111111111',
      expiration: '01/30',
      expiryMonth: '01',
      expiryYear: '2030',
      cvv: '737',
    });
  });

  it('accepts a card until its month is over in the last time zone on earth', async () => {
    for (const [at, code] of [
      ['2026-12-01T03:00:00Z', undefined],
      ['2026-12-01T11:59:59Z', undefined],
      ['2026-12-01T12:00:00Z', 'PAY002'],
    ] as const) {
      const later = await startGateway({ deps: { now: () => new Date(at) } });
      const { problem } = await later.send('/payments/creditCard/1', { body: { ...cardBody, expiration: '11/26' } });
      await later.server.close(0);
      expect(problem.code, at).to.equal(code);
    }
  });

  it('accepts e-mail addresses with a domain in any script', async () => {
    for (const [email, code] of [
      ['संपर्क@डाटामेल.भारत', undefined],
      ['info@münchen.example', undefined],
      ['user@a..b', 'VAL002'],
      ['user@', 'VAL002'],
    ] as const) {
      const { problem } = await gateway.send('/payments/creditCard/1', { body: { ...cardBody, email } });
      expect(problem.code, email).to.equal(code);
    }
  });

  it('warns of an ipAddress and browser data that cannot be read, and pays', async () => {
    const browserInfo = {
      acceptHeader: '*/*',
      userAgent: 'x',
      language: '*',
      colorDepth: '30',
      screenHeight: '731',
      screenWidth: '411.4285',
      timezone: 'CET',
    };
    const warned = async (more: object): Promise<unknown> => {
      const reply = await gateway.send('/payments/h2h/11', {
        body: { ...cardBody, ...orderBody, ...more },
        headers: { Accept: 'application/json' },
      });
      expect(reply.status).to.equal(200);
      return (reply.json['warnings'] as { field: string }[] | undefined)?.map(({ field }) => field);
    };
    for (const ipAddress of ['', 'unknown', '203.0.113'])
      expect(await warned({ ipAddress })).to.deep.equal(['ipAddress']);
    for (const ipAddress of [null, '203.0.113.9, 10.0.0.4', '203.0.113.9:5555', 'fe80::1%eth0'])
      expect(await warned({ ipAddress }), String(ipAddress)).to.equal(undefined);
    expect(await warned({ browserInfo })).to.deep.equal([
      'browserInfo.language',
      'browserInfo.timezone',
      'browserInfo',
    ]);
    expect(await warned({ browserInfo: { ...browserInfo, language: 'de-DE', timezone: '-60' } })).to.equal(undefined);
  });

  it('passes on the payer’s browser for every input, and warns of missing members only for cards', async () => {
    const browserInfo = { userAgent: 'iPhone', screenWidth: '390' };
    for (const [path, body] of Object.entries(endpoints).filter(([path]) => /h2h|creditCard|upi/.test(path))) {
      gateway.reset();
      const reply = await gateway.send(path, {
        body: { ...body, browserInfo },
        headers: { Accept: 'application/json' },
      });
      const args = gateway.calls[0]?.args ?? [];
      const input = args.find((one) => typeof one === 'object' && one !== null && 'payer' in one);
      expect(input, path).to.deep.include({ browserInfo });
      const isCard = 'number' in body || 'token' in body;
      expect(
        (reply.json['warnings'] as { field: string }[] | undefined)?.map(({ field }) => field),
        path,
      ).to.deep.equal(isCard ? ['browserInfo'] : undefined);
      const wrong = gateway.send(path, { body: { ...body, browserInfo: 'iPhone' } });
      expect(await fieldOf(wrong), path).to.deep.equal(['VAL002', 'browserInfo']);
    }
  });

  it('masks a card number that was typed with the digits of another script', async () => {
    const body = { ...cardBody, ...orderBody, name: 'Zoe ٤١١١ ١١١١ ١١١١ ١١١١', city: '४२४२४२४२४२४२४२४२' };
    await gateway.send('/payments/h2h/11', { body });
    const [, , input] = gateway.askedOnly('payH2h') as [number, object, { payer: object }];
    expect(input.payer).to.include({ name: 'Zoe 411111…1111', city: '424242…4242' });
  });

  it('accepts an upiId of the form username@bankcode', async () => {
    for (const [upiId, code] of [
      ['success@upi', undefined],
      ['Jo.do-e_1@ok-bank', undefined],
      ['success', 'UPI001'],
      ['@upi', 'UPI001'],
      ['a@', 'UPI001'],
      ['a@b@c', 'UPI001'],
      ['a b@upi', 'UPI001'],
    ] as const) {
      const { problem } = await gateway.send('/payments/upi/1', {
        body: { ...endpoints['/payments/upi/10042'], upiId },
      });
      expect(problem.code, upiId).to.equal(code);
    }
  });

  it('passes a member code to the payment request of the path', async () => {
    await gateway.send('/payments/cardMemberConfirm/10042', { body: { paymentId: 'A-1', code: '0123' } });
    expect(gateway.askedOnly('confirm')).to.deep.equal([10042, 'A-1', '0123']);
  });

  it('reads a member code in groups and in any digits, and refuses blanks', async () => {
    for (const code of ['246 810', '٢٤٦٨١٠', ' 246810 ']) {
      gateway.reset();
      await gateway.send('/payments/cardMemberConfirm/10042', { body: { paymentId: 'A-1', code } });
      expect(gateway.askedOnly('confirm')).to.deep.equal([10042, 'A-1', '246810']);
    }
    gateway.reset();
    const { problem } = await gateway.send('/payments/cardMemberConfirm/10042', {
      body: { paymentId: 'A-1', code: ' ' },
    });
    expect([problem.code, problem.details['field'], gateway.calls]).to.deep.equal(['PAY002', 'code', []]);
  });
});
