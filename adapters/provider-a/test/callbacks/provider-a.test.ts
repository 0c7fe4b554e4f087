import type { RawCallback } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { batch, canonicalEntry, entryMac } from '../../callbacks/provider-a.ts';
import { harness } from '../messages.ts';

const { deliver, options } = harness;

const plain = {
  txn: 'A-7H2K9Q',
  parent: null as string | null,
  acct: 'GatewayEU',
  ref: 'GW-10042-1',
  sum: { minor: '2590', cur: 'EUR' },
  what: 'AUTH',
  good: 'true',
};

/** An entry as JSON text with a signature over `entry`. `written` replaces members of the text after signing. */
function item(
  entry: Partial<typeof plain> = {},
  written: Readonly<Record<string, unknown>> = {},
  key = options.itemKeys[0]!,
) {
  const signed = { ...plain, ...entry };
  const mac = entryMac(key, canonicalEntry(signed)).toString('base64');
  const { sum, ...rest } = signed;
  const members: Record<string, unknown> = { ...rest, at: '2026-03-02T10:15:30+01:00', why: null, mac, ...written };
  const spelled = 'sum' in written ? '' : `"sum":{"minor":${sum.minor},"cur":${JSON.stringify(sum.cur)}},`;
  return `{"entry":{${spelled}${JSON.stringify(members).slice(1)}}`;
}

function batchOf(...items: readonly string[]): string {
  return `{"mode":"test","batchNo":9007199254740993,"entries":[${items.join(',')}]}`;
}

describe('callback providerA, the batch', () => {
  it('does not count an entry with a signed member of more than 1,000 characters', async () => {
    for (const [length, count] of [
      [1000, 1],
      [1001, 0],
    ] as const) {
      const { events } = await deliver({
        route: 'providerA',
        body: batchOf(item({ txn: '~'.repeat(length) }), item()),
      });
      expect(events).to.have.length(1 + count);
    }
  });

  for (const [providerStatus, kind, status] of [
    ['AUTH:true', 'payment', 'authorised'],
    ['AUTH:false', 'payment', 'failed'],
    ['CAPTURE:true', 'payment', 'succeeded'],
    ['CAPTURE:false', 'payment', 'failed'],
    ['VOID:true', 'payment', 'cancelled'],
    ['VOID:false', 'payment', 'authorised'],
    ['EXPIRE:true', 'payment', 'expired'],
    ['EXPIRE:false', 'payment', 'authorised'],
    ['REFUND:true', 'refund', 'succeeded'],
    ['REFUND:false', 'refund', 'failed'],
    ['REFUND:maybe', 'payment', 'unknown'],
    ['OK:true', 'payment', 'unknown'],
    ['toString:true', 'payment', 'unknown'],
  ] as const) {
    it(`reads ${providerStatus} as ${kind} ${status}`, async () => {
      const [what, good] = providerStatus.split(':') as [string, string];
      const { events } = await deliver({ route: 'providerA', body: batchOf(item({ what, good })) });
      expect(events).to.have.length(1);
      expect(events[0]).to.include({ kind, status, providerStatus, mode: 'test' });
      expect(events[0]).not.to.have.property('decline');
    });
  }

  it('accepts any key of the list, and no other', async () => {
    for (const key of options.itemKeys) {
      expect((await deliver({ route: 'providerA', body: batchOf(item({}, {}, key)) })).verdict).to.equal('genuine');
    }
    expect((await deliver({ route: 'providerA', body: batchOf(item({}, {}, 'ff'.repeat(32))) })).verdict).to.equal(
      'invalid_signature',
    );
  });

  it('keeps good entries in order, including equal ones, and counts the refused ones', async () => {
    const { events, refused } = await deliver({
      route: 'providerA',
      body: batchOf(item(), '{}', item({ what: 'CAPTURE' }), 'null', item()),
    });
    expect(events.map(({ providerStatus }) => providerStatus)).to.deep.equal([
      'AUTH:true',
      'CAPTURE:true',
      'AUTH:true',
    ]);
    expect(refused).to.equal(2);
  });

  it('names the accounts of all entries before it is verified', () => {
    const hintOf = (body: string) => batch.accountHint!({ body: Buffer.from(body) } as unknown as RawCallback);
    expect(hintOf(batchOf(item(), item({ acct: 'Other' }), item()))).to.deep.equal(['GatewayEU', 'Other']);
    expect([hintOf('{}'), hintOf('\xff{"acct":7}')]).to.deep.equal([[], []]);
  });

  it('says which entries of a batch are refused', async () => {
    const body = Buffer.from(batchOf(item(), '{}', item({ acct: 'Other' }), item()));
    const ctx = harness.createContext([]);
    const verdict = await batch.verifySignature({ body } as unknown as RawCallback, ctx);
    if (!('verified' in verdict)) throw new Error('unreachable');
    expect(batch.parseCallback(verdict.verified, ctx)).to.deep.include({ refused: 2, refusedAt: [1, 2] });
  });

  it("gives a refund the payment's provider reference, and the same identity as the refund route", async () => {
    const { events } = await deliver({
      route: 'providerA',
      body: batchOf(item({ txn: 'AR-1', parent: 'A-7H2K9Q', what: 'REFUND' })),
    });
    expect(events[0]).to.include({
      providerReference: 'A-7H2K9Q',
      subReference: 'AR-1',
      dedupeKey: 'refund:AR-1:succeeded',
    });
  });

  for (const [name, broken] of [
    ['another account, correctly signed', item({ acct: 'Other' })],
    ['good as a JSON boolean', item({}, { good: true })],
    ['a missing member', item({}, { why: undefined })],
    ['a parent that is a number', item({}, { parent: 5 })],
    ['no mac', item({}, { mac: undefined })],
    ['an empty mac', item({}, { mac: '' })],
    ['a mac in hex', item({}, { mac: '00'.repeat(32) })],
    ['a mac without padding', item().replace('="}', '"}')],
    ['an exponent in minor', item({ sum: { minor: '1e3', cur: 'EUR' } })],
    ['a fraction in minor', item({ sum: { minor: '10.0', cur: 'EUR' } })],
    ['a negative minor', item({ sum: { minor: '-5', cur: 'EUR' } })],
    ['16 digits in minor', item({ sum: { minor: '1000000000000000', cur: 'EUR' } })],
    ['minor as text', item({ sum: { minor: '"2590"', cur: 'EUR' } })],
    ['no sum', item({}, { sum: undefined })],
    ['values moved over the separator', item({ ref: 'GW-10042-1~2590' }, { ref: 'GW-10042-1' })],
  ] as const) {
    it(`refuses an entry with ${name}`, async () => {
      expect((await deliver({ route: 'providerA', body: batchOf(broken) })).verdict).to.equal('invalid_signature');
      const mixed = await deliver({ route: 'providerA', body: batchOf(broken, item()) });
      expect([mixed.verdict, mixed.events.length, mixed.refused]).to.deep.equal(['genuine', 1, 1]);
    });
  }

  for (const [currency, minor, amount] of [
    ['EUR', '5', '0.05'],
    ['JPY', '2590', '2590'],
    ['KWD', '25900', '25.900'],
    ['CLF', '25900', '2.5900'],
    ['XXXX', '2590', '25.90'],
    ['EUR', '999999999999999', '9999999999999.99'],
    ['EUR', '0', '0.00'],
  ] as const) {
    it(`spells ${minor} minor units of ${currency} as ${amount}`, async () => {
      const { events } = await deliver({ route: 'providerA', body: batchOf(item({ sum: { minor, cur: currency } })) });
      expect(events[0]).to.include({ amount, currency });
    });
  }

  it('reports a mode only if it is test or live', async () => {
    const body = batchOf(item()).replace('"mode":"test"', '"mode":"dry"');
    expect((await deliver({ route: 'providerA', body })).events[0]).not.to.have.property('mode');
  });

  for (const [name, body] of [
    ['a list', '[]'],
    ['a number', '1'],
    ['no entries', '{}'],
    ['entries that are no list', '{"entries":{}}'],
    ['an empty list', '{"entries":[]}'],
    ['a member twice', batchOf(item()).replace('{', '{"mode":"live",')],
    ['other bytes than UTF-8', Buffer.concat([Buffer.from('{"entries":["'), Buffer.from([0xff]), Buffer.from('"]}')])],
    ['nothing', ''],
  ] as const) {
    it(`calls ${name} malformed`, async () => {
      expect((await deliver({ route: 'providerA', body })).verdict).to.equal('malformed');
    });
  }
});
