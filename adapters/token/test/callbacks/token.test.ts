import type { CoreSays, DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hookKey, type Options } from '../../options.ts';
import { hookMac, signedBody } from '../../signing.ts';
import { harness } from '../messages.ts';

const { now, options: usual, seconds } = harness;

const charge = { id: 'ch_1', ref: 'GW-10042-1', state: 'succeeded', minor: 2590, cur: 'EUR', why: null };
const card = { handle: 'th_1', state: 'active', brand: 'visa', last4: '1111', expires: '2029-12' };

/** An event about our merchant, as JSON. */
function event(name: string, members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ event: name, mid: 'V-1', seq: 3, at: '2026-03-02T09:15:29Z', ...members });
}

type Headers = readonly (readonly [string, string])[];

interface Sent {
  readonly body: string | Uint8Array;
  readonly id?: string;
  /** Unix seconds; now by default. */
  readonly time?: string;
  readonly secret?: string;
  readonly address?: string;
  /** The receiver's clock. */
  readonly now?: Date;
  /** Makes `tk-sign` from the right base64. */
  readonly sign?: (mac: string) => string;
  readonly headers?: (headers: Headers) => Headers;
}

/** Delivers a signed callback; `coreSays` is what core decides once the callback is read. */
function deliver(sent: Sent, options: Options = usual, coreSays: CoreSays = 'accepted'): Promise<DeliveredCallback> {
  const { id = 'ev_1', time = String(seconds), secret = usual.hookSecrets[0]!, address = usual.callbackUrl } = sent;
  const mac = hookMac(hookKey(secret), address, id, time, Buffer.from(sent.body)).toString('base64');
  const headers: Headers = [
    ['tk-id', id],
    ['tk-time', time],
    ['tk-sign', sent.sign?.(mac) ?? `v1,${mac}`],
  ];
  return harness.deliver(
    { headers: sent.headers?.(headers) ?? headers, body: sent.body },
    { options, now: sent.now ?? now, coreSays },
  );
}

describe('callback POST token, the signature', () => {
  const good = event('charge.succeeded', { charge });
  const verdictOf = (sent: Partial<Sent>, options?: Options) =>
    deliver({ body: good, ...sent }, options).then(({ genuine }) => genuine);

  it('matches the worked example of the protocol', async () => {
    const secret = 'tks_UNhY4JhezH9gQYqvDMWrWH9CwlcKiECVqejMrND2VFw=';
    const body = Buffer.from('{"event":"vault.ping","mid":"V-2207"}');
    const address = 'https://pay.gateway.example/callbacks/token';
    expect(hookMac(hookKey(secret), address, 'ev_1', '1795251600', body).toString('base64')).to.equal(
      'ux4O3eCcl0fx/qPUPCqnWQO5KGzvf2v8hooj2knair0=',
    );
    expect(signedBody([secret], 'ev_1', '1795251600', 'accept')).to.equal(
      '{"tk_id":"ev_1","verdict":"accept","time":1795251600,"sign":"Ggw8XsDzrezIFOy/keGlAN5avgd1Ibt45ZVlMwQeFsk="}',
    );
  });

  for (const [name, sign] of [
    ['other versions and garbage before it', (mac) => `v2,${mac} v1 v1, ,${mac} x,y v1a,aaaa v1,${mac}`],
    ['a wrong entry before it', (mac) => `v1,${Buffer.alloc(32).toString('base64')} v1,${mac}`],
    ['spaces around it', (mac) => `  v1,${mac}  v1,`],
  ] as readonly (readonly [string, (mac: string) => string])[]) {
    it(`finds the right entry with ${name}`, async () => expect(await verdictOf({ sign })).to.equal(true));
  }

  for (const [name, sign] of [
    ['another version', (mac) => `v2,${mac}`],
    ['a version in capitals', (mac) => `V1,${mac}`],
    ['no version', (mac) => mac],
    ['no padding', (mac) => `v1,${mac.replace('=', '')}`],
    ['the alphabet of addresses', () => `v1,${'-_'.repeat(21)}A=`],
    ['hex', (mac) => `v1,${Buffer.from(mac, 'base64').toString('hex')}`],
    ['commas instead of spaces', (mac) => `v1,aaaa,v1,${mac}`],
    ['an empty value', () => 'v1,'],
    ['an empty header', () => ''],
  ] as readonly (readonly [string, (mac: string) => string])[]) {
    it(`has an invalid signature with ${name}`, async () =>
      expect(await verdictOf({ sign })).to.equal('invalid_signature'));
  }

  for (const name of ['tk-id', 'tk-time', 'tk-sign']) {
    it(`has an invalid signature with ${name} missing, or twice`, async () => {
      const without = (headers: Headers): Headers => headers.filter(([one]) => one !== name);
      const twice = (headers: Headers): Headers => [...headers, headers.find(([one]) => one === name)!];
      expect([await verdictOf({ headers: without }), await verdictOf({ headers: twice })]).to.deep.equal([
        'invalid_signature',
        'invalid_signature',
      ]);
    });
  }

  for (const id of ['', 'a b', 'ev.1', 'é', 'x'.repeat(65), 'ev_1\n']) {
    it(`has an invalid signature under the id ${JSON.stringify(id).slice(0, 12)}`, async () => {
      expect(await verdictOf({ id })).to.equal('invalid_signature');
    });
  }

  it('accepts an id of 64 characters, and headers of any letter case', async () => {
    const headers = (given: Headers): Headers => given.map(([name, value]) => [name.toUpperCase(), value]);
    expect(await verdictOf({ id: 'x-Y_9'.padEnd(64, 'z'), headers })).to.equal(true);
  });

  for (const time of ['0', '01772442930', '1772442930.0', '-1772442930', '1e9', '1234567890123']) {
    it(`has an invalid signature with the time ${time}`, async () => {
      expect(await verdictOf({ time })).to.equal('invalid_signature');
    });
  }

  it('accepts times up to 300 s in the past and in the future', async () => {
    const verdicts = [-301, -300, 300, 301].map((offset) => verdictOf({ time: String(seconds + offset) }));
    expect(await Promise.all(verdicts)).to.deep.equal(['stale', true, true, 'stale']);
    const later = (offset: number): Promise<unknown> =>
      verdictOf({ time: String(seconds + offset), now: new Date(now.getTime() + 1) });
    expect([await later(-300), await later(-299), await later(300)]).to.deep.equal(['stale', true, true]);
  });

  it('calls a wrong signature invalid, even if it is old', async () => {
    expect(await verdictOf({ time: String(seconds - 9999), sign: () => 'v1,aaaa' })).to.equal('invalid_signature');
  });

  it('accepts every secret of the list by its bytes, and no other', async () => {
    const [newest = '', older = ''] = usual.hookSecrets;
    expect([await verdictOf({ secret: newest }), await verdictOf({ secret: older })]).to.deep.equal([true, true]);
    expect(await verdictOf({ secret: older }, { ...usual, hookSecrets: [newest] })).to.equal('invalid_signature');
    const asText = `tks_${Buffer.from(newest).toString('base64')}`;
    expect(await verdictOf({ secret: asText })).to.equal('invalid_signature');
  });

  it('covers the registered address up to its last slash, not the address of the request', async () => {
    expect(await verdictOf({ address: usual.callbackUrl.replace(/\/$/, '') })).to.equal('invalid_signature');
    expect(await verdictOf({ address: 'https://gateway.example/callbacks/token' })).to.equal('invalid_signature');
  });
});

describe('callback POST token, the acknowledgement', () => {
  const body = event('charge.succeeded', { charge });

  it('signs an accepted callback with the newest secret, under the time of the delivery', async () => {
    const accepted = signedBody(usual.hookSecrets, 'ev_1', String(seconds - 7), 'accept');
    for (const outcome of ['accepted', 'duplicate', 'unknown_reference', 'ignored'] as const) {
      const sent = { body, time: String(seconds - 7), secret: usual.hookSecrets[1]! };
      const { acknowledgement } = await deliver(sent, usual, outcome);
      expect(acknowledgement).to.deep.equal({
        status: 200,
        headers: { 'Content-Type': 'application/json' },
        body: accepted,
      });
    }
  });

  it('never signs an unverified, stale or unstored callback', async () => {
    const plain = async (sent: Partial<Sent>, coreSays?: CoreSays): Promise<unknown[]> => {
      const { acknowledgement } = await deliver({ body, ...sent }, usual, coreSays);
      return [acknowledgement.status, acknowledgement.body];
    };
    expect(await plain({ address: 'https://elsewhere.example' })).to.deep.equal([401, '{"verdict":"reject"}']);
    expect(await plain({ time: String(seconds + 301) })).to.deep.equal([400, '{"verdict":"stale"}']);
    expect(await plain({}, 'try_later')).to.deep.equal([503, '{"verdict":"later"}']);
    expect(await plain({ body: '[]' }, 'try_later')).to.deep.equal([503, '{"verdict":"later"}']);
  });
});

describe('callback POST token, the events', () => {
  for (const [name, kind, status] of [
    ['charge.succeeded', 'payment', 'succeeded'],
    ['charge.failed', 'payment', 'failed'],
    ['charge.pending', 'payment', 'pending'],
    ['charge.authorised', 'payment', 'authorised'],
    ['charge.cancelled', 'payment', 'cancelled'],
    ['charge.expired', 'payment', 'expired'],
    ['charge.challenge', 'payment', 'unknown'],
    ['charge.', 'payment', 'unknown'],
    ['charge.toString', 'payment', 'unknown'],
    ['refund.pending', 'refund', 'pending'],
    ['refund.succeeded', 'refund', 'succeeded'],
    ['refund.failed', 'refund', 'failed'],
    ['refund.reversed', 'refund', 'reversed'],
    ['refund.new', 'refund', 'unknown'],
    ['dispute.opened', 'chargeback', 'opened'],
    ['dispute.won', 'chargeback', 'won'],
    ['dispute.lost', 'chargeback', 'lost'],
    ['dispute.reversed', 'chargeback', 'reversed'],
    ['dispute.asked', 'chargeback', 'unknown'],
  ] as const) {
    it(`reads ${name} as ${kind} ${status}`, async () => {
      const state = name.slice(name.indexOf('.') + 1);
      const chargeState = name.startsWith('charge') ? state : 'succeeded';
      const members = {
        charge: { ...charge, state: chargeState },
        refund: { id: 'rf_1', state, minor: 590 },
        dispute: { id: 'dp_1', stage: state, minor: 590 },
      };
      const { events } = await deliver({ body: event(name, members) });
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind,
        status,
        providerStatus: name,
        reference: 'GW-10042-1',
        providerReference: 'ch_1',
        amount: kind === 'payment' ? '25.90' : '5.90',
        currency: 'EUR',
        dedupeKey: 'ev_1',
        orderHint: 3,
      });
      expect(events[0]!.occurredAt?.toISOString()).to.equal('2026-03-02T09:15:29.000Z');
      expect(events[0]!.subReference).to.equal({ payment: undefined, refund: 'rf_1', chargeback: 'dp_1' }[kind]);
      expect('decline' in events[0]!).to.equal(name === 'charge.failed');
    });
  }

  for (const [name, status] of [
    ['token.active', 'active'],
    ['token.suspended', 'suspended'],
    ['token.deleted', 'deleted'],
    ['token.updated', 'updated'],
    ['token.sold', 'unknown'],
  ] as const) {
    it(`reads ${name} as token ${status} in any state of the token`, async () => {
      const { events } = await deliver({ body: event(name, { token: card }) });
      expect(events[0]).to.include({
        kind: 'token',
        status,
        providerStatus: name,
        providerReference: 'th_1',
        dedupeKey: 'ev_1',
      });
      expect([events[0]!.reference, events[0]!.amount, events[0]!.currency]).to.deep.equal([null, null, null]);
    });
  }

  for (const name of ['invoice.paid', 'charge', 'vault.pong', '', '__proto__.x']) {
    it(`reads the event "${name}" as a payment of unknown status, without a charge`, async () => {
      const { events } = await deliver({ body: event(name) });
      expect(events).to.have.length(1);
      expect(events[0]).to.include({
        kind: 'payment',
        status: 'unknown',
        providerStatus: name,
        reference: null,
        amount: null,
      });
      expect(events[0]!.providerReference).to.equal(null);
    });
  }

  for (const [name, members] of [
    ['charge.succeeded', { charge: { ...charge, state: 'failed', why: 'limit' } }],
    ['charge.failed', { charge }],
    ['charge.succeeded', { charge: { ...charge, state: 'Succeeded' } }],
    ['refund.succeeded', { charge, refund: { id: 'rf_1', state: 'failed', minor: 1 } }],
    ['dispute.won', { charge, dispute: { id: 'dp_1', stage: 'lost', minor: 1 } }],
  ] as const) {
    it(`does not trust ${name} if its subject contradicts it`, async () => {
      const { events } = await deliver({ body: event(name, members) });
      expect(events[0]).to.include({ status: 'unknown' }).and.not.have.property('decline');
    });
  }

  for (const [why, expected] of [
    ['do_not_honor', { decline: '05' }],
    ['no_funds', { decline: '51' }],
    ['card_expired', { decline: '54' }],
    ['not_allowed', { decline: '57' }],
    ['limit', { decline: '61' }],
    ['auth_failed', { decline: '05', threeDsResult: 'N' }],
    [null, { decline: '05' }],
    ['moon', { decline: '05', declineText: 'moon' }],
    ['constructor', { decline: '05', declineText: 'constructor' }],
  ] as const) {
    it(`declines ${why} with ${expected.decline}`, async () => {
      const { events } = await deliver({
        body: event('charge.failed', { charge: { ...charge, state: 'failed', why } }),
      });
      const { decline, declineText, threeDsResult } = events[0]!;
      expect(JSON.parse(JSON.stringify({ decline, declineText, threeDsResult }))).to.deep.equal(expected);
    });
  }

  for (const [cur, minor, amount] of [
    ['EUR', '5', '0.05'],
    ['JPY', '1500', '1500'],
    ['KWD', '1250', '1.250'],
    ['XXXX', '2590', '25.90'],
    ['EUR', '0', '0.00'],
    ['EUR', '900719925474099301', '9007199254740993.01'],
  ] as const) {
    it(`spells ${minor} minor units of ${cur} as ${amount}`, async () => {
      const body = event('charge.succeeded', { charge: { ...charge, cur } }).replace(
        '"minor":2590',
        `"minor":${minor}`,
      );
      expect((await deliver({ body })).events[0]).to.include({ amount, currency: cur });
    });
  }

  it('accepts missing or malformed seq and at', async () => {
    for (const members of [
      { seq: undefined, at: undefined },
      { seq: '3', at: 5 },
      { seq: 1.5, at: 'yesterday' },
    ]) {
      const { events } = await deliver({ body: event('charge.succeeded', { charge, ...members }) });
      expect(events[0]).to.not.have.any.keys('orderHint', 'occurredAt');
    }
  });

  const refund = { id: 'rf_1', state: 'succeeded', minor: 1 };
  const dispute = { id: 'dp_1', stage: 'won', minor: 1 };
  const lacking = (object: object, name: string): object => ({ ...object, [name]: undefined });
  for (const [name, body] of [
    ['a body that is not JSON', 'charge'],
    ['a list', '[]'],
    ['null', 'null'],
    ['bytes that are not UTF-8', Buffer.concat([Buffer.from(event('vault.ping')), Buffer.from([0xff])])],
    ['a member twice', event('vault.ping').replace('{', '{"event":"charge.succeeded",')],
    ['no event', JSON.stringify({ mid: 'V-1' })],
    ['an event that is no text', event('x').replace('"x"', '7')],
    ['no mid', JSON.stringify({ event: 'charge.succeeded', charge })],
    ['no charge', event('charge.succeeded')],
    ['a charge that is a list', event('charge.succeeded', { charge: [charge] })],
    ...Object.keys(charge).map((member) => [
      `a charge without ${member}`,
      event('charge.succeeded', { charge: lacking(charge, member) }),
    ]),
    ['a minor that is text', event('charge.succeeded', { charge: { ...charge, minor: '2590' } })],
    ['a negative minor', event('charge.succeeded', { charge: { ...charge, minor: -1 } })],
    ['a minor with a fraction', event('charge.succeeded', { charge: { ...charge, minor: 25.9 } })],
    ['a why that is a number', event('charge.failed', { charge: { ...charge, why: 5 } })],
    ['a refund without charge', event('refund.succeeded', { refund })],
    ['a refund event without refund', event('refund.succeeded', { charge })],
    ...Object.keys(refund).map((member) => [
      `a refund without ${member}`,
      event('refund.succeeded', { charge, refund: lacking(refund, member) }),
    ]),
    ['a dispute without charge', event('dispute.won', { dispute })],
    ...Object.keys(dispute).map((member) => [
      `a dispute without ${member}`,
      event('dispute.won', { charge, dispute: lacking(dispute, member) }),
    ]),
    ['a token event without token', event('token.updated')],
    ...Object.keys(card).map((member) => [
      `a token without ${member}`,
      event('token.updated', { token: lacking(card, member) }),
    ]),
  ] as readonly (readonly [string, string | Uint8Array])[]) {
    it(`keeps ${name} as malformed, and rejects it with a signature`, async () => {
      const { genuine, events, acknowledgement: ack } = await deliver({ body });
      expect([genuine, events.length, ack.status]).to.deep.equal(['malformed', 0, 422]);
      expect(ack.body).to.equal(signedBody(usual.hookSecrets, 'ev_1', String(seconds), 'reject'));
    });
  }

  it('ignores another merchant, even with unreadable members, and the ping', async () => {
    for (const body of [
      event('charge.succeeded', { charge, mid: 'V-2' }),
      event('charge.succeeded', { mid: 'V-2' }),
      event('vault.ping', { mid: 'v-1' }),
      event('vault.ping'),
    ]) {
      const { genuine, events, outcome, acknowledgement: ack } = await deliver({ body });
      expect([genuine, events, outcome, ack.status]).to.deep.equal([true, [], 'ignored', 200]);
    }
  });
});
