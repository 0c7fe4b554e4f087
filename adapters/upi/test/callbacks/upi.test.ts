import { expect } from 'chai';
import { describe, it } from 'mocha';
import { deliver, good, numbers } from '../deliver.ts';
import { now } from '../helpers.ts';

describe('POST upi, what it says', () => {
  for (const [state, kind, status] of [
    ['PENDING', 'payment', 'pending'],
    ['DEEMED', 'payment', 'pending'],
    ['COMPLETED', 'payment', 'succeeded'],
    ['FAILED', 'payment', 'failed'],
    ['EXPIRED', 'payment', 'expired'],
    ['CANCELLED', 'payment', 'cancelled'],
    ['REFUND_PENDING', 'refund', 'pending'],
    ['REFUND_DONE', 'refund', 'succeeded'],
    ['REFUND_FAILED', 'refund', 'failed'],
    ['REFUND_REVERSED', 'refund', 'reversed'],
    ['DISPUTED', 'chargeback', 'opened'],
    ['DISPUTE_WON', 'chargeback', 'won'],
    ['DISPUTE_LOST', 'chargeback', 'lost'],
    ['DISPUTE_REVERSED', 'chargeback', 'reversed'],
    ['REFUND_ODD', 'payment', 'unknown'],
    ['DISPUTE_ODD', 'payment', 'unknown'],
    ['completed', 'payment', 'unknown'],
    ['', 'payment', 'unknown'],
    ['hasOwnProperty', 'payment', 'unknown'],
  ] as const) {
    it(`reads "${state}" as ${kind} ${status}`, async () => {
      const { events } = await deliver({ message: { ...good, ...numbers, state, rrn: '000123', why: 'LIMIT' } });
      const number = { payment: '000123', refund: 'R1', chargeback: 'D1' }[kind];
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind,
        status,
        word: state,
        reference: 'GW-10042-1',
        providerReference: 'U001',
        amount: '25.90',
        currency: 'INR',
        dedupeKey: `U001|${state}|${number}`,
        orderHint: 1772442930250,
      });
      expect(events[0]!.occurredAt).to.deep.equal(now);
      expect(events[0]!.subReference).to.equal(kind === 'payment' ? undefined : number);
      expect(events[0]!.decline).to.equal(state === 'FAILED' ? '61' : undefined);
    });
  }

  for (const [why, expected] of [
    ['PIN_WRONG', { decline: 'U30' }],
    ['RISK', { decline: 'U16' }],
    ['DEVICE_UNBOUND', { decline: 'U66' }],
    ['PAYER_DECLINED', { decline: 'U69' }],
    ['NO_BALANCE', { decline: '51' }],
    ['NOT_ALLOWED', { decline: '57' }],
    ['LIMIT', { decline: '61' }],
    ['VPA_UNKNOWN', { decline: '05' }],
    ['BANK_DOWN', { decline: '05' }],
    ['RETURNED', { decline: '05' }],
    [null, { decline: '05' }],
    [undefined, { decline: '05' }],
    ['MOON', { decline: '05', declineText: 'MOON' }],
    ['valueOf', { decline: '05', declineText: 'valueOf' }],
  ] as const) {
    it(`declines ${why} with ${expected.decline}`, async () => {
      const { events } = await deliver({ message: { ...good, state: 'FAILED', why } });
      const { decline, declineText } = events[0]!;
      expect(JSON.parse(JSON.stringify({ decline, declineText }))).to.deep.equal(expected);
    });
  }

  it('calls late only what completed', async () => {
    const statusOf = async (state: string, late: boolean): Promise<unknown> =>
      (await deliver({ message: { ...good, ...numbers, state, late } })).events[0]?.status;
    expect([await statusOf('COMPLETED', true), await statusOf('COMPLETED', false)]).to.deep.equal([
      'late',
      'succeeded',
    ]);
    expect([await statusOf('EXPIRED', true), await statusOf('REFUND_DONE', true)]).to.deep.equal([
      'expired',
      'succeeded',
    ]);
  });

  it('gives one identity to one receipt of the banks, and none of it where there is none', async () => {
    const keyOf = async (more: Readonly<Record<string, unknown>>): Promise<unknown> =>
      (await deliver({ message: { ...good, ...more } })).events[0]?.dedupeKey;
    expect(await keyOf({ rrn: '000433012345', at: 1 })).to.equal(await keyOf({ rrn: '000433012345', at: 2 }));
    expect(await keyOf({ rrn: '433012345' })).to.not.equal(await keyOf({ rrn: '000433012345' }));
    expect([await keyOf({}), await keyOf({ rrn: null })]).to.deep.equal(['U001|COMPLETED|', 'U001|COMPLETED|']);
    expect(await keyOf({ rrn: '1', r_txn: 'R1', d_no: null })).to.equal('U001|COMPLETED|1');
  });

  for (const [paise, amount] of [
    ['0', '0.00'],
    ['5', '0.05'],
    ['49900', '499.00'],
    ['900719925474099301', '9007199254740993.01'],
  ] as const) {
    it(`spells ${paise} paise as ${amount}`, async () => {
      const blob = Buffer.from(JSON.stringify(good).replace('2590', paise)).toString('base64');
      expect((await deliver({ blob })).events[0]).to.include({ amount });
    });
  }

  it('tells nothing of the payer’s id, the mode, or how the switch worked', async () => {
    const message = { ...good, ok: false, code: 'PAYMENT_ERROR', mode: 'COLLECT', vpa: 'asha@okbank' };
    const { events } = await deliver({ message });
    expect(events[0]).to.include({ status: 'succeeded' }).and.not.have.any.keys('mode', 'facts', 'decline');
    expect(JSON.stringify(events)).to.not.contain('asha');
  });

  for (const [name, change] of [
    ...Object.keys(good)
      .filter((member) => member !== 'mid')
      .flatMap((member) => [
        [`no ${member}`, { [member]: undefined }],
        [`${member} null`, { [member]: null }],
        [`${member} of another type`, { [member]: typeof good[member as keyof typeof good] === 'string' ? 7 : '7' }],
      ]),
    ['no mid', { mid: undefined }],
    ['a mid that is a number', { mid: 1 }],
    ['a negative paise', { paise: -1 }],
    ['a paise with a fraction', { paise: 25.9 }],
    ['an at with a fraction', { at: 1.5 }],
    ['ok as text', { ok: 'true' }],
    ['a code that is a number', { code: 1 }],
    ['a mode that is a number', { mode: 1 }],
    ['a vpa that is a number', { vpa: 1 }],
    ['an rrn that is a number', { rrn: 433012345 }],
    ['a why that is a list', { why: [] }],
    ['late as text', { late: 'true' }],
    ['late null', { late: null }],
    ['a refund without r_txn', { state: 'REFUND_DONE', d_no: 'D1' }],
    ['a refund whose r_txn is a number', { state: 'REFUND_DONE', r_txn: 1 }],
    ['a refund of a strange word without r_txn', { state: 'REFUND_ODD' }],
    ['a dispute without d_no', { state: 'DISPUTED', r_txn: 'R1' }],
    ['a dispute whose d_no is null', { state: 'DISPUTE_LOST', d_no: null }],
  ] as readonly (readonly [string, Readonly<Record<string, unknown>>])[]) {
    it(`keeps a message with ${name} as malformed`, async () => {
      const { genuine, events, acknowledgement } = await deliver({ message: { ...good, ...change } });
      expect([genuine, events.length, acknowledgement.status]).to.deep.equal(['malformed', 0, 400]);
    });
  }

  it('ignores another merchant, also where the rest cannot be read', async () => {
    for (const message of [{ ...good, mid: 'MID2' }, { mid: 'mid1' }, { ...good, mid: '' }]) {
      const { genuine, events, outcome } = await deliver({ message });
      expect([genuine, events, outcome]).to.deep.equal([true, [], 'ignored']);
    }
  });
});
