import { expect } from 'chai';
import { describe, it } from 'mocha';
import { declineOf, errorAnswers, fieldNamed, type HttpReply, type Outcome } from '../../index.ts';

const textOf = ({ body }: HttpReply): string => Buffer.from(body).toString();
const reply = (status: number, code = ''): HttpReply => ({ status, headers: [], body: Buffer.from(code) });

const errors = errorAnswers({
  provider: 'Acme',
  codeOf: (answer) => textOf(answer) || undefined,
  nothingCharged: ['400 form', '500 closed'],
  misconfigured: { '401 key': 'apiKey' },
  saysMisconfigured: (answer) => (textOf(answer).startsWith('account') ? 'the account' : undefined),
  saysNothingCharged: (answer) => answer.status === 503 && textOf(answer).startsWith('not begun'),
  refusedField: ({ status }, code) =>
    status === 422 ? ({ zip: 'postalCode', data: 'body' } as const)[code] : undefined,
  declined: ({ status }, code) => (status === 402 && code ? declineOf({ poor: '51' }, code) : undefined),
  refundRefused: ['409 too much'],
});

describe('error answers', () => {
  it('are named by status and code', () => {
    expect(errors.read(reply(400, 'form'))).to.deep.equal({ code: 'form', named: 'Acme answered 400 form' });
    expect(errors.read(reply(502))).to.deep.equal({ code: '', named: 'Acme answered 502' });
  });

  for (const [status, code, expected] of [
    [400, 'form', { outcome: 'failed', nothingCharged: true, reason: 'Acme answered 400 form' }],
    [500, 'closed', { outcome: 'failed', nothingCharged: true, reason: 'Acme answered 500 closed' }],
    [429, 'whatever', { outcome: 'failed', nothingCharged: true, reason: 'Acme answered 429 whatever' }],
    [429, '', { outcome: 'failed', nothingCharged: true, reason: 'Acme answered 429' }],
    [503, 'not begun', { outcome: 'failed', nothingCharged: true, reason: 'Acme answered 503 not begun' }],
    [
      401,
      'key',
      { outcome: 'failed', nothingCharged: true, misconfigured: true, reason: 'Acme answered 401 key: check apiKey' },
    ],
    [
      500,
      'account 7',
      {
        outcome: 'failed',
        nothingCharged: true,
        misconfigured: true,
        reason: 'Acme answered 500 account 7: check the account',
      },
    ],
    [400, '', { outcome: 'unknown', reason: 'Acme answered 400' }],
    [500, 'form', { outcome: 'unknown', reason: 'Acme answered 500 form' }],
    [503, 'begun', { outcome: 'unknown', reason: 'Acme answered 503 begun' }],
    [401, 'constructor', { outcome: 'unknown', reason: 'Acme answered 401 constructor' }],
  ] as readonly (readonly [number, string, Outcome])[]) {
    it(`count ${status} ${code} as ${expected.outcome}`, () => {
      expect(errors.toOutcome(reply(status, code))).to.deep.equal(expected);
    });
  }

  it('decline a payment, and mean for a refund that nothing was given back', () => {
    expect(errors.toOutcome(reply(402, 'poor'))).to.deep.equal({ outcome: 'failed', decline: '51' });
    expect(errors.toRefundOutcome(reply(402, 'poor'))).to.deep.equal({
      outcome: 'failed',
      nothingCharged: true,
      reason: 'Acme answered 402 poor',
    });
    expect(errors.toOutcome(reply(402))).to.deep.equal({ outcome: 'unknown', reason: 'Acme answered 402' });
    expect(errors.toRefundOutcome(reply(402))).to.deep.equal({ outcome: 'unknown', reason: 'Acme answered 402' });
  });

  it('name the field that the provider refuses', () => {
    const reason = 'Acme answered 422 zip';
    const refusal = { outcome: 'failed', nothingCharged: true, refusedField: 'postalCode', reason };
    expect(errors.toOutcome(reply(422, 'zip'))).to.deep.equal(refusal);
    expect(errors.toOutcome(reply(422, 'data'))).to.include({ nothingCharged: true, refusedField: 'body' });
    expect(errors.toOutcome(reply(422, 'other'))).to.deep.equal({
      outcome: 'unknown',
      reason: 'Acme answered 422 other',
    });
    expect(errors.toRefundOutcome(reply(422, 'zip'))).to.deep.equal(refusal);
  });

  it('are our configuration’s fault before they are about a field', () => {
    const own = errorAnswers({
      provider: 'Acme',
      codeOf: textOf,
      nothingCharged: [],
      misconfigured: { '422 shop': 'shop' },
      refusedField: () => 'body',
    });
    expect(own.toOutcome(reply(422, 'shop')))
      .to.include({ misconfigured: true })
      .and.not.have.property('refusedField');
  });

  it('say nothing about a payment if they refuse only refunds', () => {
    expect(errors.toRefundOutcome(reply(409, 'too much'))).to.include({ outcome: 'failed', nothingCharged: true });
    expect(errors.toOutcome(reply(409, 'too much'))).to.deep.equal({
      outcome: 'unknown',
      reason: 'Acme answered 409 too much',
    });
  });

  it('mean the same to a refund otherwise', () => {
    for (const answer of [reply(400, 'form'), reply(401, 'key'), reply(429), reply(503, 'begun'), reply(502)]) {
      expect(errors.toRefundOutcome(answer)).to.deep.equal(errors.toOutcome(answer));
    }
  });

  it('say with 429 that nothing was charged only for the listed codes, if any is listed', () => {
    const narrow = errorAnswers({
      provider: 'Acme',
      codeOf: (answer) => textOf(answer) || undefined,
      nothingCharged: ['429 slow'],
      misconfigured: {},
    });
    expect(narrow.toOutcome(reply(429, 'slow'))).to.include({ outcome: 'failed', nothingCharged: true });
    expect(narrow.toOutcome(reply(429))).to.deep.equal({ outcome: 'unknown', reason: 'Acme answered 429' });
  });
});

describe('fieldNamed', () => {
  const names = { mail: 'email', number: 'number', 'payer.number': 'phoneNumber' } as const;
  for (const [path, expected] of [
    ['mail', 'email'],
    ['payer.mail', 'email'],
    ['card[number]', 'number'],
    ['payer.number', 'phoneNumber'],
    ['/payer/mail', 'email'],
    ['constructor', undefined],
    ['', undefined],
  ] as const) {
    it(`reads ${path || 'nothing'} as ${expected ?? 'no field'}`, () => {
      expect(fieldNamed(names, path)).to.equal(expected);
    });
  }
});
