import { replyHeader, type Action, type Outcome, type Submission } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import {
  describeAmountRules,
  firstRefund,
  startRoundTrip,
  type RoundTrip,
  firstVoid,
  pressButton,
} from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import stripe from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, officialSdk } from '../messages.ts';

const { options, submission, submissionBy } = harness;
const byToken = submissionBy('token', { token: 'pm_card_visa' });
const atPage = submissionBy('billing');

let count = 0;
const start = (given: Partial<Options> = {}, delayMs?: number): Promise<RoundTrip<Options>> =>
  startRoundTrip({
    adapter: stripe,
    createSandbox,
    options: { ...options, ...given },
    ...(delayMs === undefined ? {} : { delayMs }),
  });

function named<S extends Submission>(given: S, amount = '25.9', more: Partial<S> = {}): S {
  count += 1;
  return { ...given, reference: `GW-${count}-1`, money: { amount, currency: 'EUR' }, ...more };
}
const byCard = (number = '4111111111111111', amount?: string): Submission<'card'> =>
  named(submission, amount, { card: { ...submission.card, number } });

/** Presses a button of the page to which the action sends the payer. */
async function press(action: Action | undefined, result: string): Promise<number> {
  if (action?.type !== 'redirect') throw new Error('no page');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const pressed = await sendRequest({ method: 'POST', url: action.url, headers, body: `result=${result}` }, 5_000);
  return pressed.status;
}
const actionOf = (outcome: Outcome): Action | undefined => (outcome.outcome === 'pending' ? outcome.action : undefined);

describe('the adapter with its sandbox', () => {
  let trip: RoundTrip<Options>;
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  /** Waits until exactly these events were reported, in any order: two connections may overtake each other. */
  async function hears(...reported: readonly string[]): Promise<void> {
    await trip.until(() => trip.reported().length >= reported.length);
    expect(trip.reported().sort()).to.deep.equal([...reported].sort());
  }

  for (const [what, given] of [
    ['a card by its number', () => byCard()],
    ['a PaymentMethod', () => named(byToken)],
  ] as const) {
    it(`charges ${what}, reports the payment and shows it`, async () => {
      const payment = given();
      const outcome = await trip.submit(payment);
      expect(outcome).to.include({ outcome: 'succeeded', threeDs: 'none' });
      await hears('succeeded succeeded');
      expect(trip.heard[0]?.events[0]).to.include({
        reference: payment.reference,
        providerReference: outcome.providerReference,
        amount: '25.90',
        mode: 'test',
      });
      expect(await trip.fetched(trip.toStored(payment, outcome))).to.deep.equal(['succeeded succeeded 25.90']);
    });
  }

  for (const [number, decline] of [
    ['4000000000000002', '05'],
    ['4000000000009995', '51'],
    ['4000000000000069', '54'],
    ['4000000000000127', '57'],
    ['4000000000000259', '61'],
  ] as const) {
    it(`declines card ${number} with ${decline} in the answer, the event and the status`, async () => {
      const payment = byCard(number);
      const outcome = await trip.submit(payment);
      expect(outcome).to.include({ outcome: 'failed', decline });
      await hears('requires_payment_method:declined failed');
      const report = await trip.fetchStatus(trip.toStored(payment, outcome));
      for (const shown of [trip.heard[0]?.events[0], report.result === 'events' && report.events[0]]) {
        expect(shown).to.include({ decline });
      }
    });
  }

  it('leaves a payment pending and ends it by an event', async () => {
    const outcomes = [];
    for (const number of ['4000000000003063', '4000000000003089', '4000000000003097']) {
      outcomes.push((await trip.submit(byCard(number))).outcome);
    }
    expect(outcomes).to.deep.equal(['pending', 'pending', 'pending']);
    await hears('succeeded succeeded', 'requires_payment_method:declined failed');
  });

  it('finds a payment by our reference after its answer was lost', async () => {
    const payment = byCard('4000000000006975');
    const outcome = await trip.submit(payment);
    expect(outcome.outcome).to.equal('unknown');
    expect(await trip.fetched(trip.toStored(payment, outcome))).to.deep.equal(['succeeded succeeded 25.90']);
  });

  it('sends the payer to 3D Secure and back, passed and failed', async () => {
    for (const [result, expected, reported] of [
      ['pass', { outcome: 'succeeded', threeDs: 'authenticated' }, 'succeeded succeeded'],
      ['fail', { outcome: 'failed', threeDsResult: 'N' }, 'requires_payment_method:declined failed'],
    ] as const) {
      const payment = byCard('4000000000003220');
      const asked = await trip.submit(payment);
      const stored = trip.toStored(payment, asked);
      expect(await trip.complete(stored)).to.include({ outcome: 'pending' });
      expect(await press(actionOf(asked), result)).to.equal(303);
      expect(await trip.complete(stored)).to.include(expected);
      expect(await trip.complete(stored)).to.include(expected);
      await trip.until(() => trip.reported().includes(reported));
    }
  });

  it('demands 3D Secure for a card that would be charged without it', async () => {
    const asked = await trip.submit(named(byToken, '25.9', { is3ds: true }));
    expect(actionOf(asked)?.type).to.equal('redirect');
    await press(actionOf(asked), 'pass');
    await hears('succeeded succeeded');
    expect(trip.heard[0]?.events[0]).to.include({ mustFetch: true });
  });

  it('accepts another card at Checkout after a declined one', async () => {
    const payment = named(atPage);
    const asked = await trip.submit(payment);
    const stored = trip.toStored(payment, asked);
    expect(await trip.fetched(stored)).to.deep.equal(['waiting']);
    await press(actionOf(asked), 'decline');
    await hears('requires_payment_method pending');
    expect(await trip.fetched(stored)).to.deep.equal(['requires_payment_method pending 25.90']);
    await press(actionOf(asked), 'pay');
    await hears('requires_payment_method pending', 'succeeded succeeded');
    expect(await trip.fetched(stored)).to.deep.equal(['succeeded succeeded 25.90']);
  });

  it('fails after a bank debit at Checkout that is returned', async () => {
    const payment = named(atPage);
    const asked = await trip.submit(payment);
    await press(actionOf(asked), 'debit');
    await hears('requires_payment_method pending');
    expect(trip.heard.flatMap(({ events }) => events)[0]).to.include({ mustFetch: true });
    const failed = ['requires_payment_method:declined failed 25.90'];
    expect(await trip.fetched(trip.toStored(payment, asked))).to.deep.equal(failed);
  });

  it('leads a payer who goes back from Checkout to the address for a payer who cancels', async () => {
    const payment = named(atPage);
    const led = await pressButton(actionOf(await trip.submit(payment)), { result: 'back' });
    expect(replyHeader(led, 'Location')).to.equal(trip.provider.cancelUrl(payment.paymentRequestId));
  });

  it('expires a payment when its Checkout session ends', async () => {
    const payment = named(atPage);
    const asked = await trip.submit(payment);
    await press(actionOf(asked), 'expire');
    await hears('session:expired expired');
    expect(await trip.fetched(trip.toStored(payment, asked))).to.deep.equal(['session:expired expired 25.90']);
    expect(await press(actionOf(asked), 'pay')).to.equal(404);
  });

  it('refunds once, however often the refund is requested', async () => {
    const payment = byCard();
    const stored = trip.toStored(payment, await trip.submit(payment));
    const refund = (more: object) =>
      stripe.refund!(
        stored,
        { ...firstRefund, reference: `${payment.reference}-R1`, money: { amount: '10', currency: 'EUR' }, ...more },
        trip.provider,
      );
    const first = await refund({});
    expect(first.outcome).to.equal('pending');
    for (const again of [await refund({}), await refund({ isRepetition: true })]) {
      expect(again.providerReference).to.equal(first.providerReference);
    }
    await hears('succeeded succeeded', 'pending pending', 'succeeded succeeded');
    const much = { reference: `${payment.reference}-R2`, money: { amount: '15.91', currency: 'EUR' } };
    expect(await refund(much)).to.include({ outcome: 'failed', nothingCharged: true });
    const shown = ['succeeded succeeded 25.90', 'succeeded succeeded 10.00'];
    expect(await trip.fetched(stored)).to.deep.equal(shown);
  });

  it('reports a refund as reversed if it fails after it succeeded', async () => {
    const payment = byCard();
    const stored = trip.toStored(payment, await trip.submit(payment));
    const money = { amount: '10.59', currency: 'EUR' };
    await stripe.refund!(stored, { ...firstRefund, reference: `${payment.reference}-R1`, money }, trip.provider);
    await hears('succeeded succeeded', 'pending pending', 'succeeded succeeded', 'failed:returned reversed');
    const shown = ['succeeded succeeded 25.90', 'failed:returned reversed 10.59'];
    expect(await trip.fetched(stored)).to.deep.equal(shown);
  });

  it('reports refunds and disputes that start at Stripe', async () => {
    const [given, disputed] = [byCard('4000000000000341'), byCard('4000000000000440')];
    const outcomes = [await trip.submit(given), await trip.submit(disputed)] as const;
    const paid = ['succeeded succeeded', 'succeeded succeeded'];
    await hears(...paid, 'pending pending', 'succeeded succeeded', 'needs_response opened', 'lost lost');
    const shown = ['succeeded succeeded 25.90', 'lost lost 25.90'];
    expect(await trip.fetched(trip.toStored(disputed, outcomes[1]))).to.deep.equal(shown);
    const dispute = trip.heard.flatMap(({ events }) => events).find(({ kind }) => kind === 'chargeback');
    expect(dispute?.details).to.include({ reason: 'fraudulent', networkReasonCode: '10.4' });
    expect(dispute?.details)
      .to.have.property('evidenceDueBy')
      .that.matches(/^\d{4}-/);
  });

  it("answers in a form that the official SDK reads like Stripe's", async () => {
    const sdk = officialSdk(fetch, new URL(trip.sandboxUrl));
    const outcome = await trip.submit(byCard());
    const intent = await sdk.paymentIntents.retrieve(outcome.providerReference!);
    expect(intent).to.include({ status: 'succeeded', amount_received: 2590, currency: 'eur' });
    const declined = await sdk.paymentIntents
      .create({
        amount: 2590,
        currency: 'eur',
        payment_method: 'pm_card_visa_chargeDeclined',
        confirm: true,
        return_url: 'https://shop.example/',
      })
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    expect(declined).to.include({ type: 'StripeCardError', code: 'card_declined', decline_code: 'generic_decline' });
    await hears('succeeded succeeded');
    const delivered = (): (typeof trip.deliveries)[number] | undefined =>
      trip.deliveries.find(({ name }) => name === 'payment_intent.succeeded');
    // An object that was seen is kept once its answer arrived.
    await trip.until(() => delivered() !== undefined);
    const { request } = delivered() ?? {};
    for (const secret of options.webhookSecrets) {
      const header = request?.headers?.['Stripe-Signature'] ?? '';
      expect(sdk.webhooks.constructEvent(Buffer.from(request?.body ?? ''), header, secret).type).to.equal(
        'payment_intent.succeeded',
      );
    }
  });

  it('accepts its own account', async () => {
    const found = await stripe.checkAccount!(trip.provider);
    expect(found.map(({ ok }) => ok)).to.deep.equal([true, true, true]);
    expect(found[0]?.accountId).to.match(/^acct_/);
  });

  it('sends any event on demand', async () => {
    const fired = {
      reference: 'GW-1-1',
      providerReference: 'pi_1',
      money: { amount: '25.9', currency: 'EUR' },
      times: 1,
      forge: false,
    };
    for (const [event, reported] of [
      ['payment_intent.canceled', 'canceled cancelled'],
      ['refund.failed', 'failed:returned reversed'],
      ['charge.dispute.closed.won', 'won won'],
      ['checkout.session.expired', 'session:expired expired'],
    ] as const) {
      const [reply] = await trip.trigger({ ...fired, event });
      expect(reply?.status, event).to.equal(200);
      expect(trip.reported()).to.include(reported);
    }
    expect((await trip.trigger({ ...fired, event: 'payment_intent.succeeded', forge: true }))[0]?.status).to.equal(400);
  });
});

describe('a payment with reserved money', () => {
  let trip: RoundTrip<Options>;
  beforeEach(async () => {
    trip = await start({ captureMethod: 'manual' });
  });
  afterEach(() => trip.close());

  it('is captured in part, once', async () => {
    const payment = byCard();
    const outcome = await trip.submit(payment);
    expect(outcome).to.include({ outcome: 'pending', authorised: true });
    const stored = trip.toStored(payment, outcome);
    const capture = () =>
      stripe.capture!(
        stored,
        { reference: `${payment.reference}-C`, money: { amount: '20', currency: 'EUR' } },
        trip.provider,
      );
    expect(await capture()).to.include({ outcome: 'succeeded' });
    expect(await capture()).to.include({ outcome: 'succeeded' });
    await trip.until(() => trip.reported().length >= 2);
    expect(trip.reported().sort()).to.deep.equal(['requires_capture authorised', 'succeeded succeeded']);
    expect(await trip.fetched(stored)).to.deep.equal(['succeeded succeeded 25.90']);
    const report = await stripe.fetchStatus!(stored, trip.provider);
    expect(report.result === 'events' && report.events[0]).to.include({ capturedAmount: '20.00' });
    expect(await stripe.void!(stored, trip.provider, firstVoid)).to.not.include({ outcome: 'succeeded' });
  });

  it('is released, also when asked again', async () => {
    const payment = byCard();
    const stored = trip.toStored(payment, await trip.submit(payment));
    expect(await stripe.void!(stored, trip.provider, firstVoid)).to.include({ outcome: 'succeeded' });
    expect(await stripe.void!(stored, trip.provider, firstVoid)).to.include({ outcome: 'succeeded' });
    await trip.until(() => trip.reported().includes('canceled cancelled'));
    const capture = { reference: `${payment.reference}-C`, money: { amount: '20', currency: 'EUR' } };
    expect(await stripe.capture!(stored, capture, trip.provider)).to.include({ nothingCharged: true });
  });
});

describeAmountRules<Options>({
  start: (delayMs) => start({}, delayMs),
  payment: (amount) => byCard(undefined, amount),
  pending: (amount) => byCard('4000000000003063', amount),
  paid: 'succeeded succeeded',
  waits: 'processing pending',
  // Stripe's search may lag for an hour.
  never: 'no_information',
  // Each submission creates another PaymentMethod for the card, which does not match the first idempotency key.
  repetition: 'refused',
});
