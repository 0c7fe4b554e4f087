import { text, writeForm, type AckOutcome } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { controlOf } from '../../wire.ts';
import { harness, keys, type Parameters } from '../messages.ts';

const usual = {
  outcome: 'approved',
  b_txn: '8812003',
  gw_ref: 'GW-10042-1',
  endpoint: '4471',
  op: 'sale',
  op_no: '0',
  total: '25.90',
  cur: 'EUR',
};

/** A query with a correct check by default. */
function query(changes: Parameters = {}, key: string = keys[0]): string {
  const parameters: Parameters = { ...usual, ...changes };
  const [outcome, b_txn, gw_ref] = ['outcome', 'b_txn', 'gw_ref'].map((name) => parameters[name] ?? '');
  const check = controlOf(key, outcome!, b_txn!, gw_ref!).toString('hex');
  return writeForm({ ...parameters, ...('check' in changes ? {} : { check }) });
}

/** Delivers the query with a body, which means nothing to B's protocol. */
async function deliver(sent: string, controlKeys = harness.options.controlKeys) {
  const body = 'a body means nothing';
  const { verdict, reason, events } = await harness.deliver({ query: sent, body }, { options: { controlKeys } });
  return { verdict, reason, event: events[0] };
}

describe('callback GET providerB', () => {
  it('reports a sale from the query alone, in any order and encoding', async () => {
    const pairs = query({ last4: '1111', note: 'merci à vous', extra: '1' }).split('&').toReversed();
    const { event } = await deliver(pairs.join('&').replace('GW-', '%47W%2D'));
    expect(event).to.deep.equal({
      kind: 'payment',
      status: 'succeeded',
      providerStatus: 'sale/approved',
      reference: 'GW-10042-1',
      providerReference: '8812003',
      amount: '25.90',
      currency: 'EUR',
      dedupeKey: '8812003:sale:0:approved',
    });
  });

  it('believes no decline, because code and note are not covered', async () => {
    const { event } = await deliver(query({ outcome: 'declined', code: '205', note: 'insufficient funds' }));
    expect(event).to.include({ status: 'failed' }).and.not.have.any.keys('decline', 'declineText', 'mustFetch');
  });

  describe('the meaning of operation and outcome', () => {
    const meanings: Readonly<Record<string, readonly [sale: string, reversal: string, dispute: string]>> = {
      approved: ['succeeded', 'succeeded', 'lost'],
      declined: ['failed', 'failed', 'won'],
      filtered: ['failed', 'failed', 'unknown'],
      error: ['failed', 'failed', 'unknown'],
      processing: ['pending', 'pending', 'opened'],
      unknown: ['pending', 'pending', 'unknown'],
      half_way: ['unknown', 'unknown', 'unknown'],
      __proto__: ['unknown', 'unknown', 'unknown'],
    };
    for (const [outcome, [sale, reversal, dispute]] of Object.entries(meanings)) {
      it(`reads ${outcome} as ${sale}, ${reversal}, ${dispute}`, async () => {
        const reported = async (op: string) =>
          (await deliver(query({ outcome, op, op_no: op === 'sale' ? '0' : '2' }))).event;
        expect(await reported('sale')).to.include({ kind: 'payment', status: sale });
        expect(await reported('sale')).to.not.have.any.keys('mustFetch', 'subReference');
        const must = { mustFetch: true, subReference: '8812003/2' };
        expect(await reported('reversal')).to.include({ kind: 'refund', status: reversal, ...must });
        expect(await reported('dispute')).to.include({ kind: 'chargeback', status: dispute, ...must });
        expect(await reported('constructor')).to.include({ kind: 'payment', status: 'unknown', ...must });
      });
    }
  });

  it('gives each operation and outcome an identity, with op_no as a number and b_txn as a text', async () => {
    const { event } = await deliver(query({ b_txn: '00098765432109876543', op: 'reversal', op_no: '000120' }));
    expect(event).to.include({
      providerReference: '00098765432109876543',
      subReference: '00098765432109876543/120',
      dedupeKey: '00098765432109876543:reversal:120:approved',
    });
    expect((await deliver(query({ op_no: '000000' }))).event).to.include({ dedupeKey: '8812003:sale:0:approved' });
  });

  describe('amounts', () => {
    for (const [total, cur, amount] of [
      ['25.90', 'EUR', '25.90'],
      ['25.9', 'EUR', '25.90'],
      ['25', 'EUR', '25.00'],
      ['0', 'EUR', '0.00'],
      ['2590', 'JPY', '2590'],
      ['25.9', 'KWD', '25.900'],
      ['25.900', 'KWD', '25.900'],
      ['90071992547409931.07', 'EUR', '90071992547409931.07'],
      ['25.9', 'QQQ', '25.9'],
      ['25.900000', 'QQQ', '25.900000'],
    ] as const) {
      it(`spells ${total} ${cur} as ${amount}`, async () => {
        expect((await deliver(query({ total, cur }))).event).to.include({ amount, currency: cur });
      });
    }

    for (const [total, cur] of [
      ['25.901', 'EUR'],
      ['25.900', 'EUR'],
      ['2590.0', 'JPY'],
      ['25.9001', 'KWD'],
      ['25.', 'EUR'],
      ['.9', 'EUR'],
      ['-25.90', 'EUR'],
      ['+25.90', 'EUR'],
      ['1,025.90', 'EUR'],
      ['2.59e1', 'EUR'],
      ['25.90 ', 'EUR'],
      ['٢٥', 'EUR'],
      ['', 'EUR'],
      ['25.90', 'eur'],
      ['25.90', 'EURO'],
      ['25.90', ''],
    ] as const) {
      it(`treats "${total}" "${cur}" as malformed`, async () => {
        expect(await deliver(query({ total, cur }))).to.include({ verdict: 'malformed', reason: 'total or cur' });
      });
    }
  });

  describe('the order of checks', () => {
    const broken = '&note=%zz';
    for (const [what, sent, verdict, reason] of [
      ['a broken percent sign, before a missing check', query({ check: undefined }) + broken, 'malformed', 'the query'],
      ['bytes that are not UTF-8, before a wrong check', `${query({ check: '0' })}&note=%ff`, 'malformed', 'the query'],
      ['a name twice, before a wrong check', `${query({ check: '0' })}&cur=EUR`, 'malformed', 'the query'],
      ['an unknown name twice', `${query()}&extra=1&extra=1`, 'malformed', 'the query'],
      ['a check twice', `${query()}&check=`, 'malformed', 'the query'],
      ['an empty query', '', 'invalid_signature', 'check is missing'],
      [
        'no check, before a missing id',
        query({ check: undefined, b_txn: undefined }),
        'invalid_signature',
        'check is missing',
      ],
      [
        'an empty check, before a wrong reference',
        query({ check: '', gw_ref: 'x' }),
        'invalid_signature',
        'check is missing',
      ],
      ['no outcome, before a wrong check', query({ outcome: undefined, check: '0' }), 'malformed', 'outcome'],
      ['an outcome in capitals', query({ outcome: 'Approved' }), 'malformed', 'outcome'],
      ['an outcome of 21 characters', query({ outcome: 'a'.repeat(21) }), 'malformed', 'outcome'],
      ['no id, before another endpoint', query({ b_txn: undefined, endpoint: '4472' }), 'malformed', 'b_txn'],
      ['an id of 21 digits', query({ b_txn: '1'.repeat(21) }), 'malformed', 'b_txn'],
      ['an id in other digits', query({ b_txn: '٨٨١٢' }), 'malformed', 'b_txn'],
      ['an empty reference', query({ gw_ref: '' }), 'malformed', 'gw_ref'],
      ['a reference without attempt', query({ gw_ref: 'GW-10042' }), 'malformed', 'gw_ref'],
      ['a reference of 25 characters', query({ gw_ref: `GW-${'1'.repeat(20)}-1` }), 'malformed', 'gw_ref'],
      [
        'a wrong check, before another endpoint',
        query({ check: 'ab'.repeat(20), endpoint: '1' }),
        'invalid_signature',
        'check',
      ],
      ['a check that is no hex', query({ check: 'zz'.repeat(20) }), 'invalid_signature', 'check'],
      ['a check that is cut', query().slice(0, -2), 'invalid_signature', 'check'],
      [
        'no endpoint, before a wrong amount',
        query({ endpoint: undefined, total: 'x' }),
        'invalid_signature',
        'another endpoint',
      ],
      ['another endpoint', query({ endpoint: '04471' }), 'invalid_signature', 'another endpoint'],
      ['no op', query({ op: undefined }), 'malformed', 'op'],
      ['an op of another form', query({ op: 'Sale' }), 'malformed', 'op'],
      ['no op_no', query({ op_no: undefined }), 'malformed', 'op_no'],
      ['an op_no of seven digits', query({ op_no: '0000001' }), 'malformed', 'op_no'],
      ['an op_no with a sign', query({ op_no: '-1' }), 'malformed', 'op_no'],
      ['no total', query({ total: undefined }), 'malformed', 'total or cur'],
      ['no cur', query({ cur: undefined }), 'malformed', 'total or cur'],
    ] as const) {
      it(`treats ${what} as ${verdict}`, async () => {
        const delivered = await deliver(sent);
        expect(delivered.verdict).to.equal(verdict);
        expect(delivered.reason).to.match(new RegExp(`^${reason}`));
      });
    }
  });

  describe('the check', () => {
    const changes: readonly Parameters[] = [
      { outcome: 'declined' },
      { b_txn: '8812004' },
      { gw_ref: 'GW-10043-1' },
      // The concatenated text stays the same: the forms keep a value from flowing into its neighbour.
      { outcome: 'approve', b_txn: 'd8812003' },
      { b_txn: '8812003G', gw_ref: 'W-10042-1' },
    ];
    for (const change of changes) {
      it(`refuses a query with changed ${Object.keys(change).join(' and ')}`, async () => {
        const check = new URLSearchParams(query()).get('check')!;
        expect((await deliver(query({ ...change, check }))).verdict).to.not.equal('genuine');
      });
    }

    it('accepts capitals, and every key of the list', async () => {
      const check = new URLSearchParams(query()).get('check')!;
      expect((await deliver(query({ check: check.toUpperCase() }))).verdict).to.equal('genuine');
      for (const key of keys) expect((await deliver(query({}, key))).verdict).to.equal('genuine');
      expect((await deliver(query({}, 'B9999999-test-another'))).verdict).to.equal('invalid_signature');
      expect((await deliver(query({}, ''))).verdict).to.equal('invalid_signature');
    });

    it('accepts no empty key, even in options that were not parsed', async () => {
      expect((await deliver(query({}, ''), [''])).verdict).to.equal('invalid_signature');
    });

    it('signs a reversal like the sale, which is why only the sale is applied', async () => {
      const check = new URLSearchParams(query()).get('check')!;
      const { event } = await deliver(query({ op: 'reversal', op_no: '1', total: '25.90', check }));
      expect(event).to.include({ kind: 'refund', status: 'succeeded', mustFetch: true });
    });
  });

  it('acknowledges each outcome as B expects', async () => {
    const expected: Readonly<Record<AckOutcome, readonly [number, string]>> = {
      accepted: [200, 'OK'],
      duplicate: [200, 'OK'],
      unknown_reference: [200, 'OK'],
      ignored: [200, 'OK'],
      invalid_signature: [401, 'ERROR check'],
      stale: [401, 'ERROR check'],
      malformed: [400, 'ERROR fields'],
      try_later: [503, 'ERROR later'],
    };
    for (const [outcome, [status, body]] of Object.entries(expected)) {
      const acknowledgement = await harness.acknowledge({ query: query() }, outcome as AckOutcome);
      expect(acknowledgement).to.deep.equal(text(body, status));
    }
  });
});
