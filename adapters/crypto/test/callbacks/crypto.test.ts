import { defined, type AckOutcome } from '@paywright/contract';
import type { CoreSays, DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { signatureOf } from '../../wire.ts';
import { harness, type Members } from '../messages.ts';

const { options } = harness;

/** A callback about the sample payment. */
function notice(members: Members = {}): Members {
  return {
    deliveryNo: 'dl_2',
    firstDeliveryNo: 'dl_1',
    resent: true,
    type: 'invoice.settled',
    invoice: 'inv_1',
    ref: 'GW-10042-1',
    storeId: 'st_Test1',
    time: 1795251600,
    ...members,
  };
}

interface Sent {
  readonly message?: unknown;
  /** The body, if it is not the message's plain JSON. */
  readonly body?: string | Uint8Array;
  readonly secret?: string;
  /** Makes the values of `X-Cr-Sig` from the right hex. */
  readonly signature?: (hex: string) => readonly string[];
}

/** Delivers a signed callback; `coreSays` is what core decides once the callback is read. */
function deliver(sent: Sent, coreSays?: CoreSays): Promise<DeliveredCallback> {
  const { message = notice(), secret = options.hookSecrets[0]!, signature = (hex) => [`sha256=${hex}`] } = sent;
  const body = Buffer.from((sent.body ?? JSON.stringify(message)) as string);
  const hex = signatureOf(secret, body).toString('hex');
  const headers = signature(hex).map((value) => ['X-Cr-Sig', value] as const);
  return harness.deliver({ headers, body }, defined({ coreSays }));
}

describe('callback POST crypto, the signature', () => {
  const verdictOf = async (sent: Sent): Promise<unknown> => (await deliver(sent)).genuine;

  it('matches the worked example of the protocol', () => {
    const body =
      '{"deliveryNo":"dl_2","firstDeliveryNo":"dl_1","resent":true,"type":"invoice.settled","invoice":"inv_8Zk2Qw","ref":"GW-10042-1","storeId":"st_K7Lm","time":1795251600}';
    expect(signatureOf('example-hook-secret', Buffer.from(body)).toString('hex')).to.equal(
      '0258eb4b4512ec22cd90873c85d743f48374afac5161892af8b413a812d8969e',
    );
  });

  for (const secret of options.hookSecrets) {
    it(`accepts ${secret}`, async () => expect(await verdictOf({ secret })).to.equal(true));
  }
  it('accepts hex of either case', async () => {
    expect(await verdictOf({ signature: (hex) => [`sha256=${hex.toUpperCase()}`] })).to.equal(true);
  });

  for (const [name, sent] of [
    ['no signature', { signature: () => [] }],
    ['the signature twice', { signature: (hex) => [`sha256=${hex}`, `sha256=${hex}`] }],
    ['an empty signature', { signature: () => [''] }],
    ['the prefix alone', { signature: () => ['sha256='] }],
    ['no prefix', { signature: (hex) => [hex] }],
    ['a prefix in capitals', { signature: (hex) => [`SHA256=${hex}`] }],
    ['sha1', { signature: (hex) => [`sha1=${hex.slice(0, 40)}`] }],
    ['sha512', { signature: (hex) => [`sha512=${hex}${hex}`] }],
    ['another name', { signature: (hex) => [`v1=${hex}`] }],
    ['a list', { signature: (hex) => [`sha256=${hex},sha256=${hex}`] }],
    ['a list with another', { signature: (hex) => [`sha1=00, sha256=${hex}`] }],
    ['a space before it', { signature: (hex) => [` sha256=${hex}`] }],
    ['a space in it', { signature: (hex) => [`sha256= ${hex}`] }],
    ['a line end after it', { signature: (hex) => [`sha256=${hex}\n`] }],
    ['63 digits', { signature: (hex) => [`sha256=${hex.slice(1)}`] }],
    ['65 digits', { signature: (hex) => [`sha256=${hex}0`] }],
    ['no hex', { signature: (hex) => [`sha256=${hex.replace(/^./, 'g')}`] }],
    ['one digit changed', { signature: (hex) => [`sha256=${hex.replace(/^./, (one) => (one === '0' ? '1' : '0'))}`] }],
    ['the token of our requests', { secret: options.apiToken }],
    ['another secret, also where nothing can be read', { secret: 'another', body: '{' }],
  ] as readonly (readonly [string, Sent])[]) {
    it(`has an invalid signature with ${name}`, async () =>
      expect(await verdictOf(sent)).to.equal('invalid_signature'));
  }
});

describe('callback POST crypto, the events', () => {
  const eventOf = async (message: Members) => (await deliver({ message })).events[0];

  for (const [type, members, status] of [
    ['invoice.created', {}, 'pending'],
    ['invoice.seen', {}, 'pending'],
    ['invoice.processing', {}, 'pending'],
    ['invoice.partial', {}, 'underpaid'],
    ['invoice.settled', {}, 'succeeded'],
    ['invoice.settled', { afterExpiry: true }, 'late'],
    ['invoice.settled', { overpaid: true }, 'overpaid'],
    ['invoice.settled', { afterExpiry: true, overpaid: true, partial: true }, 'late'],
    ['invoice.settled', { afterExpiry: false, overpaid: false, partial: true }, 'succeeded'],
    ['invoice.settled', { afterExpiry: 'yes', overpaid: 1, time: 'soon' }, 'succeeded'],
    ['invoice.partial', { overpaid: true }, 'underpaid'],
    ['invoice.expired', {}, 'expired'],
    ['invoice.expired', { partial: true, afterExpiry: true }, 'expired'],
    ['invoice.cancelled', {}, 'cancelled'],
    ['invoice.invalid', {}, 'failed'],
    ['invoice.new', {}, 'unknown'],
    ['invoice.frozen', {}, 'unknown'],
    ['settled', {}, 'unknown'],
    ['refund', {}, 'unknown'],
    ['constructor', {}, 'unknown'],
  ] as const) {
    it(`reads ${type} ${JSON.stringify(members)} as ${status}`, async () => {
      expect(await eventOf(notice({ type, ...members }))).to.deep.include({
        kind: 'payment',
        providerStatus: type,
        status,
        reference: 'GW-10042-1',
        providerReference: 'inv_1',
        amount: null,
        currency: null,
        dedupeKey: 'dl_1',
        mustFetch: true,
      });
    });
  }

  for (const [type, status] of [
    ['refund.created', 'pending'],
    ['refund.done', 'succeeded'],
    ['refund.failed', 'failed'],
    ['refund.reversed', 'reversed'],
    ['refund.lost', 'unknown'],
    ['refund.', 'unknown'],
  ] as const) {
    it(`reads ${type} as a refund that is ${status}`, async () => {
      expect(await eventOf(notice({ type, refund: 'rf_1' }))).to.include({
        kind: 'refund',
        providerStatus: type,
        status,
        providerReference: 'inv_1',
        subReference: 'rf_1',
        amount: null,
        mustFetch: true,
      });
    });
  }

  for (const [name, firstDeliveryNo, identity] of [
    ['of another', 'dl_1', 'dl_1'],
    ['of itself', 'dl_2', 'dl_2'],
    ['of null', null, 'dl_2'],
    ['of none', undefined, 'dl_2'],
  ] as const) {
    it(`identifies a delivery by the first one, ${name}`, async () => {
      expect(await eventOf(notice({ firstDeliveryNo }))).to.include({ dedupeKey: identity });
    });
  }

  it('orders by time if there is one', async () => {
    expect(await eventOf(notice())).to.include({ orderHint: 1795251600 });
    expect(await eventOf(notice({ time: undefined }))).to.not.have.property('orderHint');
  });

  for (const [reason, decline, declineText] of [
    ['too-low', '51', undefined],
    ['buyer-blocked', '57', undefined],
    ['limit', '61', undefined],
    ['double-spent', '05', undefined],
    ['reorganised', '05', undefined],
    ['eclipse', '05', 'eclipse'],
    ['toString', '05', 'toString'],
    [null, '05', undefined],
    [undefined, '05', undefined],
  ] as const) {
    it(`declines ${reason} with ${decline}`, async () => {
      const event = await eventOf(notice({ type: 'invoice.invalid', reason }));
      expect([event?.decline, event?.declineText]).to.deep.equal([decline, declineText]);
      expect(event).to.not.have.property('unknownStatus');
    });
  }
  it('declines only an invalid invoice', async () => {
    expect(await eventOf(notice({ type: 'invoice.expired', reason: 'limit' }))).to.not.have.property('decline');
  });

  for (const [name, sent] of [
    ['a body that is not JSON', { body: 'type=invoice.settled' }],
    ['nothing', { body: '' }],
    ['bytes that are no text', { body: Buffer.from([0x7b, 0xff, 0x7d]) }],
    ['a list', { message: [notice()] }],
    ['a member twice', { body: JSON.stringify(notice()).replace('{', '{"deliveryNo":"dl_9",') }],
    ['no deliveryNo', { message: notice({ deliveryNo: undefined }) }],
    ['a deliveryNo that is a number', { message: notice({ deliveryNo: 2 }) }],
    ['no type', { message: notice({ type: undefined }) }],
    ['no storeId', { message: notice({ storeId: undefined }) }],
    ['no storeId in a test', { message: notice({ type: 'hook.test', storeId: null }) }],
    ['no invoice', { message: notice({ invoice: undefined }) }],
    ['an invoice that is null', { message: notice({ invoice: null }) }],
    ['no reference', { message: notice({ ref: null }) }],
    ['a refund without number', { message: notice({ type: 'refund.done' }) }],
    ['a refund without invoice', { message: notice({ type: 'refund.done', refund: 'rf_1', invoice: null }) }],
  ] as readonly (readonly [string, Sent])[]) {
    it(`keeps ${name} as malformed`, async () => {
      const { genuine, outcome, events } = await deliver(sent);
      expect([genuine, outcome, events]).to.deep.equal(['malformed', 'malformed', []]);
    });
  }

  for (const [name, message] of [
    ['a test', notice({ type: 'hook.test', invoice: null, ref: null })],
    ['another store', notice({ storeId: 'st_Other', ref: null })],
    ['a test of another store', notice({ type: 'hook.test', storeId: 'st_Other' })],
  ] as const) {
    it(`ignores ${name}`, async () => {
      const { genuine, outcome, events } = await deliver({ message });
      expect([genuine, outcome, events]).to.deep.equal([true, 'ignored', []]);
    });
  }
});

describe('callback POST crypto, the acknowledgement', () => {
  const good = '{"ok":true}';
  const bad = '{"ok":false}';
  for (const [coreSays, status, body] of [
    ['accepted', 200, good],
    ['duplicate', 200, good],
    ['unknown_reference', 200, good],
    ['ignored', 200, good],
    ['try_later', 503, bad],
  ] as readonly (readonly [CoreSays & AckOutcome, number, string])[]) {
    it(`answers ${status} when core says ${coreSays}`, async () => {
      const { acknowledgement } = await deliver({}, coreSays);
      expect(acknowledgement).to.deep.equal({ status, headers: { 'Content-Type': 'application/json' }, body });
    });
  }
  it('answers 401 to an invalid signature, and 400 to a malformed callback', async () => {
    const refused = (await deliver({ signature: () => [] })).acknowledgement;
    const malformed = (await deliver({ body: '{' })).acknowledgement;
    expect([refused.status, refused.body]).to.deep.equal([401, bad]);
    expect([malformed.status, malformed.body]).to.deep.equal([400, bad]);
  });
});
