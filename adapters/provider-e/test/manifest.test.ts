import { v, type DeclineCode } from '@gateway/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import { Options } from '../options.ts';
import { options } from './helpers.ts';

describe('the bounds of E', () => {
  const issueOf = (body: Readonly<Record<string, unknown>>): string | null | undefined => {
    const { issues } = v.safeParse(providerE.manifest.bounds!, body);
    expect(JSON.stringify(issues ?? '')).not.to.contain('4111');
    return issues && v.getDotPath(issues[0]);
  };

  it('takes captures that wait and payments that leave 3D Secure open', () => {
    const good = { amount: 25.9, unit: 'EUR', number: '4111111111111111', captureDelayHours: 7 };
    for (const is3ds of [undefined, false, null]) expect(issueOf({ ...good, is3ds })).to.equal(undefined);
    expect(issueOf({ amount: '9999999999999999.99', unit: 'EUR' })).to.equal(undefined);
    expect(issueOf({})).to.equal(undefined);
  });

  for (const [name, body] of [
    ['is3ds', { is3ds: true }],
    ['wallet', { wallet: { xid: 'x' } }],
    ['amount', { amount: '10000000000000000', unit: 'EUR', number: '4111' }],
    ['amount', { amount: '1000000000000000', unit: 'KWD' }],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(body)}`, () => expect(issueOf(body)).to.equal(name));
  }

  it('says why without repeating a value, for such words are not shown', () => {
    const { issues } = v.safeParse(providerE.manifest.bounds!, { is3ds: true, wallet: {} });
    expect(issues?.map(({ message }) => message)).to.deep.equal([
      'cannot be demanded: Provider E has no 3D Secure',
      'must be left out: Provider E takes no wallets',
    ]);
    expect(issues?.some(({ message, received }) => message.includes(received))).to.equal(false);
  });
});

describe('the options of E', () => {
  it('leaves flow to `auto` where it is not named', () => {
    const { flow: _, ...rest } = options;
    expect(v.parse(Options, rest).flow).to.equal('auto');
  });

  const secret = Buffer.alloc(31, 7).toString('base64');
  for (const [name, value] of [
    ['account', 'GW'],
    ['account', 'gwshop'],
    ['account', 'G'.repeat(33)],
    ['apiUser', 'gw:api'],
    ['apiUser', ''],
    ['apiPassword', ''],
    ['noticeUser', 'gw:notice'],
    ['noticeUser', ''],
    ['noticePasswords', []],
    ['noticePasswords', ['']],
    ['noticePasswords', ['a', 'b', 'c', 'd']],
    ['h2hKeys', []],
    ['h2hKeys', [{ kid: 'k1', secret }]],
    ['h2hKeys', [{ kid: 'k1', secret: 'x'.repeat(44) + '!' }]],
    ['h2hKeys', [{ kid: '', secret: options.h2hKeys[0]!.secret }]],
    ['h2hKeys', [{ kid: 'k1', secret: options.h2hKeys[0]!.secret, more: 1 }]],
    ['h2hKeys', Array.from({ length: 5 }, () => options.h2hKeys[0])],
    ['flow', 'both'],
    ['extra', 1],
  ] as const) {
    it(`refuses ${name} ${JSON.stringify(value).slice(0, 30)}`, () => {
      const { issues } = v.safeParse(Options, { ...options, [name]: value });
      expect(issues && v.getDotPath(issues[0])).to.match(new RegExp(`^${name}`));
    });
  }
});

describe('the decline words of E', () => {
  it('lists those of both interfaces', () => {
    const declines = {
      GENERAL: '05',
      FUNDS: '51',
      CARD_EXPIRED: '54',
      NOT_PERMITTED: '57',
      LIMIT: '61',
      WRONG_CODE: '05',
      '4005': '05',
      '4051': '51',
      '4054': '54',
      '4057': '57',
      '4061': '61',
      '4055': '05',
    } satisfies Record<string, DeclineCode>;
    expect(providerE.manifest.declines).to.deep.equal(declines);
  });
});

describe('the words of E', () => {
  const status = (kind: 'payment' | 'refund' | 'chargeback', word: string, from?: string): string =>
    providerE.mapStatus({
      kind,
      word,
      reference: null,
      providerReference: null,
      amount: null,
      currency: null,
      dedupeKey: null,
      ...(from ? { facts: { from } } : {}),
    });

  it('count only for what they are about, and in their own interface', () => {
    expect([status('payment', 'CAPTURED'), status('refund', 'CAPTURED')]).to.deep.equal(['succeeded', 'unknown']);
    expect([status('payment', 'REFUNDED'), status('chargeback', 'refund/0000')]).to.deep.equal(['unknown', 'unknown']);
    expect([status('payment', 'sale/2999'), status('refund', 'sale/2999')]).to.deep.equal(['pending', 'unknown']);
    expect([status('payment', 'sale/0000'), status('payment', 'sale/0000', 'xml')]).to.deep.equal([
      'succeeded',
      'unknown',
    ]);
  });
});
