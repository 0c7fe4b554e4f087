import type { CoreSays, DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toBlob, toCheck } from '../../wire.ts';
import type { Options } from '../../options.ts';
import { harness } from '../messages.ts';

const { now, options: usual } = harness;

const good = {
  mid: 'MID1',
  u_txn: 'U001',
  gw_ref: 'GW-10042-1',
  paise: 2590,
  state: 'COMPLETED',
  at: 1772442930250,
};
/** The numbers of a refund and a dispute. */
const numbers = { r_txn: 'R1', d_no: 'D1' };

interface Sent {
  /** The message in the blob, or the blob itself. */
  readonly message?: Readonly<Record<string, unknown>>;
  readonly blob?: string;
  readonly index?: string;
  readonly salt?: string;
  /** Makes `X-U-Check` from the right one. With more than one value the header repeats. */
  readonly check?: (right: string) => readonly string[];
  /** Makes the body from the blob. */
  readonly body?: (blob: string) => string | Uint8Array;
}

/** Delivers a callback that the switch signed; `coreSays` is what core decides once the callback is read. */
function deliver(sent: Sent, coreSays: CoreSays = 'accepted', options: Options = usual): Promise<DeliveredCallback> {
  const { index = '1', message = good } = sent;
  const { blob = toBlob(message), salt = usual.salts[index] ?? '' } = sent;
  const right = toCheck(blob, index, salt);
  const headers = (sent.check?.(right) ?? [right]).map((value) => ['X-U-Check', value] as const);
  return harness.deliver({ headers, body: sent.body?.(blob) ?? JSON.stringify({ blob }) }, { options, coreSays });
}

const verdictOf = async (sent: Sent, options?: Options): Promise<unknown> =>
  (await deliver(sent, 'accepted', options)).genuine;

describe('callback POST upi, the signature', () => {
  it('matches the worked example of the protocol', () => {
    const inner = '{"mid":"MID7781","u_txn":"U1","gw_ref":"GW-1-1","paise":100,"state":"COMPLETED","at":1795251600000}';
    const blob = Buffer.from(inner).toString('base64');
    expect(toBlob(JSON.parse(inner))).to.equal(blob);
    expect(toCheck(blob, '1', 'salt-one')).to.equal(
      'b9dfdcc0c91d3e6b04096932ba98be614c4ebd7945916fc0ea4d3fc1a2063e60###1',
    );
  });

  it('accepts the salt of every listed index, in UTF-8, and hex of either case', async () => {
    expect([
      await verdictOf({ index: '1' }),
      await verdictOf({ index: '7' }),
      await verdictOf({ index: '999' }),
    ]).to.deep.equal([true, true, true]);
    const upper = (right: string): string[] => [right.replace(/^[0-9a-f]+/, (hex) => hex.toUpperCase())];
    expect(await verdictOf({ check: upper })).to.equal(true);
  });

  it('accepts the salt of the named index, and no other', async () => {
    expect(await verdictOf({ index: '1', salt: usual.salts['7']! })).to.equal('invalid_signature');
    expect(await verdictOf({ index: '2', salt: usual.salts['1']! })).to.equal('invalid_signature');
    expect(await verdictOf({ index: '1' }, { ...usual, salts: { '7': 'other' } })).to.equal('invalid_signature');
    expect(await verdictOf({ index: '1', salt: '' }, { ...usual, salts: { '1': '', '7': 'other' } })).to.equal(
      'invalid_signature',
    );
  });

  for (const [name, check] of [
    ['no check', () => []],
    ['a check twice', (right) => [right, right]],
    ['an empty check', () => ['']],
    ['two number signs', (right) => [right.replace('###', '##')]],
    ['four number signs', (right) => [right.replace('###', '####')]],
    ['no index', (right) => [right.replace(/###.*/, '###')]],
    ['an index with a zero before it', (right) => [right.replace('###', '###0')]],
    ['an index of four digits', (right) => [`${right}000`]],
    ['an index that objects have', (right) => [right.replace(/###.*/, '###constructor')]],
    ['63 digits', (right) => [right.slice(1)]],
    ['65 digits', (right) => [`0${right}`]],
    ['no hex', (right) => [right.replace(/^./, 'g')]],
    ['a space before it', (right) => [` ${right}`]],
    ['a line end after it', (right) => [`${right}\n`]],
    ['one digit changed', (right) => [right.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))]],
  ] as readonly (readonly [string, (right: string) => readonly string[]])[]) {
    it(`has an invalid signature with ${name}`, async () =>
      expect(await verdictOf({ check })).to.equal('invalid_signature'));
  }

  it('hashes the base64 text, not the JSON in it', async () => {
    const inner = JSON.stringify(good);
    const right = toCheck(inner, '1', usual.salts['1']!);
    expect(await verdictOf({ check: () => [right] })).to.equal('invalid_signature');
  });

  it('decodes the JSON string of the blob first, and ignores other members', async () => {
    const blob = toBlob({ ...good, vpa: '??????' });
    expect(blob).to.contain('/');
    const spelled = blob.replaceAll('/', '\\/').replace(/^e/, '\\u0065');
    const body = (): string => ` {"v":2,"blob" : "${spelled}","Blob":"x"}\n`;
    expect(await verdictOf({ blob, body })).to.equal(true);
  });

  for (const [name, body] of [
    ['a body that is not JSON', (blob) => `blob=${blob}`],
    ['an empty body', () => ''],
    ['a list', (blob) => JSON.stringify([{ blob }])],
    ['a text', (blob) => JSON.stringify(blob)],
    ['null', () => 'null'],
    ['a blob that is null', () => '{"blob":null}'],
    ['a blob that is an object', () => JSON.stringify({ blob: good })],
    ['a blob twice', (blob) => `{"blob":"x","blob":"${blob}"}`],
    ['bytes that are not UTF-8', (blob) => Buffer.concat([Buffer.from(`{"blob":"${blob}"}`), Buffer.from([0xff])])],
  ] as readonly (readonly [string, (blob: string) => string | Uint8Array])[]) {
    it(`is malformed with ${name} and any header`, async () => {
      for (const check of [(right: string) => [right], () => [], () => ['x']]) {
        const { genuine, acknowledgement } = await deliver({ body, check });
        expect([genuine, acknowledgement.status]).to.deep.equal(['malformed', 400]);
      }
    });
  }

  for (const [name, blob] of [
    ['an empty one', ''],
    ['no base64', '{"mid":"MID1"}'],
    ['no padding', Buffer.from('{"mid":"MID1"} ').toString('base64').replace(/=*$/, '') + 'eQ'],
    ['the alphabet of addresses', Buffer.from(JSON.stringify({ ...good, vpa: 'ÿÿÿ>>>???' })).toString('base64url')],
    ['a line end', `${toBlob(good)}\n`],
    ['a list', toBlob([good])],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64')],
  ] as const) {
    it(`keeps a genuine blob that is ${name} as malformed`, async () => {
      const { genuine, events, acknowledgement } = await deliver({ blob });
      expect([genuine, events.length, acknowledgement.status]).to.deep.equal(['malformed', 0, 400]);
      expect(await verdictOf({ blob, check: (right) => [right.replace(/^./, 'f'), 'x'] })).to.equal(
        'invalid_signature',
      );
    });
  }

  it('ignores time, because the message has no verified time of its own', async () => {
    expect(await verdictOf({ message: { ...good, at: 0 } })).to.equal(true);
  });
});

describe('callback POST upi, the events', () => {
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
        providerStatus: state,
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

  it('reports only a completed payment as late', async () => {
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

  it('gives one identity to one receipt of the banks, and leaves it out without a receipt', async () => {
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

  it('reports neither the payer’s id, nor the mode, nor that the switch worked', async () => {
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
    ['a refund of a strange status without r_txn', { state: 'REFUND_ODD' }],
    ['a dispute without d_no', { state: 'DISPUTED', r_txn: 'R1' }],
    ['a dispute whose d_no is null', { state: 'DISPUTE_LOST', d_no: null }],
  ] as readonly (readonly [string, Readonly<Record<string, unknown>>])[]) {
    it(`keeps a message with ${name} as malformed`, async () => {
      const { genuine, events, acknowledgement } = await deliver({ message: { ...good, ...change } });
      expect([genuine, events.length, acknowledgement.status]).to.deep.equal(['malformed', 0, 400]);
    });
  }

  it('ignores another merchant, even if other members are unreadable', async () => {
    for (const message of [{ ...good, mid: 'MID2' }, { mid: 'mid1' }, { ...good, mid: '' }]) {
      const { genuine, events, outcome } = await deliver({ message });
      expect([genuine, events, outcome]).to.deep.equal([true, [], 'ignored']);
    }
  });
});

describe('callback POST upi, the acknowledgement', () => {
  const answer = async (sent: Sent, coreSays?: CoreSays): Promise<unknown[]> => {
    const { acknowledgement } = await deliver(sent, coreSays);
    expect(acknowledgement.headers).to.deep.equal({ 'Content-Type': 'application/json' });
    return [acknowledgement.status, acknowledgement.body];
  };

  it('answers SUCCESS to a callback that need not come again', async () => {
    for (const coreSays of ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const) {
      expect(await answer({}, coreSays)).to.deep.equal([200, '{"status":"SUCCESS"}']);
    }
  });

  it('answers with the fault, or requests a repetition', async () => {
    expect(await answer({ salt: 'other' })).to.deep.equal([401, '{"status":"FAILURE","code":"CHECK"}']);
    expect(await answer({ body: () => '{}' })).to.deep.equal([400, '{"status":"FAILURE","code":"FORMAT"}']);
    expect(await answer({ message: {} })).to.deep.equal([400, '{"status":"FAILURE","code":"FORMAT"}']);
    expect(await answer({}, 'try_later')).to.deep.equal([503, '{"status":"RETRY"}']);
  });
});
