import { createCipheriv, createHmac } from 'node:crypto';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  harness,
  boxed,
  deliver,
  first,
  headersFor,
  learned,
  news,
  newsBody,
  second,
  type Headers,
} from '../messages.ts';

const { options, seconds } = harness;

const paid = newsBody(news('PAID'));
/** A box with a nonce of any length. */
function closedWith(nonce: Uint8Array): object {
  const key = Buffer.from(options.boxKeys[0]!, 'base64');
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from('M1000427:g_1'));
  const text = JSON.stringify({ mid: options.merchantId, ...news('PAID') });
  const ciphertext = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  const [n, ct] = [Buffer.from(nonce), ciphertext].map((bytes) => bytes.toString('base64'));
  return { alg: 'A256GCM', n, aad: 'M1000427:g_1', ct };
}
const acks = {
  accepted: [200, '{"code":"SUCCESS"}'],
  invalid_signature: [401, '{"code":"FAIL","message":"signature"}'],
  stale: [401, '{"code":"FAIL","message":"time"}'],
  malformed: [400, '{"code":"FAIL","message":"body"}'],
  try_later: [503, '{"code":"FAIL","message":"later"}'],
} as const;

describe('the content of a callback', () => {
  for (const [providerStatus, kind, status] of [
    ['PAID', 'payment', 'succeeded'],
    ['UNPAID', 'payment', 'failed'],
    ['AUTHED', 'payment', 'authorised'],
    ['WAITING', 'payment', 'pending'],
    ['CHALLENGE', 'payment', 'pending'],
    ['CLOSED', 'payment', 'cancelled'],
    ['LAPSED', 'payment', 'expired'],
    ['REFUND_WAIT', 'refund', 'pending'],
    ['REFUND_OK', 'refund', 'succeeded'],
    ['REFUND_BAD', 'refund', 'failed'],
    ['REFUND_BACK', 'refund', 'reversed'],
    ['DISPUTED', 'chargeback', 'opened'],
    ['DISPUTE_LOST', 'chargeback', 'lost'],
    ['DISPUTE_WON', 'chargeback', 'won'],
    ['DISPUTE_BACK', 'chargeback', 'reversed'],
    ['paid', 'payment', 'unknown'],
    ['', 'payment', 'unknown'],
    ['constructor', 'payment', 'unknown'],
  ] as const) {
    it(`is reported as ${kind} ${status} for "${providerStatus}", whatever the label says`, async () => {
      for (const label of ['payment', 'refund', 'dispute', 'anything']) {
        const { genuine, events, acknowledgement } = await deliver(newsBody(news(providerStatus), label));
        expect([genuine, acknowledgement.status, acknowledgement.body]).to.deep.equal([true, ...acks.accepted]);
        expect(events).to.have.length(1);
        expect(events[0]).to.include({
          kind,
          status,
          providerStatus,
          dedupeKey: 'g_1',
          amount: '25.90',
          currency: 'EUR',
        });
        expect(events[0]).to.include({ reference: 'GW-10042-1', providerReference: '4200000000000000017' });
        expect(events[0]!.occurredAt).to.deep.equal(new Date('2026-03-02T09:15:20Z'));
        expect('decline' in events[0]!).to.equal(providerStatus === 'UNPAID');
      }
    });
  }

  for (const [why, expected] of [
    ['DO_NOT_HONOR', { decline: '05' }],
    ['NO_FUNDS', { decline: '51' }],
    ['EXPIRED', { decline: '54' }],
    ['FORBIDDEN', { decline: '57' }],
    ['OVER_LIMIT', { decline: '61' }],
    ['SECURE_FAILED', { decline: '05' }],
    ['no_funds', { decline: '05', declineText: 'no_funds' }],
    ['toString', { decline: '05', declineText: 'toString' }],
    [null, { decline: '05' }],
    [7, { decline: '05' }],
    [undefined, { decline: '05' }],
  ] as const) {
    it(`has decline ${expected.decline} for why ${JSON.stringify(why)}`, async () => {
      const { events } = await deliver(newsBody(news('UNPAID', { why })));
      expect(events[0]).to.include(expected);
      expect('declineText' in events[0]!).to.equal('declineText' in expected);
    });
  }

  for (const [minor, cur, amount] of [
    ['2590', 'EUR', '25.90'],
    ['0', 'EUR', '0.00'],
    ['7', 'KWD', '0.007'],
    ['2590', 'JPY', '2590'],
    ['123456789012345678', 'USD', '1234567890123456.78'],
    ['2590', 'XQX', '25.90'],
  ] as const) {
    it(`has amount ${amount} for ${minor} ${cur}`, async () => {
      const said = JSON.stringify({ mid: options.merchantId, ...news('PAID', { cur }) }).replace('2590', minor);
      const { events } = await deliver(newsBody(said));
      expect(events[0]).to.include({ amount, currency: cur });
    });
  }

  it('is accepted with unknown members and an invalid time', async () => {
    const body = JSON.stringify({ ...(JSON.parse(newsBody(news('PAID', { at: 'soon', more: [1] }))) as object), x: 1 });
    const { events } = await deliver(body);
    expect(events[0]).to.include({ status: 'succeeded' }).and.not.have.property('occurredAt');
  });

  it('is accepted in a box that is built differently from ours', async () => {
    const body = JSON.stringify({ gid: 'g_1', kind: 'payment', box: closedWith(Buffer.alloc(12, 5)) });
    expect((await deliver(body)).events).to.have.length(1);
  });

  it('is decrypted with any of our box keys', async () => {
    const older = { ...options, boxKeys: [options.boxKeys[1]!] };
    const body = boxed('g_1', news('PAID'), { gid: 'g_1', kind: 'payment' }, older);
    expect((await deliver(body)).events).to.have.length(1);
  });

  it('is answered in the same way for every outcome except a refusal', async () => {
    for (const outcome of ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const) {
      const { acknowledgement } = await deliver(paid, undefined, { coreSays: outcome });
      expect(acknowledgement).to.deep.include({ status: 200, body: '{"code":"SUCCESS"}' });
      expect(acknowledgement.headers).to.deep.equal({ 'Content-Type': 'application/json' });
    }
    const { acknowledgement } = await deliver(paid, undefined, { coreSays: 'try_later' });
    expect([acknowledgement.status, acknowledgement.body]).to.deep.equal(acks.try_later);
  });
});

describe('the verification of a callback', () => {
  async function expectVerdict(
    verdict: 'invalid_signature' | 'stale' | 'malformed' | 'try_later',
    body: string | Uint8Array,
    headers?: Headers,
  ): Promise<void> {
    const { genuine, events, acknowledgement } = await deliver(body, headers);
    expect([genuine, events.length]).to.deep.equal([verdict, 0]);
    expect([acknowledgement.status, acknowledgement.body]).to.deep.equal(acks[verdict]);
  }

  const good = headersFor(paid);
  for (const name of ['G-Time', 'G-Nonce', 'G-Serial', 'G-Sign']) {
    it(`needs ${name} exactly once`, async () => {
      const twice = good.find(([one]) => one === name)!;
      await expectVerdict(
        'invalid_signature',
        paid,
        good.filter(([one]) => one !== name),
      );
      await expectVerdict('invalid_signature', paid, [...good, twice]);
      await expectVerdict('invalid_signature', paid, [...good, [name.toLowerCase(), '']]);
    });
  }

  it('accepts header names in any case, and needs no content type', async () => {
    const lower = good.map(([name, value]) => [name.toLowerCase(), value] as const);
    expect((await deliver(paid, lower)).genuine).to.equal(true);
  });

  for (const [what, by] of [
    ['a time that is not a number', { time: 'now' }],
    ['a negative time', { time: -seconds }],
    ['a time with a decimal point', { time: `${seconds}.5` }],
    ['an empty nonce', { nonce: '' }],
    ['a short nonce', { nonce: '1234567' }],
    ['a long nonce', { nonce: 'n'.repeat(65) }],
    ['a nonce with a space', { nonce: 'nonce 00000001' }],
    ['a serial in lower case', { key: { ...first, serial: first.serial.toLowerCase() } }],
    ['a serial of 7 characters', { key: { ...first, serial: '1234567' } }],
    ['another known serial', { key: { ...first, serial: second.serial } }],
    ['a signature over other bytes', { over: `${paid} ` }],
  ] as const) {
    it(`refuses ${what} as an invalid signature`, () => expectVerdict('invalid_signature', paid, headersFor(paid, by)));
  }

  for (const nonce of ['12345678', '_-'.repeat(32)]) {
    it(`accepts the nonce ${nonce}`, async () => {
      expect((await deliver(paid, headersFor(paid, { nonce }))).genuine).to.equal(true);
    });
  }

  it('refuses a signature that is not base64', async () => {
    const broken = good.map(
      ([name, value]) => [name, name === 'G-Sign' ? `${value.slice(0, -4)}!===` : value] as const,
    );
    await expectVerdict('invalid_signature', paid, broken);
  });

  it('accepts 300 s in both directions and not one second more', async () => {
    for (const time of [seconds - 300, seconds + 300]) {
      expect((await deliver(paid, headersFor(paid, { time }))).genuine).to.equal(true);
    }
    for (const time of [seconds - 301, seconds + 301, '999999999999999']) {
      await expectVerdict('stale', paid, headersFor(paid, { time }));
    }
  });

  it('reports an invalid signature before stale, and stale before malformed', async () => {
    await expectVerdict('invalid_signature', '[]', headersFor('[]', { time: 1, over: 'x' }));
    await expectVerdict('stale', '[]', headersFor('[]', { time: 1 }));
    await expectVerdict('malformed', '[]');
  });

  const { box } = JSON.parse(paid) as { readonly box: Readonly<Record<string, unknown>> };
  const body = (box: unknown, gid: unknown = 'g_1', kind: unknown = 'payment'): string =>
    JSON.stringify({ gid, kind, box });

  for (const [what, text] of [
    ['no JSON', 'paid'],
    ['an empty body', ''],
    ['a list', `[${paid}]`],
    ['a member twice', paid.replace('{', '{"gid":"g_1",')],
    ['no gid', JSON.stringify({ kind: 'payment', box })],
    ['a gid that is a number', body(box, 1)],
    ['an empty gid', boxed('', news('PAID'), { gid: '', kind: 'payment' })],
    ['no kind', JSON.stringify({ gid: 'g_1', box })],
    ['a kind that is null', body(box, 'g_1', null)],
    ['no box', JSON.stringify({ gid: 'g_1', kind: 'payment' })],
    ['a box that is a list', body([box])],
    ['a box that is a text', body('box')],
    ['a box that is a number', body(7)],
    ['another algorithm', body({ ...box, alg: 'A128GCM' })],
    ['no algorithm', body({ ...box, alg: undefined })],
    ['a nonce of 16 bytes, even if the key fits', body(closedWith(Buffer.alloc(16, 5)))],
    ['a nonce in base64url', body({ ...box, n: '_-_-_-_-_-_-_-_-' })],
    ['no nonce', body({ ...box, n: undefined })],
    ['a ciphertext of 15 bytes', body({ ...box, ct: Buffer.alloc(15).toString('base64') })],
    ['a wrong tag', body({ ...box, ct: Buffer.alloc(40).toString('base64') })],
    ['a plaintext that is a list', newsBody('[]')],
    ['a plaintext that is not JSON', newsBody('PAID')],
    ['an empty plaintext', newsBody('')],
  ] as const) {
    it(`reports as malformed: ${what}`, () => expectVerdict('malformed', text));
  }

  it('reports bytes that are not UTF-8 as malformed', async () => {
    const bytes = Buffer.concat([Buffer.from(paid.slice(0, -1)), Buffer.from([0xff, 0x7d])]);
    await expectVerdict('malformed', bytes, headersFor(bytes));
  });

  for (const [what, text] of [
    ['a box of another merchant', body({ ...box, aad: 'M1000428:g_1' })],
    ['a box of another message', body(box, 'g_2')],
    ['a box without aad, whatever else is wrong', body({ alg: 'none' })],
    ['a plaintext of another merchant', newsBody(news('PAID', { mid: 'M1000428' }))],
    ['a plaintext without mid', newsBody('{"probe":true}')],
  ] as const) {
    it(`reports as an invalid signature: ${what}`, () => expectVerdict('invalid_signature', text));
  }

  for (const name of ['g_txn', 'gw_ref', 'status', 'cur', 'minor']) {
    it(`needs ${name} of its type`, async () => {
      for (const value of [undefined, null, name === 'minor' ? '2590' : 2590, [], {}]) {
        await expectVerdict('malformed', newsBody(news('PAID', { [name]: value })));
      }
    });
  }

  for (const minor of ['25.90', '2590.0', '2.59e3', '-2590', '1234567890123456789']) {
    it(`reports the amount ${minor} as malformed`, async () => {
      const said = JSON.stringify({ mid: options.merchantId, ...news('PAID') }).replace('2590', minor);
      await expectVerdict('malformed', newsBody(said));
    });
  }

  for (const cur of ['eur', 'EU', 'EURO', '', '978']) {
    it(`reports the currency "${cur}" as malformed`, () => expectVerdict('malformed', newsBody(news('PAID', { cur }))));
  }

  it('lists no known serial that G has withdrawn', async () => {
    await expectVerdict('try_later', paid, headersFor(paid, { key: learned }));
  });
});

describe('a probe of G', () => {
  const probe = newsBody({ probe: true }, 'probe');
  const echo = (key: string, nonce: string): string =>
    createHmac('sha256', Buffer.from(key, 'base64')).update(nonce).digest('hex');

  it('is answered with the nonce under the key that opened its box', async () => {
    for (const key of options.boxKeys) {
      const body = boxed('g_1', { probe: true }, { gid: 'g_1', kind: 'probe' }, { ...options, boxKeys: [key] });
      const { probed, events, acknowledgement } = await deliver(body, headersFor(body, { nonce: 'a-nonce_of_G' }));
      expect([probed, events.length, acknowledgement.status]).to.deep.equal([true, 0, 200]);
      expect(acknowledgement.headers).to.deep.equal({ 'Content-Type': 'application/json' });
      expect(acknowledgement.body).to.equal(`{"code":"SUCCESS","echo":"${echo(key, 'a-nonce_of_G')}"}`);
    }
  });

  it('is refused like any message if a check fails', async () => {
    for (const [body, headers, status] of [
      [probe, headersFor(probe, { over: 'x' }), 401],
      [probe, headersFor(probe, { time: seconds - 301 }), 401],
      [newsBody({ probe: true, mid: 'M1000428' }, 'probe'), undefined, 401],
      [newsBody('[]', 'probe'), undefined, 400],
    ] as const) {
      const { probed, acknowledgement } = await deliver(body, headers ?? headersFor(body));
      expect([probed, acknowledgement.status]).to.deep.equal([false, status]);
    }
  });

  it('is recognised only by its label', async () => {
    expect((await deliver(newsBody({ probe: true }))).genuine).to.equal('malformed');
    const { probed, events } = await deliver(newsBody(news('PAID'), 'probe'));
    expect([probed, events.length]).to.deep.equal([true, 0]);
  });
});
