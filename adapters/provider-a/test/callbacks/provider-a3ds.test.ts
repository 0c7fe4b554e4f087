import { hmac, type Acknowledgement, type AckOutcome } from '@paywright/contract';
import { scriptedProvider } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { canonicalQuery, threeDsReturn } from '../../callbacks/provider-a3ds.ts';
import { harness } from '../messages.ts';

const { deliver, now, options, seconds } = harness;

const plain: Record<string, string> = { txn: 'A-7H2K9Q', ref: 'GW-10042-1', auth: 'Y', ts: String(seconds) };

function queryOf(given: Record<string, string | undefined> = {}, key = options.returnKeys[0]!): string {
  const pairs = Object.entries({ ...plain, ...given }).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  );
  const sig = hmac('sha256', key, canonicalQuery(pairs)).toString('hex');
  return new URLSearchParams([...pairs, ['sig', sig]]).toString();
}

const verdictOf = async (query: string): Promise<string> => (await deliver({ route: 'providerA3ds', query })).verdict;

describe('callback providerA3ds, the return from 3D Secure', () => {
  for (const auth of ['Y', 'A', 'N', 'U', 'R', 'X']) {
    it(`treats ${auth} as ${auth === 'X' ? 'unknown' : 'a hint that leaves the payment pending'}`, async () => {
      const { events } = await deliver({ route: 'providerA3ds', query: queryOf({ auth }) });
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind: '3ds',
        providerStatus: auth,
        status: auth === 'X' ? 'unknown' : 'pending',
        reference: 'GW-10042-1',
        providerReference: 'A-7H2K9Q',
        amount: null,
        currency: null,
        dedupeKey: '3ds:A-7H2K9Q',
      });
    });
  }

  it('reports the 3D Secure result of the signed letter', async () => {
    const shown = async (auth: string) =>
      (await deliver({ route: 'providerA3ds', query: queryOf({ auth }) })).events[0]?.threeDs;
    expect(await Promise.all(['Y', 'A', 'N', 'U', 'R', 'X'].map(shown))).to.deep.equal([
      'authenticated',
      'attempted',
      'none',
      'none',
      'none',
      undefined,
    ]);
  });

  it('covers every parameter, decodes like a form, and sorts names by their UTF-8 bytes', async () => {
    const query = queryOf({ 'shop id': 'ü+1 &=', '\u{1F600}': 'a', '\uFF5E': 'b', txn: 'A/7 ü' });
    expect(await verdictOf(query)).to.equal('genuine');
    expect(await verdictOf(query.replace('shop+id=', 'shop+id=x'))).to.equal('invalid_signature');
    expect(
      canonicalQuery([
        ['\u{1F600}', 'a'],
        ['\uFF5E', 'b'],
        ['sig', 'x'],
      ]),
    ).to.equal('\uFF5E=b&\u{1F600}=a');
  });

  it('accepts the signature in capitals, and under any key', async () => {
    const upper = queryOf().replace(/sig=(\w+)/, (_, sig: string) => `sig=${sig.toUpperCase()}`);
    expect(await verdictOf(upper)).to.equal('genuine');
    expect(await verdictOf(queryOf({}, options.returnKeys[1]))).to.equal('genuine');
    expect(await verdictOf(queryOf({}, 'another key, long enough'))).to.equal('invalid_signature');
  });

  for (const [name, query, verdict] of [
    ['a broken escape', 'txn=%zz', 'malformed'],
    ['bytes that are not UTF-8', `${queryOf()}&x=%ff`, 'malformed'],
    ['a name twice', `${queryOf()}&sig=00`, 'malformed'],
    ['no query', '', 'invalid_signature'],
    ['an empty signature', queryOf().replace(/sig=\w+/, 'sig='), 'invalid_signature'],
    ['a short signature', queryOf().slice(0, -2), 'invalid_signature'],
    ['no txn', queryOf({ txn: undefined }), 'malformed'],
    ['an empty txn', queryOf({ txn: '' }), 'malformed'],
    ['a txn of 41', queryOf({ txn: 'x'.repeat(41) }), 'malformed'],
    ['a txn of 40', queryOf({ txn: 'x'.repeat(40) }), 'genuine'],
    ['another ref', queryOf({ ref: 'XX-10042-1' }), 'malformed'],
    ['a ref of 25', queryOf({ ref: `GW-${'1'.repeat(20)}-1` }), 'malformed'],
    ['a ref of 24', queryOf({ ref: `GW-${'1'.repeat(19)}-1` }), 'genuine'],
    ['a small letter', queryOf({ auth: 'y' }), 'malformed'],
    ['two letters', queryOf({ auth: 'YY' }), 'malformed'],
    ['a time of 13 digits', queryOf({ ts: '1772442930000' }), 'malformed'],
    ['a negative time', queryOf({ ts: '-5' }), 'malformed'],
    ['600 s ago', queryOf({ ts: String(seconds - 600) }), 'genuine'],
    ['601 s ago', queryOf({ ts: String(seconds - 601) }), 'stale'],
    ['600 s ahead', queryOf({ ts: String(seconds + 600) }), 'genuine'],
    ['601 s ahead', queryOf({ ts: String(seconds + 601) }), 'stale'],
    ['a stale time and a bad ref', queryOf({ ts: '1', ref: 'x' }), 'malformed'],
  ] as const) {
    it(`calls ${name} ${verdict}`, async () => {
      expect(await verdictOf(query)).to.equal(verdict);
    });
  }

  it('redirects the payer by the reference, and otherwise shows a short page', async () => {
    const ctx = scriptedProvider({ options, now, publicUrl: 'https://pay.example' });
    const raw = {
      method: 'GET',
      path: '/',
      query: queryOf(),
      headers: [],
      body: new Uint8Array(),
      remoteAddress: '',
      receivedAt: now,
    };
    const verdict = await threeDsReturn.verifySignature(raw, ctx);
    if (verdict.verdict !== 'genuine') throw new Error(verdict.verdict);
    const answer = (outcome: AckOutcome): Acknowledgement =>
      threeDsReturn.acknowledge!({ outcome, raw, verified: verdict.verified }, ctx);
    for (const outcome of ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const) {
      expect(answer(outcome)).to.deep.equal({
        status: 303,
        headers: { Location: 'https://pay.example/pay/10042' },
        body: '',
      });
    }
    for (const [outcome, status] of [
      ['invalid_signature', 403],
      ['stale', 410],
      ['malformed', 400],
      ['try_later', 503],
    ] as const) {
      expect(answer(outcome)).to.include({ status, body: null });
    }
  });
});
