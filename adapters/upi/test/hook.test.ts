import type { CoreSays } from '@gateway/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toBlob, toCheck } from '../wire.ts';
import type { Options } from '../options.ts';
import { deliver, good, type Sent } from './deliver.ts';
import { options as usual } from './helpers.ts';

const verdictOf = async (sent: Sent, options?: Options): Promise<unknown> =>
  (await deliver(sent, 'accepted', options)).genuine;

describe('POST upi, the proof', () => {
  it('agrees with the worked example of the protocol', () => {
    const inner = '{"mid":"MID7781","u_txn":"U1","gw_ref":"GW-1-1","paise":100,"state":"COMPLETED","at":1795251600000}';
    const blob = Buffer.from(inner).toString('base64');
    expect(toBlob(JSON.parse(inner))).to.equal(blob);
    expect(toCheck(blob, '1', 'salt-one')).to.equal(
      'b9dfdcc0c91d3e6b04096932ba98be614c4ebd7945916fc0ea4d3fc1a2063e60###1',
    );
  });

  it('takes the salt of every index listed, in UTF-8, and hex of either case', async () => {
    expect([
      await verdictOf({ index: '1' }),
      await verdictOf({ index: '7' }),
      await verdictOf({ index: '999' }),
    ]).to.deep.equal([true, true, true]);
    const upper = (right: string): string[] => [right.replace(/^[0-9a-f]+/, (hex) => hex.toUpperCase())];
    expect(await verdictOf({ check: upper })).to.equal(true);
  });

  it('takes the salt of the index named, and no other', async () => {
    expect(await verdictOf({ index: '1', salt: usual.salts['7']! })).to.equal('forged');
    expect(await verdictOf({ index: '2', salt: usual.salts['1']! })).to.equal('forged');
    expect(await verdictOf({ index: '1' }, { ...usual, salts: { '7': 'other' } })).to.equal('forged');
    expect(await verdictOf({ index: '1', salt: '' }, { ...usual, salts: { '1': '', '7': 'other' } })).to.equal(
      'forged',
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
    it(`is forged with ${name}`, async () => expect(await verdictOf({ check })).to.equal('forged'));
  }

  it('hashes the base64 text, not the JSON in it', async () => {
    const inner = JSON.stringify(good);
    const right = toCheck(inner, '1', usual.salts['1']!);
    expect(await verdictOf({ check: () => [right] })).to.equal('forged');
  });

  it('decodes the JSON string of the blob first, and ignores other members', async () => {
    const blob = toBlob({ ...good, vpa: '??????' });
    expect(blob).to.contain('/');
    const spelled = blob.replaceAll('/', '\\/').replace(/^e/, '\\u0065');
    const body = (): string => ` {"v":2,"blob" : "${spelled}","Blob":"x"}\n`;
    expect(await verdictOf({ blob, body })).to.equal(true);
  });

  for (const [name, body] of [
    ['no JSON', (blob) => `blob=${blob}`],
    ['an empty body', () => ''],
    ['a list', (blob) => JSON.stringify([{ blob }])],
    ['a text', (blob) => JSON.stringify(blob)],
    ['null', () => 'null'],
    ['a blob that is null', () => '{"blob":null}'],
    ['a blob that is an object', () => JSON.stringify({ blob: good })],
    ['a blob twice', (blob) => `{"blob":"x","blob":"${blob}"}`],
    ['bytes that are not UTF-8', (blob) => Buffer.concat([Buffer.from(`{"blob":"${blob}"}`), Buffer.from([0xff])])],
  ] as readonly (readonly [string, (blob: string) => string | Uint8Array])[]) {
    it(`is malformed with ${name}, whatever the header says`, async () => {
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
      expect(await verdictOf({ blob, check: (right) => [right.replace(/^./, 'f'), 'x'] })).to.equal('forged');
    });
  }

  it('does not know time, for the message has none that is proven to be its own', async () => {
    expect(await verdictOf({ message: { ...good, at: 0 } })).to.equal(true);
  });
});

describe('POST upi, the answer', () => {
  const answer = async (sent: Sent, coreSays?: CoreSays): Promise<unknown[]> => {
    const { acknowledgement } = await deliver(sent, coreSays);
    expect(acknowledgement.headers).to.deep.equal({ 'Content-Type': 'application/json' });
    return [acknowledgement.status, acknowledgement.body];
  };

  it('says SUCCESS to whatever need not come again', async () => {
    for (const coreSays of ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const) {
      expect(await answer({}, coreSays)).to.deep.equal([200, '{"status":"SUCCESS"}']);
    }
  });

  it('says what is wrong, or to come again', async () => {
    expect(await answer({ salt: 'other' })).to.deep.equal([401, '{"status":"FAILURE","code":"CHECK"}']);
    expect(await answer({ body: () => '{}' })).to.deep.equal([400, '{"status":"FAILURE","code":"FORMAT"}']);
    expect(await answer({ message: {} })).to.deep.equal([400, '{"status":"FAILURE","code":"FORMAT"}']);
    expect(await answer({}, 'try_later')).to.deep.equal([503, '{"status":"RETRY"}']);
  });
});
