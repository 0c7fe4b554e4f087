import { readFileSync } from 'node:fs';
import { defined } from '@paywright/contract';
import type { CoreSays, DeliveredCallback } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import Razorpay from 'razorpay';
import { signatureOf } from '../../wire.ts';
import { harness, link, payment, refundOf, type Members } from '../messages.ts';

const { options } = harness;

interface Sent {
  readonly event?: string;
  /** Entities by name. */
  readonly payload?: Members;
  readonly accountId?: string;
  /** The body, if it is not an event of these members. */
  readonly body?: string;
  readonly secret?: string;
  /** Makes the values of `X-Razorpay-Signature` from the right hex. */
  readonly signature?: (hex: string) => readonly string[];
}

/** The body of a webhook, as Razorpay writes it. */
function bodyOf({ event = 'payment.captured', payload = { payment: payment('captured') }, accountId }: Sent): string {
  const entities = Object.fromEntries(Object.entries(payload).map(([name, entity]) => [name, { entity }]));
  return JSON.stringify({
    entity: 'event',
    account_id: accountId ?? options.accountId,
    event,
    contains: Object.keys(payload),
    payload: entities,
    created_at: 1772442930,
  });
}

/** Delivers a signed webhook; `coreSays` is what core decides once the webhook is read. */
function deliver(sent: Sent, coreSays?: CoreSays): Promise<DeliveredCallback> {
  const { secret = options.webhookSecrets[0]!, signature = (hex) => [hex] } = sent;
  const body = Buffer.from(sent.body ?? bodyOf(sent));
  const hex = signatureOf(secret, body).toString('hex');
  const headers = signature(hex).map((value) => ['X-Razorpay-Signature', value] as const);
  return harness.deliver({ headers, body }, defined({ coreSays }));
}

const [newest = '', older = ''] = options.webhookSecrets;
const verdictOf = async (sent: Sent): Promise<string> => (await deliver(sent)).outcome;
const dispute = (members: Members = {}): Members => ({
  id: 'disp_1',
  amount: 2590,
  currency: 'INR',
  amount_deducted: 0,
  reason_code: 'goods_not_received',
  phase: 'pre_arbitration',
  respond_by: 1773047730,
  status: 'open',
  ...members,
});

describe('the signature of a webhook', () => {
  it('is valid by Razorpay’s own SDK, with either secret', async () => {
    for (const secret of [newest, older]) {
      const body = bodyOf({});
      const ours = signatureOf(secret, Buffer.from(body)).toString('hex');
      expect(Razorpay.validateWebhookSignature(body, ours, secret)).to.equal(true);
      expect(Razorpay.validateWebhookSignature(`${body} `, ours, secret)).to.equal(false);
      expect(await verdictOf({ secret })).to.equal('accepted');
    }
  });

  it('is judged by the SDK and by us alike in every sample', () => {
    const file = readFileSync(new URL('../../../fixtures/vectors.json', import.meta.url), 'utf8');
    const { options: own, callbacks } = JSON.parse(file) as {
      options: { webhookSecrets: string[] };
      callbacks: { name: string; request: { headers: string[][]; body: string }; expect: { genuine: unknown } }[];
    };
    for (const { name, request, expect: expected } of callbacks) {
      const given = request.headers.find(([header]) => header === 'X-Razorpay-Signature')?.[1] ?? '';
      const isRight = own.webhookSecrets.some((secret) =>
        Razorpay.validateWebhookSignature(request.body, given, secret),
      );
      expect(isRight, name).to.equal(expected.genuine !== 'forged');
    }
  });

  for (const [name, sent] of [
    ['another secret', { secret: 'webhook-secret' }],
    ['the secret of the key', { secret: options.keySecret }],
    ['no signature', { signature: () => [] }],
    ['an empty signature', { signature: () => [''] }],
    ['a repeated signature', { signature: (hex: string) => [hex, hex] }],
    ['a truncated signature', { signature: (hex: string) => [hex.slice(2)] }],
    ['a signature with a prefix', { signature: (hex: string) => [`sha256=${hex}`] }],
  ] as const) {
    it(`is refused with ${name}`, async () => {
      const played = await deliver(sent);
      expect([played.outcome, played.acknowledgement.status]).to.deep.equal(['invalid_signature', 401]);
      expect(played.events).to.have.length(0);
    });
  }
});

describe("Razorpay's callback route", () => {
  const about = { reference: 'GW-10042-1', providerReference: 'pay_1', amount: '25.90', currency: 'INR' };

  for (const [event, entity, expected] of [
    ['payment.captured', payment('captured'), { status: 'succeeded', dedupeKey: 'pay_1:captured' }],
    ['payment.authorized', payment('authorized'), { status: 'pending', dedupeKey: 'pay_1:authorized' }],
    // The snapshot may be later than the event.
    ['payment.authorized', payment('captured'), { status: 'succeeded', dedupeKey: 'pay_1:captured' }],
    ['payment.failed', payment('failed', { error_reason: 'incorrect_pin' }), { status: 'failed', decline: 'U30' }],
    ['payment.failed', payment('failed', { error_reason: 'moon' }), { decline: '05', declineText: 'moon' }],
    ['payment.failed', payment('failed', { error_reason: null }), { status: 'failed', decline: '05' }],
  ] as const) {
    it(`reads ${event} with a payment in status ${String(entity['status'])}`, async () => {
      const { events } = await deliver({ event, payload: { payment: entity } });
      expect(events).to.have.length(1);
      expect(events[0]).to.include({ kind: 'payment', ...about, ...expected });
    });
  }

  it('shows the bank’s reference, and no UPI id', async () => {
    const said = payment('captured', {
      vpa: 'asha@okbank',
      upi: { vpa: 'asha@okbank' },
      acquirer_data: { rrn: '925' },
    });
    const { events } = await deliver({ payload: { payment: said } });
    expect(events[0]!.details).to.deep.equal({ rrn: '925' });
    expect(JSON.stringify(events)).not.to.contain('asha');
  });

  it('names a refund of a payment at a page only by our reference', async () => {
    const atPage = payment('captured', { notes: { gateway_page: 'GW-10042-1' } });
    const refund = refundOf('processed', { acquirer_data: { arn: '743', utr: null } });
    const { events } = await deliver({ event: 'refund.processed', payload: { payment: atPage, refund } });
    expect(events[0]).to.include({ kind: 'refund', reference: 'GW-10042-1', providerReference: null, amount: '10.00' });
    expect(events[0]).to.include({ subReference: 'rfnd_1', dedupeKey: 'rfnd_1:processed', status: 'succeeded' });
    expect(events[0]!.details).to.deep.equal({ arn: '743' });
  });

  it('shows the subject, reason, deadline and deducted amount of a dispute', async () => {
    const payload = { payment: payment('captured'), dispute: dispute({ status: 'lost', amount_deducted: 2590 }) };
    const { events } = await deliver({ event: 'payment.dispute.lost', payload });
    expect(events[0]).to.include({ kind: 'chargeback', ...about, status: 'lost', subReference: 'disp_1' });
    expect(events[0]!.details).to.deep.equal({
      reason: 'goods_not_received',
      phase: 'pre_arbitration',
      respondBy: '2026-03-09T09:15:30Z',
      amountDeducted: '25.90',
    });
  });

  it('leaves out missing or unreadable details of a dispute, and cuts long ones', async () => {
    const odd = { amount_deducted: '0', reason_code: null, phase: 'x'.repeat(300), respond_by: 8.64e15 };
    const payload = { payment: payment('captured'), dispute: dispute(odd) };
    const { events, outcome } = await deliver({ event: 'payment.dispute.created', payload });
    expect([outcome, events[0]!.details]).to.deep.equal(['accepted', { phase: 'x'.repeat(200) }]);
  });

  for (const [event, members, status] of [
    ['created', { status: 'open' }, 'opened'],
    ['under_review', { status: 'under_review' }, 'opened'],
    ['won', { status: 'won' }, 'won'],
    ['lost', { status: 'lost', amount_deducted: 2590 }, 'lost'],
    ['closed', { status: 'lost', amount_deducted: 2590 }, 'lost'],
    ['closed', { status: 'won' }, 'won'],
    ['closed', { status: 'closed', amount_deducted: 0 }, 'reversed'],
    ['closed', { status: 'closed', amount_deducted: 2590 }, 'lost'],
    ['closed', { status: 'closed', amount_deducted: undefined }, 'lost'],
    ['closed', { status: 'under_review' }, 'opened'],
    ['won', { status: 'lost', amount_deducted: 2590 }, 'lost'],
    ['moved', { status: 'open' }, 'opened'],
    ['created', { status: 'frozen' }, 'unknown'],
  ] as const) {
    it(`follows the dispute, not the event: ${event} with ${JSON.stringify(members)} is ${status}`, async () => {
      const payload = { payment: payment('captured'), dispute: dispute(members) };
      const { events } = await deliver({ event: `payment.dispute.${event}`, payload });
      expect(events[0]).to.include({ kind: 'chargeback', status, subReference: 'disp_1', orderHint: 1772442930 });
    });
  }

  for (const [event, members, status] of [
    ['created', { status: undefined }, 'pending'],
    ['created', { status: null }, 'pending'],
    ['failed', { status: 'failed' }, 'failed'],
    ['speed_changed', { status: 'processed' }, 'succeeded'],
    ['processed', { status: 'reversed' }, 'reversed'],
  ] as const) {
    it(`reads refund.${event} with ${JSON.stringify(members)} as ${status}, with its order`, async () => {
      const payload = { payment: payment('captured'), refund: refundOf('pending', members) };
      const { events } = await deliver({ event: `refund.${event}`, payload });
      expect(events[0]).to.include({ kind: 'refund', status, subReference: 'rfnd_1', orderHint: 1772442930 });
    });
  }

  it('cuts long references of banks', async () => {
    const refund = refundOf('processed', { acquirer_data: { arn: '7'.repeat(300) } });
    const { events } = await deliver({ event: 'refund.processed', payload: { payment: payment('captured'), refund } });
    expect(events[0]!.details).to.deep.equal({ arn: '7'.repeat(200) });
  });

  for (const [name, sent] of [
    ['a payment made elsewhere', { payload: { payment: payment('captured', { notes: [] }) } }],
    ['a payment at a page', { payload: { payment: payment('failed', { notes: { gateway_page: 'GW-10042-1' } }) } }],
    ['a link made elsewhere', { event: 'payment_link.paid', payload: { payment_link: link('paid', { notes: null }) } }],
    [
      'a refund of a payment made elsewhere',
      {
        event: 'refund.created',
        payload: { payment: payment('captured', { notes: {} }), refund: refundOf('pending') },
      },
    ],
    [
      'money that was never captured',
      { event: 'refund.processed', payload: { payment: payment('refunded'), refund: refundOf('processed') } },
    ],
    [
      'a dispute of a payment made elsewhere',
      {
        event: 'payment.dispute.created',
        payload: { payment: payment('captured', { notes: [] }), dispute: dispute() },
      },
    ],
    ['a payment made elsewhere without an amount', { payload: { payment: { id: 'pay_9', notes: [] } } }],
    ['a link made elsewhere without members', { event: 'payment_link.expired', payload: { payment_link: {} } }],
    [
      'a refund of a payment made elsewhere, without members',
      { event: 'refund.failed', payload: { payment: { id: 'pay_9' }, refund: {} } },
    ],
    [
      'a dispute of a payment made elsewhere, without members',
      { event: 'payment.dispute.closed', payload: { payment: { id: 'pay_9' }, dispute: {} } },
    ],
    ['a payout', { event: 'payout.processed', payload: { payout: {} } }],
    ['an order', { event: 'order.paid', payload: { payment: payment('captured') } }],
    ['a downtime', { event: 'payment.downtime.started', payload: {} }],
    ['another account', { accountId: 'acc_Other1' }],
  ] as const) {
    it(`ignores ${name}`, async () => {
      const played = await deliver(sent);
      expect([played.outcome, played.events, played.acknowledgement.status]).to.deep.equal(['ignored', [], 200]);
    });
  }

  for (const [name, sent] of [
    ['no JSON', { body: 'payment.captured' }],
    ['a list', { body: '[]' }],
    ['no event', { body: '{"account_id":"acc_BFQ7uQEaa7j2z7","payload":{}}' }],
    ['no payment', { payload: {} }],
    ['a payment without an id', { payload: { payment: payment('captured', { id: '' }) } }],
    ['an amount as a string', { payload: { payment: payment('captured', { amount: '2590' }) } }],
    ['no link', { event: 'payment_link.paid', payload: { payment: payment('captured') } }],
    ['no refund', { event: 'refund.created', payload: { payment: payment('captured') } }],
    [
      'a dispute without a status',
      {
        event: 'payment.dispute.lost',
        payload: { payment: payment('captured'), dispute: dispute({ status: null }) },
      },
    ],
    ['no dispute', { event: 'payment.dispute.created', payload: { payment: payment('captured') } }],
  ] as const) {
    it(`refuses as malformed: ${name}`, async () => {
      const played = await deliver(sent);
      expect([played.outcome, played.acknowledgement.status]).to.deep.equal(['malformed', 400]);
    });
  }

  it('asks for another delivery if the event could not be stored', async () => {
    expect((await deliver({}, 'try_later')).acknowledgement.status).to.equal(503);
    expect((await deliver({}, 'duplicate')).acknowledgement).to.deep.include({ status: 200, body: 'OK' });
  });
});
