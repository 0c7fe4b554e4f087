import { defined, replyHeader, type Outcome, type StoredPayment, type Submission } from '@paywright/contract';
import {
  describeScenarioRules,
  firstRefund,
  firstVoid,
  pressButton,
  visitPage,
  type RoundTrip,
} from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import paypal from '../../index.ts';
import type { Options } from '../../options.ts';
import { events } from '../../sandbox/trigger.ts';
import { newPayment, start } from '../messages.ts';

let trip: RoundTrip<Options>;

/** Submits, and presses a button of the page. Returns the payment, and the address that the browser returns to. */
async function approve(given: Submission<'billing'>, choice = 'pay') {
  const outcome = await trip.submit(given);
  const stored = trip.toStored(given, outcome);
  const reply = await pressButton(stored.action, { choice });
  return { stored, back: replyHeader(reply, 'location') ?? '' };
}

/** The stored payment with what an outcome brings, as core keeps it. */
function learn(stored: StoredPayment, outcome: Outcome): StoredPayment {
  const { action, ...others } = stored;
  const { providerReference, providerReferences, adapterState } = outcome;
  return {
    ...others,
    ...(outcome.outcome === 'pending' && !outcome.authorised ? defined({ action }) : {}),
    ...defined({ providerReference, providerReferences, adapterState }),
  };
}

async function buy(given: Submission<'billing'>, choice = 'pay') {
  const { stored } = await approve(given, choice);
  const outcome = await trip.complete(stored);
  return { outcome, stored: learn(stored, outcome), page: stored.action };
}

function refund(stored: StoredPayment, amount: string, number = 1): Promise<Outcome> {
  const money = { amount, currency: stored.money.currency };
  return paypal.refund!(stored, { ...firstRefund, reference: `${stored.reference}-R${number}`, money }, trip.provider);
}

const hears = (times: number) => trip.until(() => trip.heard.length >= times);

describe('the adapter with its sandbox', () => {
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  it('pays, and refunds in two parts', async () => {
    const { outcome, stored } = await buy(newPayment());
    expect(outcome.outcome).to.equal('succeeded');
    await hears(2);
    expect(trip.reported()).to.have.members(['order:APPROVED pending', 'capture:COMPLETED succeeded']);
    expect(await trip.fetched(stored)).to.deep.equal(['capture:COMPLETED succeeded 25.90']);
    const first = await refund(stored, '10');
    expect(first.outcome).to.equal('succeeded');
    expect(await refund(stored, '10')).to.deep.equal(first);
    expect(await refund(stored, '15.91', 2)).to.include({ outcome: 'failed', nothingCharged: true });
    expect((await refund(stored, '15.90', 3)).outcome).to.equal('succeeded');
    await hears(4);
    expect(await trip.fetched(stored)).to.deep.equal([
      'capture:REFUNDED succeeded 25.90',
      'COMPLETED succeeded 10.00',
      'COMPLETED succeeded 15.90',
    ]);
  });

  it('waits for a payer who returns before the approval', async () => {
    const given = newPayment();
    const stored = trip.toStored(given, await trip.submit(given));
    expect(await trip.fetched(stored)).to.deep.equal(['waiting']);
    const { action } = stored;
    const adapterState = { intent: 'capture' };
    expect(await trip.complete(stored)).to.deep.equal({ outcome: 'pending', action, adapterState });
  });

  it('captures an approved order of a payer who does not return', async () => {
    const { stored } = await approve(newPayment());
    await hears(1);
    expect(trip.heard[0]!.events[0]).to.include({ reference: stored.reference, mustFetch: true });
    const report = await trip.fetchStatus(stored);
    expect(report.result === 'events' && report.events[0]).to.include({ awaitsCompletion: true });
    expect((await trip.complete(stored)).outcome).to.equal('succeeded');
  });

  it('captures once when the completion is repeated', async () => {
    const { stored } = await approve(newPayment());
    const first = await trip.complete(stored);
    expect(await trip.complete(stored)).to.deep.equal(first);
    await hears(2);
    expect(trip.heard).to.have.length(2);
  });

  it('sends a payer who cancels to the cancel address, and keeps the order open', async () => {
    const { stored, back } = await approve(newPayment(), 'cancel');
    expect(back).to.match(/\/pay\/\d+\?cancelled=1&token=[A-Z0-9]+$/);
    expect(await trip.fetched(stored)).to.deep.equal(['waiting']);
    expect(trip.heard).to.deep.equal([]);
  });

  it('sends a payer who approves to the return address', async () => {
    const { stored, back } = await approve(newPayment());
    expect(stored.action).to.include({ completesOnReturn: true });
    expect(back).to.match(/\/pay\/\d+\?token=[A-Z0-9]+&PayerID=PAYER1$/);
  });

  it('declines', async () => {
    expect((await buy(newPayment(), 'decline')).outcome).to.include({ outcome: 'failed', decline: '05' });
  });

  it('is pending while PayPal reviews the payment, and is then paid', async () => {
    await trip.close();
    trip = await start({}, 150);
    const { outcome, stored } = await buy(newPayment(), 'review');
    expect(outcome.outcome).to.equal('pending');
    await hears(3);
    expect(trip.reported()).to.include.members(['capture:PENDING pending', 'capture:COMPLETED succeeded']);
    expect(await trip.fetched(stored)).to.deep.equal(['capture:COMPLETED succeeded 25.90']);
  });

  it('reads a dispute, a reversal and a refund that were made at PayPal', async () => {
    const { stored, page } = await buy(newPayment());
    await hears(2);
    for (const choice of ['dispute', 'dispute lost', 'reverse', 'refund']) await pressButton(page, { choice });
    await hears(6);
    const later = trip.heard.slice(2).flatMap(({ events: found }) => found);
    expect(later.map(({ kind, status }) => `${kind} ${status}`)).to.have.members([
      'chargeback opened',
      'chargeback lost',
      'chargeback lost',
      'refund succeeded',
    ]);
    for (const event of later) {
      expect(event).to.include({ providerReference: stored.providerReference, mustFetch: true });
      const report = await trip.fetchStatus(stored, event.subReference);
      const shown = report.result === 'events' ? report.events : [];
      const [found] = shown.filter(({ subReference }) => subReference === event.subReference);
      expect(found).to.include({ kind: event.kind, amount: '25.90' });
    }
    expect(await trip.fetched({ ...stored, isPaid: true })).to.deep.equal([
      'capture:REFUNDED succeeded 25.90',
      'COMPLETED succeeded 25.90',
      'RESOLVED:RESOLVED_BUYER_FAVOUR lost 25.90',
    ]);
  });

  it('refunds nothing while the capture is not known', async () => {
    const { stored } = await buy(newPayment());
    const { capture: _capture, ...providerReferences } = stored.providerReferences!;
    expect(await refund({ ...stored, providerReferences }, '1')).to.include({ outcome: 'unknown' });
  });

  it('reads a refund that fails later', async () => {
    const { stored } = await buy(newPayment());
    expect((await refund(stored, '10.58')).outcome).to.equal('pending');
    await hears(3);
    expect(trip.reported()).to.include('FAILED failed');
    expect((await trip.fetched(stored))[1]).to.equal('FAILED failed 10.58');
  });

  it('accepts the webhooks that PayPal verifies, and refuses a forged one', async () => {
    await trip.close();
    trip = await start({ verifyBy: 'call' });
    await buy(newPayment('25.57'));
    await hears(3);
    const outcomes = trip.heard.map(({ outcome }) => outcome);
    expect(outcomes.filter((one) => one === 'invalid_signature')).to.have.length(1);
    expect(outcomes.filter((one) => one === 'accepted')).to.have.length(2);
  });

  it('passes its own checkAccount', async () => {
    const findings = await paypal.checkAccount!({
      ...trip.provider,
      callbackUrl: (route) => `${trip.provider.publicUrl}/callbacks/${route}`,
    });
    expect(findings.map(({ ok }) => ok)).to.deep.equal([true, true, true]);
  });

  for (const [amount, currency, field] of [
    ['0', 'EUR', 'amount'],
    ['1000000000000000', 'JPY', 'amount'],
    ['25.90', 'RUB', 'unit'],
  ] as const) {
    it(`refuses ${amount} ${currency} and names ${field}, as PayPal does`, async () => {
      expect(await trip.submit(newPayment(amount, currency))).to.include({ outcome: 'failed', refusedField: field });
    });
  }
});

describe('the adapter with its sandbox, with intent authorize', () => {
  beforeEach(async () => {
    trip = await start({ intent: 'authorize' });
  });
  afterEach(() => trip.close());
  const capture = (stored: StoredPayment, amount = stored.money.amount) => {
    const money = { ...stored.money, amount };
    return paypal.capture!(stored, { reference: `${stored.reference}-C`, money }, trip.provider);
  };

  it('captures a part once, and refunds it', async () => {
    const { outcome, stored } = await buy(newPayment());
    expect(outcome).to.include({ outcome: 'pending', authorised: true });
    expect(await trip.fetched(stored)).to.deep.equal(['authorization:CREATED authorised 25.90']);
    const captured = await capture(stored, '20');
    expect(captured.outcome).to.equal('succeeded');
    expect(await capture(stored, '20')).to.deep.equal(captured);
    expect(await capture(stored, '25.91')).to.include({ outcome: 'unknown' });
    expect(await paypal.void!(stored, trip.provider, firstVoid)).to.include({
      outcome: 'failed',
      nothingCharged: true,
    });
    await hears(3);
    expect(trip.reported()).to.include.members(['authorization:CREATED authorised', 'capture:COMPLETED succeeded']);
    const paid = learn(stored, captured);
    const report = await trip.fetchStatus(paid);
    expect(report.result === 'events' && report.events[0]).to.include({ amount: '25.90', capturedAmount: '20.00' });
    expect((await refund(paid, '20')).outcome).to.equal('succeeded');
  });

  it('reads parts that were captured at PayPal', async () => {
    const { stored, page } = await buy(newPayment());
    await pressButton(page, { choice: 'capture 1' });
    await pressButton(page, { choice: 'capture 1' });
    await hears(4);
    const report = await trip.fetchStatus(stored);
    const [event] = report.result === 'events' ? report.events : [];
    expect(event).to.include({ providerStatus: 'capture:COMPLETED', amount: '25.90', capturedAmount: '2.00' });
    const both = trip.heard.flatMap(({ events: found }) => found).filter(({ status }) => status === 'succeeded');
    expect(both.map(({ providerReference }) => providerReference)).to.include(event!.providerReference);
  });

  it('releases once, and captures nothing afterwards', async () => {
    const { stored } = await buy(newPayment());
    expect((await paypal.void!(stored, trip.provider, firstVoid)).outcome).to.equal('succeeded');
    expect((await paypal.void!(stored, trip.provider, firstVoid)).outcome).to.equal('succeeded');
    await hears(3);
    expect(await trip.fetched(stored)).to.deep.equal(['authorization:VOIDED cancelled 25.90']);
    expect(await capture(stored)).to.include({ outcome: 'failed', nothingCharged: true });
  });
});

describe('the adapter with its sandbox, with special amounts', () => {
  describeScenarioRules({
    start: (delayMs) => start({}, delayMs),
    payment: newPayment,
    scenario: ['order:APPROVED pending', 'capture:COMPLETED succeeded'],
    payer: (action) => visitPage(action, 'pay'),
    chargedBy: 'complete',
    never: 'no_information',
  });
});

describe('trigger of the sandbox', () => {
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());
  const facts = { reference: 'GW-900-1', providerReference: null, money: { amount: '1', currency: 'EUR' } };

  it('sends each webhook, also about a payment that it does not know', async () => {
    for (const event of events) {
      const [answer] = await trip.trigger({ ...facts, event, times: 1, forge: false });
      expect(answer?.status, event).to.equal(200);
      const [reported] = trip.heard.at(-1)!.events;
      expect(event).to.equal(`${reported?.kind} ${reported?.providerStatus}`);
      expect(reported?.status).to.not.equal('unknown');
      expect(reported?.reference).to.equal('GW-900-1');
    }
    await trip.trigger({ ...facts, event: events[0]!, times: 1, forge: true });
    expect(trip.heard.at(-1)?.outcome).to.equal('invalid_signature');
    const odd: unknown = await trip
      .trigger({ ...facts, event: 'gone', times: 1, forge: false })
      .catch((error: unknown) => error);
    expect(odd).to.be.instanceOf(RangeError);
  });

  it('changes the order that a fetch then shows', async () => {
    const given = newPayment('1');
    const stored = trip.toStored(given, await trip.submit(given));
    const { reference, providerReference = null } = stored;
    for (const named of [null, providerReference]) {
      const event = { ...facts, reference, providerReference: named, times: 1, forge: false };
      await trip.trigger({ ...event, event: 'payment capture:COMPLETED' });
      await trip.trigger({ ...event, event: 'refund COMPLETED' });
      expect(await trip.fetched(stored)).to.deep.equal([
        'capture:COMPLETED succeeded 1.00',
        'COMPLETED succeeded 1.00',
      ]);
    }
  });
});
