import { expect } from 'chai';
import { describe, it } from 'mocha';
import { API_VERSION } from '../../wire.ts';
import { harness, intent, officialSdk, PI, vectors } from '../messages.ts';

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

/** Delivers an event that the SDK signed. */
const report = (type: string, object: unknown) => {
  const sent = event(type, object);
  return deliver(sent, signedBySdk(newest, seconds, sent));
};

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

const dispute = (status: string, members: object = {}): object => ({
  id: 'du_1',
  object: 'dispute',
  amount: 2590,
  currency: 'eur',
  payment_intent: PI,
  status,
  reason: 'fraudulent',
  evidence_details: { due_by: seconds + 86_400 },
  ...members,
});
const withdrawn = [{ id: 'txn_1', object: 'balance_transaction', amount: -2590, currency: 'eur', fee: 0, net: -2590 }];
const returned = [...withdrawn, { ...withdrawn[0], id: 'txn_2', amount: 2590, net: 2590 }];
const ofCase = (case_type: string) => ({
  payment_method_details: { type: 'card', card: { brand: 'visa', case_type, network_reason_code: '13.1' } },
});

describe('a prevented dispute', () => {
  for (const [name, members, status] of [
    ['a resolution, which paid the payer back', { ...ofCase('resolution'), balance_transactions: withdrawn }, 'lost'],
    ['a resolution without balance transactions', { ...ofCase('resolution'), balance_transactions: [] }, 'lost'],
    ['a block, which took nothing', { ...ofCase('block'), balance_transactions: [] }, 'reversed'],
    ['a withdrawal without a case type', { balance_transactions: withdrawn }, 'lost'],
    ['a withdrawal that came back', { balance_transactions: returned }, 'reversed'],
    ['a withdrawal of another case type', { ...ofCase('chargeback'), balance_transactions: withdrawn }, 'lost'],
    ['nothing that says more', {}, 'reversed'],
  ] as const) {
    it(`is ${status} after ${name}`, async () => {
      for (const type of ['created', 'funds_withdrawn', 'closed']) {
        const { events } = await report(`charge.dispute.${type}`, dispute('prevented', members));
        expect(events[0], type).to.include({ kind: 'chargeback', status, subReference: 'du_1', amount: '25.90' });
      }
    });
  }
});

describe('a dispute', () => {
  for (const [type, status, expected] of [
    ['updated', 'appeal_needs_response', 'opened'],
    ['updated', 'appeal_under_review', 'opened'],
    ['funds_reinstated', 'lost', 'lost'],
    ['funds_reinstated', 'won', 'won'],
    ['funds_withdrawn', 'needs_response', 'opened'],
    ['closed', 'lost', 'lost'],
  ] as const) {
    it(`is ${expected} if ${type} shows the status ${status}, with its deadline`, async () => {
      const { events } = await report(`charge.dispute.${type}`, dispute(status));
      expect(events[0]).to.include({ status: expected, orderHint: seconds });
      expect(events[0]?.details).to.deep.equal({
        reason: 'fraudulent',
        evidenceDueBy: new Date((seconds + 86_400) * 1000).toISOString(),
      });
    });
  }

  it('is read without details that are missing, odd or too long', async () => {
    const odd = { reason: 'x'.repeat(300), evidence_details: { due_by: 9e15 }, payment_method_details: { card: null } };
    const { events } = await report('charge.dispute.created', dispute('needs_response', odd));
    expect(events[0]?.details).to.deep.equal({ reason: 'x'.repeat(200) });
    const bare = { id: 'du_1', object: 'dispute', amount: 1, currency: 'eur', payment_intent: PI, status: 'lost' };
    expect((await report('charge.dispute.closed', bare)).events[0]).to.include({ status: 'lost', amount: '0.01' });
  });
});

describe('a refund', () => {
  const refund = (members: object = {}): object => ({
    id: 're_1',
    object: 'refund',
    amount: 1000,
    currency: 'eur',
    payment_intent: PI,
    metadata: null,
    ...members,
  });

  for (const type of ['refund.created', 'refund.updated', 'refund.failed', 'charge.refund.updated']) {
    it(`is pending if ${type} shows no status`, async () => {
      for (const status of [null, undefined]) {
        const { events, outcome } = await report(type, refund({ status }));
        expect(outcome).to.equal('accepted');
        expect(events[0]).to.include({ status: 'pending', subReference: 're_1', dedupeKey: 're_1:pending' });
      }
    });
  }

  it('carries the order of the event, so that the later of two reports counts', async () => {
    const { events } = await report('refund.failed', refund({ status: 'failed' }));
    expect(events[0]).to.include({ status: 'failed', orderHint: seconds });
  });
});

describe('an object of another system at the same account', () => {
  const session = {
    id: 'cs_test_a1',
    object: 'checkout.session',
    mode: 'setup',
    status: 'expired',
    livemode: false,
    amount_total: null,
    currency: null,
    client_reference_id: null,
    payment_intent: null,
    payment_status: 'no_payment_required',
    url: null,
    metadata: {},
  };
  for (const [name, type, object] of [
    ['a session that saves a card', 'checkout.session.expired', session],
    [
      'a session with a reference of its own',
      'checkout.session.expired',
      { ...session, client_reference_id: 'cart-7' },
    ],
    ['a session without any member', 'checkout.session.expired', {}],
    ['a completed session', 'checkout.session.completed', session],
    ['a PaymentIntent without an amount', 'payment_intent.succeeded', { object: 'payment_intent', metadata: {} }],
    ['a PaymentIntent without metadata', 'payment_intent.created', { object: 'payment_intent', metadata: null }],
    [
      'a PaymentIntent with another reference',
      'payment_intent.succeeded',
      intent({ metadata: { gateway_reference: 'order 7' } }),
    ],
    ['a refund of a charge without a PaymentIntent', 'refund.updated', { object: 'refund', payment_intent: null }],
    ['a refund without a PaymentIntent', 'charge.refund.updated', { object: 'refund', status: null }],
    ['a dispute without a PaymentIntent', 'charge.dispute.created', { object: 'dispute' }],
    ['a payout', 'payout.paid', { object: 'payout', amount: 1 }],
    ['a subscription', 'invoice.paid', { object: 'invoice' }],
  ] as const) {
    it(`is ignored: ${name}`, async () => {
      const played = await report(type, object);
      expect([played.outcome, played.events, played.acknowledgement.status]).to.deep.equal(['ignored', [], 200]);
    });
  }

  it('is malformed if it is not even an object', async () => {
    expect((await report('payment_intent.succeeded', null)).outcome).to.equal('malformed');
  });

  it('is reported with its own number and payment if only core can know whether the payment is ours', async () => {
    const refund = {
      id: 're_9',
      object: 'refund',
      amount: 5,
      currency: 'eur',
      payment_intent: 'pi_other',
      metadata: {},
    };
    const { events } = await report('refund.created', { ...refund, status: 'succeeded' });
    expect(events[0]).to.include({ reference: null, providerReference: 'pi_other', subReference: 're_9' });
  });
});

describe('our session that expired without an amount', () => {
  it('ends the payment', async () => {
    const ours = { client_reference_id: 'GW-10042-1', amount_total: null, currency: null };
    const session = { id: 'cs_1', object: 'checkout.session', status: 'expired', livemode: false, ...ours };
    const { events } = await report('checkout.session.expired', session);
    expect(events[0]).to.include({ status: 'expired', reference: 'GW-10042-1', amount: null, currency: null });
  });
});
