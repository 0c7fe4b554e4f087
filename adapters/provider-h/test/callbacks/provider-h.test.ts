import { defined, stringifyExact, type AckOutcome } from '@paywright/contract';
import type { CoreSays, DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerH from '../../index.ts';
import { canonicalText, digestOf } from '../../signing.ts';
import { harness, pay, spelled, type Members } from '../messages.ts';

const { options } = harness;

interface Sent {
  readonly message?: unknown;
  /** The body, if it is not the message's plain JSON. */
  readonly body?: string | Uint8Array;
  readonly secret?: string;
  /** Makes the values of `X-H-Digest` from the right digest. */
  readonly digest?: (right: string) => readonly string[];
}

/** Delivers a signed callback; `coreSays` is what core decides once the callback is read. */
function deliver(sent: Sent, coreSays?: CoreSays): Promise<DeliveredCallback> {
  const { message = pay(), secret = options.ipnSecrets[0]!, digest = (right) => [right] } = sent;
  const { body = stringifyExact(message) } = sent;
  const right = digestOf(secret, typeof body === 'string' ? canonicalOr(body) : '').toString('hex');
  const headers = digest(right).map((value) => ['X-H-Digest', value] as const);
  return harness.deliver({ headers, body }, defined({ coreSays }));
}

/** A text without a canonical form is signed unchanged. */
function canonicalOr(body: string): string {
  try {
    return canonicalText(body);
  } catch {
    return body;
  }
}

const eventOf = async (message: Members) => (await deliver({ message })).events[0];
const coins = (n: string, coin = 'BTC') => ({ n: spelled(n), coin });
const back = (state: string, members: Members = {}) => ({
  id: 'rt118',
  state,
  n: spelled('10.00'),
  cur: 'EUR',
  ...members,
});

describe('the signature of a callback', () => {
  const verdictOf = async (sent: Sent): Promise<unknown> => (await deliver(sent)).genuine;
  const upper = (right: string): string[] => [right.toUpperCase()];

  for (const secret of options.ipnSecrets) {
    it(`accepts ${secret}`, async () => expect(await verdictOf({ secret })).to.equal(true));
  }
  it('accepts hex in upper and lower case', async () => expect(await verdictOf({ digest: upper })).to.equal(true));
  it('accepts white space, escapes and another order of members', async () => {
    const body = stringifyExact(pay()).replace('{', ' {\n"z" : "a\\/\\u00e9", ').replace('"BTC"', '"\\u0042TC"');
    expect(await verdictOf({ body })).to.equal(true);
  });

  for (const [name, sent] of [
    ['no digest', { digest: () => [] }],
    ['the digest twice', { digest: (right) => [right, right] }],
    ['an empty digest', { digest: () => [''] }],
    ['127 digits', { digest: (right) => [right.slice(1)] }],
    ['129 digits', { digest: (right) => [`${right}0`] }],
    ['no hex', { digest: (right) => [right.replace(/^./, 'g')] }],
    ['one digit changed', { digest: (right) => [right.replace(/^./, (first) => (first === '0' ? '1' : '0'))] }],
    ['the secret of our requests', { secret: options.apiSecret }],
    ['another secret', { secret: 'another' }],
    ['no digest of a body that is not JSON', { body: 'pay_no=1', digest: () => [] }],
  ] as readonly (readonly [string, Sent])[]) {
    it(`is invalid with ${name}`, async () => expect(await verdictOf(sent)).to.equal('invalid_signature'));
  }

  it('covers the spelling of every number', async () => {
    const digests: string[] = [];
    const keep = (right: string): string[] => {
      digests.push(right);
      return [right];
    };
    await deliver({ body: '{"n":25.9}', digest: keep });
    expect(await verdictOf({ body: '{"n":25.90}', digest: () => digests })).to.equal('invalid_signature');
  });

  for (const body of ['', 'pay_no=1', '{"pay_no":1,"pay_no":1}', `${'['.repeat(17)}${']'.repeat(17)}`]) {
    it(`is not checked if the body is malformed: ${body.slice(0, 24) || 'empty'}`, async () => {
      expect(await verdictOf({ body })).to.equal('malformed');
    });
  }
});

describe('the content of a callback', () => {
  for (const [phase, status] of [
    ['awaiting', 'pending'],
    ['seen', 'pending'],
    ['confirming', 'pending'],
    ['settling', 'pending'],
    ['part', 'underpaid'],
    ['done', 'succeeded'],
    ['over', 'succeeded'],
    ['late', 'late'],
    ['lapsed', 'expired'],
    ['void', 'cancelled'],
    ['bad', 'failed'],
    ['thinking', 'unknown'],
    ['constructor', 'unknown'],
    ['', 'unknown'],
  ] as const) {
    it(`reads phase "${phase}" as ${status}`, async () => {
      expect(await eventOf(pay({ phase }))).to.include({ kind: 'payment', providerStatus: phase, status });
    });
  }

  for (const [phase, asked, got, status] of [
    ['done', coins('0.00041440'), coins('0.0004144'), 'succeeded'],
    ['done', coins('1.2e-6'), coins('0.0000012'), 'succeeded'],
    ['done', coins('0.00041440'), coins('0.00041439'), 'underpaid'],
    ['done', coins('0.00041440'), coins('0.00041441'), 'overpaid'],
    ['over', coins('0.00041440'), coins('0.00041441'), 'overpaid'],
    ['over', coins('0.00041440'), coins('0.00041439'), 'underpaid'],
    ['done', coins('1.000000000000000001'), coins('1'), 'underpaid'],
    ['done', coins('1'), coins('1.000000000000000001'), 'overpaid'],
    ['done', coins('0.1'), coins('0.1', 'LTC'), 'unknown'],
    ['over', coins('0.1'), coins('9', 'LTC'), 'unknown'],
    ['late', coins('0.1'), coins('0.09'), 'underpaid'],
    ['late', coins('0.1'), coins('0.2'), 'late'],
    ['late', coins('0.1'), coins('0.2', 'LTC'), 'unknown'],
    ['part', coins('0.1'), coins('0.2'), 'underpaid'],
    ['seen', coins('0.1'), coins('0.1', 'LTC'), 'pending'],
  ] as const) {
    const [a, g] = [asked, got].map(({ n, coin }) => `${n.text} ${coin}`);
    it(`reads ${phase} with ${g} for ${a} as ${status}`, async () => {
      expect(await eventOf(pay({ phase, asked, got }))).to.include({ status, providerStatus: phase });
    });
  }

  it('does not accept a paid status without its coins', () => {
    const bare = {
      kind: 'payment',
      reference: null,
      providerReference: null,
      amount: null,
      currency: null,
      dedupeKey: null,
    } as const;
    for (const providerStatus of ['done', 'over', 'late'])
      expect(providerH.mapStatus({ ...bare, providerStatus }, 'callback')).to.equal('unknown');
  });

  for (const [state, status] of [
    ['queued', 'pending'],
    ['done', 'succeeded'],
    ['failed', 'failed'],
    ['reversed', 'reversed'],
    ['lost', 'unknown'],
  ] as const) {
    it(`reads a return that is ${state} as ${status}`, async () => {
      expect(await eventOf(pay({ phase: 'returned', back: back(state) }))).to.deep.include({
        kind: 'refund',
        status,
        providerStatus: `returned:${state}`,
        reference: 'GW-10042-1',
        providerReference: '9007199254740993771',
        subReference: 'rt118',
        amount: '10.00',
        currency: 'EUR',
        dedupeKey: `9007199254740993771|returned|rt118|${state}`,
        orderHint: 1795251600000,
      });
    });
  }

  it('needs only the members of a return that identify it', async () => {
    const { pay_no, gw_ref, shop } = pay();
    const message = { pay_no, gw_ref, shop, phase: 'returned', back: back('done') };
    expect(await eventOf(message))
      .to.include({ status: 'succeeded' })
      .and.not.have.property('orderHint');
  });

  it('keeps spellings in the identity, and writes amounts plainly', async () => {
    const message = pay({
      pay_no: spelled('90071992547409937719007199254740993771'),
      want: { n: spelled('2.59E+1'), cur: 'EUR' },
      got: coins('4.1440e-4'),
      confs: 12,
    });
    expect(await eventOf(message)).to.deep.include({
      providerReference: '90071992547409937719007199254740993771',
      amount: '25.90',
      currency: 'EUR',
      dedupeKey: '90071992547409937719007199254740993771|done|4.1440e-4|12',
      orderHint: 1795251600000,
    });
  });

  for (const [n, cur, amount] of [
    ['1500', 'JPY', '1500'],
    ['1.25', 'KWD', '1.250'],
    ['7.5', 'ZZZ', '7.50'],
    ['9007199254740993771.01', 'EUR', '9007199254740993771.01'],
  ] as const) {
    it(`reads ${n} ${cur} as ${amount}`, async () => {
      expect(await eventOf(pay({ want: { n: spelled(n), cur } }))).to.include({ amount, currency: cur });
    });
  }

  for (const [why, decline, declineText] of [
    ['double_spend', '05', undefined],
    ['too_little', '51', undefined],
    ['sanctioned', '57', undefined],
    ['limit', '61', undefined],
    ['eclipse', '05', 'eclipse'],
    ['toString', '05', 'toString'],
    [null, '05', undefined],
  ] as const) {
    it(`declines ${why} with ${decline}`, async () => {
      const event = await eventOf(pay({ phase: 'bad', why }));
      expect([event?.decline, event?.declineText]).to.deep.equal([decline, declineText]);
      expect(event).to.not.have.property('unknownStatus');
    });
  }
  it('has a decline only if the pay is bad', async () => {
    expect(await eventOf(pay({ phase: 'void', why: 'limit' }))).to.not.have.property('decline');
  });

  for (const [name, message] of [
    ['a list', []],
    ['a text', 'done'],
    ['no pay_no', pay({ pay_no: undefined })],
    ['a pay_no as a string', pay({ pay_no: '1' })],
    ['a pay_no with a decimal point', pay({ pay_no: spelled('1.0') })],
    ['no gw_ref', pay({ gw_ref: undefined })],
    ['a gw_ref that is null', pay({ gw_ref: null })],
    ['no shop', pay({ shop: undefined })],
    ['a shop that is a number', pay({ shop: 7300412 })],
    ['no phase', pay({ phase: undefined })],
    ['no want', pay({ want: undefined })],
    ['a price as a string', pay({ want: { n: '25.90', cur: 'EUR' } })],
    ['a negative price', pay({ want: { n: spelled('-1'), cur: 'EUR' } })],
    ['no asked', pay({ asked: undefined })],
    ['no got', pay({ got: undefined })],
    ['coins as a string', pay({ got: { n: '1', coin: 'BTC' } })],
    ['nineteen decimals', pay({ got: coins('0.0000000000000000001') })],
    ['no confs', pay({ confs: undefined })],
    ['confs as a string', pay({ confs: '3' })],
    ['a why that is a number', pay({ why: 5 })],
    ['a time as a string', pay({ at: 'now' })],
    ['a return without back', pay({ phase: 'returned' })],
    ['a return without a number', pay({ phase: 'returned', back: back('done', { id: '' }) })],
    ['a return without an amount', pay({ phase: 'returned', back: back('done', { n: undefined }) })],
  ] as const) {
    it(`is kept as malformed: ${name}`, async () => {
      const { genuine, outcome, events } = await deliver({ message });
      expect([genuine, outcome, events]).to.deep.equal(['malformed', 'malformed', []]);
    });
  }

  it('is ignored for another shop', async () => {
    const { genuine, outcome, events } = await deliver({ message: pay({ shop: 'M-0000002', want: undefined }) });
    expect([genuine, outcome, events]).to.deep.equal([true, 'ignored', []]);
  });
});

describe('the acknowledgement of a callback', () => {
  for (const [coreSays, body, status] of [
    ['accepted', 'OK', 200],
    ['duplicate', 'OK', 200],
    ['unknown_reference', 'OK', 200],
    ['ignored', 'OK', 200],
    ['try_later', 'LATER', 503],
  ] as readonly (readonly [CoreSays & AckOutcome, string, number])[]) {
    it(`is ${body} if core says ${coreSays}`, async () => {
      const { acknowledgement } = await deliver({}, coreSays);
      expect(acknowledgement).to.deep.include({ status, body });
      expect(acknowledgement.headers?.['Content-Type']).to.match(/^text\/plain/);
    });
  }
  it('is BAD DIGEST for an invalid signature, and BAD BODY for a malformed message', async () => {
    const refused = (await deliver({ digest: () => [] })).acknowledgement;
    const malformed = (await deliver({ body: '{' })).acknowledgement;
    expect([refused.status, refused.body]).to.deep.equal([401, 'BAD DIGEST']);
    expect([malformed.status, malformed.body]).to.deep.equal([400, 'BAD BODY']);
  });
});
