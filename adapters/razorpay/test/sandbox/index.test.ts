import type { Outcome, StoredPayment, Submission } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import {
  actionOf,
  describeScenarioRules,
  pressButton,
  firstRefund,
  startRoundTrip,
  type RoundTrip,
} from '@paywright/contract/testing';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import Razorpay from 'razorpay';
import razorpay from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { webhookEvents } from '../../statuses.ts';
import { harness } from '../messages.ts';

const { options, submissionBy, submission: upiSubmission } = harness;

let count = 0;
const next = (amount: string) => {
  count += 1;
  return { reference: `GW-${count}-1`, money: { amount, currency: 'INR' }, sandbox: true };
};
const page = (amount = '25.9'): Submission<'billing'> => ({ ...submissionBy('billing'), ...next(amount) });
const upi = (upiId: string, amount = '25.9'): Submission<'upi'> => ({ ...upiSubmission, ...next(amount), upiId });

const start = (delayMs = 8): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: razorpay, createSandbox, options, delayMs });

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }
  const refund = (stored: StoredPayment, amount: string, number = 1): Promise<Outcome> =>
    razorpay.refund!(
      stored,
      { reference: `${stored.reference}-R${number}`, money: { amount, currency: 'INR' }, ...firstRefund },
      trip.provider,
    );

  for (const [upiId, mode] of [
    ['success@razorpay', 'collect'],
    ['intent@gw', 'intent'],
    ['qr@gw', 'qr'],
  ] as const) {
    it(`pays ${upiId} by ${mode}`, async () => {
      const given = upi(upiId);
      const outcome = await trip.submit(given);
      expect(actionOf(outcome)).to.include({ type: 'upi', mode });
      await hears('payment.authorized pending', 'payment.captured succeeded');
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['payment.captured succeeded 25.90']);
      expect(await trip.fetched(trip.toStored(given, { outcome: 'unknown' }))).to.deep.equal([
        'payment.captured succeeded 25.90',
      ]);
    });
  }

  for (const [upiId, decline] of [
    ['failure@razorpay', '05'],
    ['poor@razorpay', '51'],
    ['Cancel@Razorpay', 'U69'],
    ['expire@razorpay', 'U69'],
  ] as const) {
    it(`declines ${upiId} with ${decline}`, async () => {
      await trip.submit(upi(upiId));
      await hears('payment.failed failed');
      expect(trip.heard[0]!.events[0]!.decline).to.equal(decline);
    });
  }

  it('fails and then succeeds, if the payer tries again in the app', async () => {
    await trip.close();
    trip = await start(80);
    const given = upi('retry@razorpay');
    const outcome = await trip.submit(given);
    await trip.until(() => trip.heard.length === 3);
    expect(trip.reported()).to.deep.equal([
      'payment.failed failed',
      'payment.authorized pending',
      'payment.captured succeeded',
    ]);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['payment.captured succeeded 25.90']);
  });

  it('waits forever for stuck@razorpay', async () => {
    const given = upi('stuck@razorpay');
    const outcome = await trip.submit(given);
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['payment.created pending 25.90']);
  });

  it('disputes the payment of dispute@razorpay until the dispute is lost', async () => {
    const given = upi('dispute@razorpay');
    const outcome = await trip.submit(given);
    await hears(
      'payment.authorized pending',
      'payment.captured succeeded',
      'dispute.open opened',
      'dispute.under_review opened',
      'dispute.lost lost',
    );
    const paid = { ...trip.toStored(given, outcome), isPaid: true as const };
    expect(await trip.fetched(paid)).to.deep.equal(['payment.captured succeeded 25.90', 'dispute.lost lost 25.90']);
  });

  for (const [amount, claim, lost] of [
    ['25.50', 'failed', 'nothing_charged'],
    ['25.52', 'unknown', 'nothing_charged'],
    ['25.53', 'unknown', 'payment.captured succeeded 25.53'],
  ] as const) {
    it(`treats ${amount} by UPI as ${claim}, and shows ${lost}`, async () => {
      const given = upi('success@razorpay', amount);
      const outcome = await trip.submit(given);
      expect(outcome.outcome).to.equal(claim);
      if (lost !== 'nothing_charged') await hears('payment.authorized pending', 'payment.captured succeeded');
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([lost]);
    });
  }

  for (const [act, reported] of [
    ['pay', 'payment_link.paid succeeded'],
    ['expire', 'payment_link.expired expired'],
    ['cancel', 'payment_link.cancelled cancelled'],
  ] as const) {
    it(`reports ${reported} after ${act} at the page`, async () => {
      const given = page();
      const outcome = await trip.submit(given);
      await pressButton(actionOf(outcome), { act });
      await hears(reported);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([`${reported} 25.90`]);
    });
  }

  it('refunds in parts, up to the paid amount', async () => {
    for (const given of [page(), upi('success@razorpay')]) {
      const outcome = await trip.submit(given);
      if (given.input === 'billing') await pressButton(actionOf(outcome), { act: 'pay' });
      await trip.until(() => trip.reported().some((said) => said.endsWith('succeeded')));
      const stored = trip.toStored(given, outcome);
      const first = await refund(stored, '20');
      expect(first.outcome).to.equal('pending');
      expect(await refund(stored, '20')).to.deep.equal(first);
      expect(await refund(stored, '5.91', 2)).to.include({ outcome: 'failed', nothingCharged: true });
      expect((await refund(stored, '5.58', 3)).outcome).to.equal('pending');
      await trip.until(() => trip.reported().filter((said) => said.startsWith('refund.')).length === 2);
      const fetched = await trip.fetched(stored);
      expect(fetched.slice(1)).to.deep.equal(['refund.processed succeeded 20.00', 'refund.failed failed 5.58']);
      expect(
        trip.heard.flatMap(({ events }) => events).every(({ reference }) => reference === given.reference),
      ).to.equal(true);
      await trip.close();
      trip = await start();
    }
  });

  it('sends every event on demand, for a known and an unknown payment', async () => {
    const money = { amount: '25.90', currency: 'INR' };
    for (const event of webhookEvents) {
      const providerReference = event.startsWith('payment_link.') ? 'plink_1' : null;
      const [answer] = await trip.trigger({
        event,
        reference: 'GW-1-1',
        providerReference,
        money,
        times: 1,
        forge: false,
      });
      expect(answer!.status, event).to.equal(200);
    }
    expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(webhookEvents.map(() => 'accepted'));
    const trigger = { reference: 'GW-1-1', providerReference: null, money, times: 1 };
    const [forged] = await trip.trigger({ event: 'payment.captured', ...trigger, forge: true });
    expect(forged!.status).to.equal(401);
    const odd = await trip.trigger({ event: 'order.paid', ...trigger, forge: false }).catch((error: unknown) => error);
    expect(odd).to.be.instanceOf(RangeError);
  });

  it('passes its own check', async () => {
    const findings = await razorpay.checkAccount!(trip.provider);
    expect(findings.filter(({ ok }) => !ok)).to.deep.equal([]);
  });

  it('refuses another key and an unknown request', async () => {
    const ask = (headers: Record<string, string>, body: string) =>
      sendRequest({ method: 'POST', url: `${trip.sandboxUrl}/v1/orders`, headers, body }, 5_000);
    expect((await ask({}, '{}')).status).to.equal(401);
    const right = `Basic ${Buffer.from(`${options.keyId}:${options.keySecret}`).toString('base64')}`;
    expect((await ask({ Authorization: right }, '{"amount":100}')).status).to.equal(400);
  });
});

const ownKey = { key_id: options.keyId, key_secret: options.keySecret };

/** Razorpay's own SDK, connected to the sandbox instead of Razorpay's address. */
function sdkAt(address: string, key = ownKey): Razorpay {
  const client = new Razorpay(key);
  const { rq } = client.api as unknown as { readonly rq: { readonly defaults: { baseURL: string } } };
  rq.defaults.baseURL = address;
  return client;
}

describe('the sandbox with Razorpay’s own SDK', () => {
  let trip: RoundTrip<Options>;
  before(async () => {
    trip = await start();
  });
  after(() => trip.close());

  it("shows the adapter's payment, and refunds it", async () => {
    const sdk = sdkAt(trip.sandboxUrl);
    const given = page();
    const outcome = await trip.submit(given);
    const id = outcome.providerReference!;
    const opened = await sdk.paymentLink.fetch(id);
    expect(opened).to.include({ id, status: 'created', amount: 2590, reference_id: given.reference });
    await pressButton({ type: 'redirect', method: 'GET', url: opened.short_url }, { act: 'pay' });
    await trip.until(() => trip.reported().length === 1);
    const paid = await sdk.paymentLink.fetch(id);
    const [payment] = paid.payments as unknown as { payment_id: string }[];
    expect(paid).to.include({ status: 'paid', amount_paid: 2590 });
    const refusal: unknown = await sdk.payments
      .refund(payment!.payment_id, { amount: 100 })
      .catch((error: unknown) => error);
    // The SDK sends no key for the refund, but this sandbox requires one.
    expect(refusal).to.deep.include({ statusCode: 400 });
  });

  it('finds the order of a receipt', async () => {
    const given = upi('success@razorpay');
    const before = trip.reported().length;
    await trip.submit(given);
    await trip.until(() => trip.reported().length === before + 2);
    const { items } = await sdkAt(trip.sandboxUrl).orders.all({ receipt: given.reference });
    expect(items).to.have.length(1);
    expect(items[0]).to.include({ receipt: given.reference, amount: 2590, status: 'paid', attempts: 1 });
  });

  it('refuses an unknown key', async () => {
    const other = sdkAt(trip.sandboxUrl, { key_id: 'rzp_test_other', key_secret: 'other' });
    expect(await other.orders.all().catch((error: unknown) => error)).to.deep.include({ statusCode: 401 });
  });
});

describe('payments at the page', () => {
  describeScenarioRules({
    start,
    payment: (amount) => page(amount),
    scenario: ['payment_link.paid succeeded'],
    async payer(action) {
      await pressButton(action, { act: 'pay' });
    },
    repetition: 'refused',
  });
});
