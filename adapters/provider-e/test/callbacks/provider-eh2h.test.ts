import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness, deliver, answered, callback, claimsOf, tokenOf, type Claims } from '../messages.ts';

const { options, seconds } = harness;

const no = (verdict: string, status: number): string => `${verdict} ${status} {"received":false}`;
const yes = 'true 200 {"received":true}';
const header = (members: string): string => `{"alg":"HS256","kid":"k1"${members}}`;
const [k1, k0] = options.h2hKeys;

/** The body with changed parts. */
function parts(body: string, change: (parts: readonly [string, string, string]) => readonly string[]): string {
  const { token } = JSON.parse(body) as { token: string };
  return JSON.stringify({ token: change(token.split('.') as [string, string, string]).join('.') });
}
const good = callback();

describe('a host-to-host token', () => {
  it('has the form of the specification', () => {
    const claims =
      '{"acct":"GWSHOP","inv":"GW-10050-1","tranRef":900719925474099301,"orig":null,"op":"sale","sum":25.90,"cur":"EUR","rc":"0000","why":null,"iat":1772359210}';
    expect(JSON.parse(tokenOf(claims)))
      .to.have.property('token')
      .that.matches(/\.TdUw_aujC0Cr704AsNWYL8UjwhC-VgVzEl9p9Um9sWI$/);
  });

  for (const [name, body] of [
    ['in E’s form', good],
    ['signed with the other key', tokenOf(claimsOf(), '{"alg":"HS256","kid":"k0","typ":"JWT"}', [k0!])],
    ['with other header members', tokenOf(claimsOf(), header(',"typ":"jose","jku":"https://x.example","cty":null'))],
    ['with unknown claims', callback({ more: '[1]', nbf: '9' })],
    ['next to other members', good.replace('{', '{"sent":1,')],
  ] as const) {
    it(`is accepted ${name}`, async () => expect(answered(await deliver('providerEh2h', body))).to.equal(yes));
  }

  for (const [name, body] of [
    ['no JSON', 'token'],
    ['a list', `[${good}]`],
    ['no token', '{}'],
    ['a token that is a number', '{"token":1}'],
    ['two tokens', good.replace('{', '{"token":"a.b.c",')],
    ['two parts', parts(good, ([a, b]) => [a, b])],
    ['four parts', parts(good, (all) => [...all, ''])],
    ['padding', parts(good, ([a, b, c]) => [a, b, `${c}=`])],
    ['another alphabet', parts(good, ([a, b, c]) => [a, b, `+${c.slice(1)}`])],
    ['an empty first part', parts(good, ([, b, c]) => ['', b, c])],
    ['a first part that is not base64', parts(good, ([a, b, c]) => [`${a}A`, b, c])],
    ['a first part that is not JSON', tokenOf(claimsOf(), 'alg')],
    ['a first part that is a list', tokenOf(claimsOf(), '["HS256"]')],
    ['a first part that names alg twice', tokenOf(claimsOf(), header(',"alg":"HS256"'))],
    [
      'a first part that is not UTF-8',
      parts(good, ([, b, c]) => [Buffer.from('{"a":"\xe9"}', 'latin1').toString('base64url'), b, c]),
    ],
  ] as const) {
    it(`is malformed with ${name}`, async () => {
      expect(answered(await deliver('providerEh2h', body))).to.equal(no('malformed', 400));
    });
  }

  for (const [name, body] of [
    ['an empty MAC', parts(good, ([a, b]) => [a, b, ''])],
    ['a truncated MAC', parts(good, ([a, b, c]) => [a, b, c.slice(0, -4)])],
    ['a MAC that spells its bytes in another way', parts(good, ([a, b, c]) => [a, b, respelled(c)])],
    ['other claims', parts(good, ([a, , c]) => [a, Buffer.from(claimsOf({ sum: '1' })).toString('base64url'), c])],
    ['an empty second part', parts(good, ([a, , c]) => [a, '', c])],
    ['another algorithm', tokenOf(claimsOf(), '{"alg":"HS512","kid":"k1"}')],
    ['the algorithm in lower case', tokenOf(claimsOf(), '{"alg":"hs256","kid":"k1"}')],
    ['no algorithm', tokenOf(claimsOf(), '{"kid":"k1"}')],
    ['critical members', tokenOf(claimsOf(), header(',"crit":["exp"]'))],
    ['crit being null', tokenOf(claimsOf(), header(',"crit":null'))],
    ['b64', tokenOf(claimsOf(), header(',"b64":true'))],
    ['no kid', tokenOf(claimsOf(), '{"alg":"HS256"}')],
    ['an unknown kid', tokenOf(claimsOf(), '{"alg":"HS256","kid":"k2"}')],
    ['a kid that is not a string', tokenOf(claimsOf(), '{"alg":"HS256","kid":1}')],
    ['the kid of another key', tokenOf(claimsOf(), '{"alg":"HS256","kid":"k0"}')],
    ['another account', callback({ acct: '"OTHER"' })],
  ] as const) {
    it(`is refused with ${name}`, async () => {
      expect(answered(await deliver('providerEh2h', body))).to.equal(no('invalid_signature', 401));
    });
  }

  for (const [name, changes] of [
    ...Object.keys(JSON.parse(claimsOf()) as object).map((name) => [`no ${name}`, { [name]: undefined }] as const),
    ['an account that is not a string', { acct: '1' }],
    ['a reference that is null', { inv: 'null' }],
    ['a number as a string', { tranRef: '"1"' }],
    ['a number with a decimal point', { tranRef: '1.0' }],
    ['a number with an exponent', { tranRef: '1e3' }],
    ['a negative number', { tranRef: '-1' }],
    ['a number of 19 digits', { tranRef: '1'.repeat(19) }],
    ['a sale as a string', { orig: '"1"' }],
    ['an operation that is null', { op: 'null' }],
    ['an amount as a string', { sum: '"25.90"' }],
    ['a negative amount', { sum: '-1' }],
    ['a currency that is null', { cur: 'null' }],
    ['a code that is a number', { rc: '0' }],
    ['a reason that is a number', { why: '1' }],
    ['a time as a string', { iat: `"${seconds}"` }],
    ['a time with fractions of seconds', { iat: `${seconds}.5` }],
    ['a duplicate claim', { 'iat":1,"iat': String(seconds) }],
  ] as const satisfies readonly (readonly [string, Claims])[]) {
    it(`is malformed with ${name}`, async () => {
      expect(answered(await deliver('providerEh2h', callback(changes)))).to.equal(no('malformed', 400));
    });
  }

  for (const [name, payload] of [
    ['a list', '[1]'],
    ['no JSON', 'x'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['nothing', ''],
  ] as const) {
    it(`is malformed with claims that are ${name}`, async () => {
      expect(answered(await deliver('providerEh2h', tokenOf(payload)))).to.equal(no('malformed', 400));
    });
  }

  it('is kept for review if E signed the claims and they are unreadable', async () => {
    const unreadable = await deliver('providerEh2h', callback({ rc: '0' }), [], {}, 'try_later');
    expect([unreadable.outcome, unreadable.acknowledgement.status]).to.deep.equal(['try_later', 503]);
    expect((await deliver('providerEh2h', '{}', [], {}, 'try_later')).outcome).to.equal('malformed');
  });

  for (const [name, body, expected] of [
    ['the MAC before the claims', parts(tokenOf('x'), ([a, b]) => [a, b, 'AAAA']), no('invalid_signature', 401)],
    ['the claims before the account', callback({ acct: '"OTHER"', rc: '0' }), no('malformed', 400)],
    ['the account before the time', callback({ acct: '"OTHER"', iat: '1' }), no('invalid_signature', 401)],
    ['the claims before the time', callback({ iat: '1', rc: '0' }), no('malformed', 400)],
  ] as const) {
    it(`is checked in this order: ${name}`, async () =>
      expect(answered(await deliver('providerEh2h', body))).to.equal(expected));
  }

  for (const [offset, expected] of [
    [-600, yes],
    [600, yes],
    [-601, no('stale', 400)],
    [601, no('stale', 400)],
    [-seconds, no('stale', 400)],
  ] as const) {
    it(`is ${expected === yes ? 'fresh' : 'stale'} ${offset} s from now`, async () => {
      const body = callback({ iat: String(seconds + offset) });
      expect(answered(await deliver('providerEh2h', body))).to.equal(expected);
    });
  }

  it('is invalid once its key is removed', async () => {
    expect((await deliver('providerEh2h', good, [], { h2hKeys: [k0!] })).genuine).to.equal('invalid_signature');
    const renamed = [{ kid: 'k1', secret: k0!.secret }];
    expect((await deliver('providerEh2h', good, [], { h2hKeys: renamed })).genuine).to.equal('invalid_signature');
    expect((await deliver('providerEh2h', good, [], { h2hKeys: [...renamed, k1!] })).genuine).to.equal(true);
  });
});

describe('the meaning of a transaction', () => {
  const reported = async (changes: Claims) => (await deliver('providerEh2h', callback(changes))).events[0]!;

  for (const [op, rc, kind, status] of [
    ['sale', '0000', 'payment', 'succeeded'],
    ['sale', '2000', 'payment', 'pending'],
    ['sale', '2001', 'payment', 'pending'],
    ['sale', '2002', 'payment', 'authorised'],
    ['sale', '2999', 'payment', 'pending'],
    ['sale', '4005', 'payment', 'failed'],
    ['sale', '4070', 'payment', 'failed'],
    ['sale', '4090', 'payment', 'cancelled'],
    ['sale', '4091', 'payment', 'expired'],
    ['sale', '4092', 'payment', 'failed'],
    ['sale', '7000', 'payment', 'unknown'],
    ['sale', '1000', 'payment', 'unknown'],
    ['sale', '200', 'payment', 'unknown'],
    ['sale', '20000', 'payment', 'unknown'],
    ['sale', '2x00', 'payment', 'unknown'],
    ['sale', '', 'payment', 'unknown'],
    ['refund', '0000', 'refund', 'succeeded'],
    ['refund', '2000', 'refund', 'pending'],
    ['refund', '2002', 'refund', 'pending'],
    ['refund', '4005', 'refund', 'failed'],
    ['refund', '4090', 'refund', 'failed'],
    ['refund', '4092', 'refund', 'reversed'],
    ['refund', '7000', 'refund', 'unknown'],
    ['dispute', '7000', 'chargeback', 'opened'],
    ['dispute', '7001', 'chargeback', 'won'],
    ['dispute', '7002', 'chargeback', 'lost'],
    ['dispute', '7003', 'chargeback', 'reversed'],
    ['dispute', '0000', 'chargeback', 'unknown'],
    ['Sale', '0000', 'payment', 'unknown'],
    ['topup', '0000', 'payment', 'unknown'],
    ['CAPTURED', '', 'payment', 'unknown'],
    ['__proto__', '0000', 'payment', 'unknown'],
  ] as const) {
    it(`reads ${op}/${rc} as ${kind} ${status}`, async () => {
      const event = await reported({ op: `"${op}"`, rc: `"${rc}"` });
      expect(event).to.include({ kind, status, providerStatus: `${op}/${rc}` });
      expect('decline' in event).to.equal(op === 'sale' && status === 'failed');
    });
  }

  it('does not accept a status of XML as one of its own', async () => {
    const { events } = await deliver('providerEh2h', callback({ op: '"CAPTURED"', rc: '""' }));
    expect(events[0]).to.include({ providerStatus: 'CAPTURED/', status: 'unknown' });
  });

  it('names the sale, and a refund or dispute by its own number', async () => {
    const number = '900719925474099301';
    const event = await reported({});
    expect(event).to.include({ providerReference: number, dedupeKey: `${number}/0000` });
    expect(event).not.to.have.property('subReference');
    expect(await reported({ op: '"refund"', orig: number, tranRef: '7' })).to.include({
      providerReference: number,
      subReference: '7',
      dedupeKey: '7/0000',
    });
  });

  for (const [rc, why, expected] of [
    ['4005', 'null', { decline: '05' }],
    ['4051', '"poor"', { decline: '51', declineText: 'poor' }],
    ['4054', 'null', { decline: '54' }],
    ['4057', 'null', { decline: '57' }],
    ['4061', 'null', { decline: '61' }],
    ['4055', 'null', { decline: '05' }],
    ['4070', '"blocked"', { decline: '05', declineText: 'blocked' }],
    ['4070', 'null', { decline: '05', declineText: '4070' }],
  ] as const) {
    it(`reads sale/${rc} with why ${why} as decline ${expected.decline}`, async () => {
      expect(await reported({ rc: `"${rc}"`, why })).to.include(expected);
    });
  }

  for (const [sum, cur, amount] of [
    ['25.9', 'EUR', '25.90'],
    ['25.90', 'EUR', '25.90'],
    ['2590e-2', 'EUR', '25.90'],
    ['0.00259E4', 'EUR', '25.90'],
    ['25.905', 'EUR', '25.905'],
    ['1800', 'JPY', '1800'],
    ['1800.0', 'JPY', '1800'],
    ['1.5', 'KWD', '1.500'],
    ['0', 'EUR', '0.00'],
    ['9007199254740993.01', 'EUR', '9007199254740993.01'],
    ['5', 'QQQ', '5.00'],
  ] as const) {
    it(`reads ${sum} ${cur} as ${amount}`, async () => {
      expect(await reported({ sum, cur: `"${cur}"` })).to.include({ amount, currency: cur });
    });
  }
});

/** The same bytes in base64url, with different unused bits at the end. */
function respelled(mac: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = mac.slice(0, -1) + alphabet[alphabet.indexOf(mac.slice(-1)) ^ 1];
  if (!Buffer.from(other, 'base64url').equals(Buffer.from(mac, 'base64url'))) throw new Error('not the same bytes');
  return other;
}
