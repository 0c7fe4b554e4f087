import { expect } from 'chai';
import { describe, it } from 'mocha';
import { API_VERSION } from '../../wire.ts';
import { harness, intent, officialSdk, vectors } from '../messages.ts';

const { options, seconds } = harness;

const sdk = officialSdk(() => Promise.reject(new Error('no request is expected')));
const [newest = '', previous = ''] = options.webhookSecrets;

/** An event as Stripe writes it. */
function event(type: string, object: unknown, members: Readonly<Record<string, unknown>> = {}): string {
  const head = { id: 'evt_1', object: 'event', api_version: API_VERSION, created: seconds, livemode: false };
  return JSON.stringify({ ...head, pending_webhooks: 1, request: null, type, data: { object }, ...members });
}

const body = event('payment_intent.succeeded', intent());

/** Delivers a body under the value of `Stripe-Signature`. */
const deliver = (sent: string, signature: string) =>
  harness.deliver({
    headers: [
      ['Content-Type', 'application/json'],
      ['Stripe-Signature', signature],
    ],
    body: sent,
  });

/** Builds `Stripe-Signature` with Stripe's own library. */
const signedBySdk = (secret: string, timestamp = seconds, payload = body): string =>
  sdk.webhooks.generateTestHeaderString({ payload, secret, timestamp });

describe('an event that the official SDK signed', () => {
  it('is genuine under any secret of the list', async () => {
    for (const secret of [newest, previous]) {
      const { outcome, events } = await deliver(body, signedBySdk(secret));
      expect(outcome).to.equal('accepted');
      expect(events[0]).to.include({ status: 'succeeded', amount: '25.90', reference: 'GW-10042-1', mode: 'test' });
    }
  });

  it('is refused under another secret, and if one byte changed', async () => {
    expect((await deliver(body, signedBySdk('whsec_somebodyElse'))).outcome).to.equal('invalid_signature');
    const more = body.replace('"amount":2590', '"amount":1590');
    expect((await deliver(more, signedBySdk(newest))).outcome).to.equal('invalid_signature');
  });

  for (const [age, outcome] of [
    [300, 'accepted'],
    [301, 'stale'],
    [-300, 'accepted'],
    [-301, 'stale'],
  ] as const) {
    it(`is ${outcome} ${age} s after it was signed`, async () => {
      expect((await deliver(body, signedBySdk(newest, seconds - age))).outcome).to.equal(outcome);
    });
  }

  it('accepts signatures of other schemes next to v1, but none of them proves the event', async () => {
    const mac = signedBySdk(newest).split('v1=')[1]!;
    expect((await deliver(body, `${signedBySdk(newest)},v0=${'0'.repeat(64)}`)).outcome).to.equal('accepted');
    expect((await deliver(body, `t=${seconds},v0=${mac}`)).outcome).to.equal('invalid_signature');
    expect((await deliver(body, `t=${seconds},t=${seconds},v1=${mac}`)).outcome).to.equal('invalid_signature');
  });
});

describe('the official SDK', () => {
  it('accepts every genuine event of the vectors and refuses every forged one', () => {
    let taken = 0;
    for (const { name, now: received, request, expect: expected } of vectors.callbacks) {
      const header = request.headers.find(([member]) => member === 'Stripe-Signature')?.[1] ?? '';
      const open = (secret: string): unknown =>
        sdk.webhooks.constructEvent(request.body, header, secret, 300, undefined, new Date(received).getTime());
      const isTaken = vectors.options.webhookSecrets.some((secret) => {
        try {
          return Boolean(open(secret));
        } catch {
          return false; // This is how the SDK refuses.
        }
      });
      // The SDK checks only the signature and the kind of object.
      const isOurs = expected.genuine === true || name === 'a PaymentIntent without amount';
      expect(isTaken, name).to.equal(isOurs);
      if (isTaken) taken += 1;
    }
    expect(taken).to.be.greaterThan(25);
  });
});

describe('a successful payment', () => {
  it('is fetched if 3D Secure was demanded, because an event does not show its result', async () => {
    for (const [request_three_d_secure, mustFetch] of [
      ['any', true],
      ['challenge', true],
      ['automatic', undefined],
    ] as const) {
      const demanded = intent({ payment_method_options: { card: { request_three_d_secure } } });
      const sent = event('payment_intent.succeeded', demanded);
      const { events } = await deliver(sent, signedBySdk(newest, seconds, sent));
      expect(events[0]?.mustFetch, request_three_d_secure).to.equal(mustFetch);
    }
  });

  it('reports whether it is a live or a test payment', async () => {
    const live = event('payment_intent.succeeded', intent({ livemode: true }), { livemode: true });
    const { events } = await deliver(live, signedBySdk(newest, seconds, live));
    expect(events[0]?.mode).to.equal('live');
  });
});

describe('a PaymentIntent that was created and not confirmed yet', () => {
  it('is pending, because no card was declined', async () => {
    const made = event('payment_intent.created', intent({ status: 'requires_payment_method', amount_received: 0 }));
    const { events } = await deliver(made, signedBySdk(newest, seconds, made));
    expect(events[0]).to.include({ status: 'pending', providerStatus: 'requires_payment_method' });
  });
});
