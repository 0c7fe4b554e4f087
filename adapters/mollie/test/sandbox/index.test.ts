import {
  addDecimals,
  replyHeader,
  type Outcome,
  type StoredPayment,
  type Submission,
  type Trigger,
} from '@paywright/contract';
import {
  firstRefund,
  startRoundTrip,
  type RoundTrip,
  firstVoid,
  actionOf,
  pressButton,
} from '@paywright/contract/testing';
import { createMollieClient } from '@mollie/api-client';
import { expect } from 'chai';
import { after, afterEach, before, beforeEach, describe, it } from 'mocha';
import nock from 'nock';
import mollie from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { events } from '../../sandbox/trigger.ts';
import { harness } from '../messages.ts';

const { options, submission } = harness;

let count = 0;
function payment(amount = '25.9', currency = 'EUR'): Submission<'billing'> {
  count += 1;
  return { ...submission, reference: `GW-${count}-1`, money: { amount, currency }, unit: currency };
}

const start = (own: Partial<Options> = {}, delayMs = 8): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: mollie, createSandbox, options: { ...options, ...own }, delayMs });

let trip: RoundTrip<Options>;

/** Submits a payment and makes a choice at the page. */
async function buy(given: Submission<'billing'>, status?: string) {
  const outcome = await trip.submit(given);
  if (status) expect((await pressButton(actionOf(outcome), { status })).status).to.equal(303);
  return { outcome, stored: trip.toStored(given, outcome) };
}

/** Waits for this many pings. A ping only says that something changed. */
async function pinged(times: number): Promise<void> {
  await trip.until(() => trip.heard.length >= times);
  expect(trip.reported()).to.deep.equal(Array.from({ length: times }, () => 'ping pending'));
}

function refund(stored: StoredPayment, amount: string, number = 1, isRepetition = false): Promise<Outcome> {
  const money = { amount, currency: stored.money.currency };
  const asked = { ...firstRefund, reference: `${stored.reference}-R${number}`, money, isRepetition };
  return mollie.refund!(stored, asked, trip.provider);
}

describe('the adapter with its sandbox', () => {
  beforeEach(async () => {
    trip = await start();
  });
  afterEach(() => trip.close());

  for (const [choice, said] of [
    ['paid', 'paid succeeded 25.90'],
    ['failed', 'failed failed 25.90'],
    ['canceled', 'canceled cancelled 25.90'],
    ['expired', 'expired expired 25.90'],
  ] as const) {
    it(`reads "${said}" after a choice at the page, by a ping and a fetch`, async () => {
      const { stored } = await buy(payment(), choice);
      await pinged(1);
      expect(trip.heard[0]!.events[0]).to.include({ providerReference: stored.providerReference });
      expect(await trip.fetched(stored)).to.deep.equal([said]);
    });
  }

  it('leads a payer who cancels to the address for that, and any other payer to the return address', async () => {
    for (const [status, address] of [
      ['canceled', trip.provider.cancelUrl],
      ['failed', trip.provider.returnUrl],
    ] as const) {
      const asked = payment();
      const led = await pressButton(actionOf(await trip.submit(asked)), { status });
      expect(replyHeader(led, 'Location')).to.equal(address(asked.paymentRequestId));
    }
  });

  it('shows the page again while the payment is open', async () => {
    const { outcome, stored } = await buy(payment());
    const report = await trip.fetchStatus(stored);
    const [event] = report.result === 'events' ? report.events : [];
    expect(event?.action).to.deep.equal(actionOf(outcome));
  });

  it('waits for the bank after the page without a ping, and is then paid', async () => {
    const { outcome, stored } = await buy(payment(), 'pending');
    expect(await trip.fetched(stored)).to.deep.equal(['pending pending 25.90']);
    expect(trip.heard).to.deep.equal([]);
    await pressButton(actionOf(outcome), { status: 'paid' });
    await pinged(1);
    expect(await trip.fetched(stored)).to.deep.equal(['paid succeeded 25.90']);
  });

  for (const [amount, decline] of [
    ['1004', '54'],
    ['1007', '51'],
    ['1008', '57'],
    ['1011', '05'],
  ] as const) {
    it(`fails ${amount} EUR with ${decline}, as Mollie’s test mode does`, async () => {
      const { stored } = await buy(payment(amount), 'failed');
      const report = await trip.fetchStatus(stored);
      expect(report.result === 'events' && report.events[0]).to.include({ decline });
    });
  }

  it('refunds in parts, up to the paid amount', async () => {
    const { stored } = await buy(payment(), 'paid');
    const first = await refund(stored, '20');
    expect(first.outcome).to.equal('pending');
    expect(await refund(stored, '20')).to.deep.equal(first);
    expect((await refund(stored, '20', 1, true)).providerReference).to.equal(first.providerReference);
    expect(await refund(stored, '5.91', 2)).to.include({ outcome: 'failed', nothingCharged: true });
    await refund(stored, '5.9', 3);
    await pinged(3);
    expect(await trip.fetched(stored)).to.deep.equal([
      'paid succeeded 25.90',
      'refunded succeeded 20.00',
      'refunded succeeded 5.90',
    ]);
  });

  it('refuses a second refund of the same amount until the first has failed', async () => {
    const { stored } = await buy(payment(), 'paid');
    await refund(stored, '5');
    expect(await refund(stored, '5', 2)).to.include({ outcome: 'failed', nothingCharged: true });
    await refund(stored, '5.58', 3);
    await pinged(3);
    expect((await trip.fetched(stored))[2]).to.equal('failed reversed 5.58');
    expect((await refund(stored, '5.58', 4)).outcome).to.equal('pending');
  });

  it('reverses a refund of .59 after it was done', async () => {
    const { stored } = await buy(payment(), 'paid');
    await refund(stored, '5.59');
    await pinged(3);
    expect((await trip.fetched(stored))[1]).to.equal('failed reversed 5.59');
  });

  it('reports a chargeback with its amount, and its reversal', async () => {
    const { outcome, stored } = await buy(payment(), 'paid');
    await refund(stored, '5.9');
    await pinged(2);
    await pressButton(actionOf(outcome), { status: 'chargeback' });
    await pinged(3);
    expect((await trip.fetched(stored)).slice(1)).to.deep.equal(['refunded succeeded 5.90', 'received opened 20.00']);
    await pressButton(actionOf(outcome), { status: 'reverse chargeback' });
    await pinged(4);
    expect((await trip.fetched(stored))[2]).to.equal('reversed reversed 20.00');
  });

  it('reports a refund that was made at Mollie', async () => {
    const { outcome, stored } = await buy(payment(), 'paid');
    await pressButton(actionOf(outcome), { status: 'refund' });
    await pinged(2);
    expect((await trip.fetched(stored))[1]).to.equal('refunded succeeded 25.90');
  });

  describe('a payment with manual capture', () => {
    beforeEach(async () => {
      await trip.close();
      trip = await start({ captureMode: 'manual' });
    });
    const captureOf = (stored: StoredPayment) =>
      mollie.capture!(stored, { reference: `${stored.reference}-C`, money: stored.money }, trip.provider);

    it('is captured completely, once', async () => {
      const { stored } = await buy(payment(), 'authorized');
      await pinged(1);
      expect(await trip.fetched(stored)).to.deep.equal(['authorized authorised 25.90']);
      expect((await captureOf(stored)).outcome).to.equal('pending');
      await pinged(2);
      expect(await trip.fetched(stored)).to.deep.equal(['paid succeeded 25.90']);
      expect((await captureOf(stored)).outcome).to.equal('pending');
      const other = { reference: `${stored.reference}-C2`, money: stored.money };
      expect((await mollie.capture!(stored, other, trip.provider)).outcome).to.equal('succeeded');
      expect(await mollie.void!(stored, trip.provider, firstVoid)).to.include({
        outcome: 'failed',
        nothingCharged: true,
      });
    });

    it('is paid with the part that was captured in Mollie’s Web app', async () => {
      const { stored } = await buy(payment(), 'authorized');
      await pinged(1);
      const post = (value: string) =>
        fetch(`${trip.sandboxUrl}/v2/payments/${stored.providerReference}/captures`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${options.apiKey}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ amount: { currency: 'EUR', value } }),
        });
      expect((await post('25.91')).status).to.equal(422);
      expect((await post('5.00')).status).to.equal(201);
      await pinged(2);
      const report = await trip.fetchStatus(stored);
      const [event] = report.result === 'events' ? report.events : [];
      expect(event).to.include({ providerStatus: 'paid', amount: '25.90', capturedAmount: '5.00' });
      expect((await captureOf(stored)).outcome).to.equal('unknown');
      expect(await refund(stored, '5.01')).to.include({ outcome: 'failed', nothingCharged: true });
    });

    it('stays reserved if a capture fails after Mollie accepted it', async () => {
      const { stored } = await buy(payment('25.58'), 'authorized');
      expect((await captureOf(stored)).outcome).to.equal('pending');
      await pinged(2);
      expect(await trip.fetched(stored)).to.deep.equal(Array(2).fill('authorized authorised 25.58'));
    });

    it('expires', async () => {
      const { stored } = await buy(payment(), 'authorized');
      const { reference, money, providerReference = null } = stored;
      const about = { reference, providerReference, money };
      await trip.trigger({ event: 'expired', ...about, times: 1, forge: false });
      expect(await trip.fetched(stored)).to.deep.equal(['expired expired 25.90']);
    });

    it('is released, and not captured afterwards', async () => {
      const { stored } = await buy(payment(), 'authorized');
      expect((await mollie.void!(stored, trip.provider, firstVoid)).outcome).to.equal('pending');
      await pinged(2);
      expect(await trip.fetched(stored)).to.deep.equal(['canceled cancelled 25.90']);
      expect((await mollie.void!(stored, trip.provider, firstVoid)).outcome).to.equal('succeeded');
      expect(await captureOf(stored)).to.include({ outcome: 'failed', nothingCharged: true });
    });
  });

  it('passes its own check with any methods', async () => {
    for (const own of [{}, { methods: ['ideal', 'swish'] }] satisfies Partial<Options>[]) {
      const findings = await mollie.checkAccount!({ ...trip.provider, options: { ...options, ...own } });
      expect(findings.filter(({ ok }) => !ok)).to.deep.equal([]);
      expect(findings.find(({ accountId }) => accountId)?.accountId).to.match(/^pfl_/);
    }
  });

  it('refuses another key', async () => {
    const other = { ...trip.provider, options: { ...options, apiKey: `${options.apiKey}x` } };
    expect(await mollie.submit(payment(), other)).to.include({ outcome: 'failed', misconfigured: true });
  });
});

describe('the sandbox, by amount', () => {
  afterEach(() => trip.close());

  for (const amount of ['25.50', '25.52', '25.53']) {
    it(`charges nothing for ${amount}, because no payer has the address of the page`, async () => {
      trip = await start();
      const given = payment(amount);
      const outcome = await trip.submit(given);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true });
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(['nothing_charged']);
      expect(trip.heard).to.deep.equal([]);
    });
  }

  it('asks to wait once for .51', async () => {
    trip = await start();
    await buy(payment('25.51'), 'paid');
    expect(trip.statuses.slice(0, 2)).to.deep.equal([429, 201]);
    await pinged(1);
  });

  it('sends three pings for .54, and one before the answer for .55', async () => {
    trip = await start();
    await buy(payment('25.54'), 'paid');
    await pinged(3);
    await buy(payment('25.55'), 'paid');
    expect(trip.heard).to.have.length(4);
  });

  it('names a nonexistent payment first for .57', async () => {
    trip = await start();
    const { stored } = await buy(payment('25.57'), 'paid');
    await pinged(2);
    const [forged, real] = trip.heard.map(({ events: [event] }) => event!.providerReference!);
    expect(real).to.equal(stored.providerReference);
    expect(await trip.fetched({ ...stored, providerReference: forged! })).to.deep.equal(['no_information']);
    expect(await trip.fetched(stored)).to.deep.equal(['paid succeeded 25.57']);
  });
});

describe('a trigger', () => {
  before(async () => {
    trip = await start();
  });
  after(() => trip.close());
  const named: StoredPayment = {
    ...submission,
    method: 'hosted_page',
    providerReference: 'tr_Demand1',
    endedAt: new Date(),
  };
  const demand = (event: string, more: Partial<Trigger> = {}) => {
    const { reference, money } = named;
    const about = { reference, providerReference: 'tr_Demand1', money: { ...money, amount: '5' } };
    return trip.trigger({ event, ...about, times: 1, forge: false, ...more });
  };

  it('sends every ping and changes the payment', async () => {
    for (const event of events) {
      const money = { amount: addDecimals('5', String(events.indexOf(event))), currency: 'EUR' };
      const [answer] = await demand(event, { reference: `GW-${event}`, providerReference: null, money });
      expect(answer?.status, event).to.equal(200);
    }
    expect(trip.heard.map(({ outcome }) => outcome)).to.deep.equal(events.map(() => 'accepted'));
  });

  it('changes the payment that it knows by its id', async () => {
    await demand('paid', { money: named.money });
    await demand('refund pending');
    await demand('refund refunded');
    await demand('chargeback', { money: { amount: '6', currency: 'EUR' } });
    expect(await trip.fetched(named)).to.deep.equal([
      'paid succeeded 25.90',
      'refunded succeeded 5.00',
      'received opened 6.00',
    ]);
  });

  it('changes nothing if it forges, and refuses an unknown event', async () => {
    const before = await trip.fetched(named);
    const [answer] = await demand('failed', { forge: true });
    expect(answer?.status).to.equal(200);
    expect(await trip.fetched(named)).to.deep.equal(before);
    const odd = await demand('gone').catch((error: unknown) => error);
    expect(odd).to.be.instanceOf(RangeError);
  });
});

describe('the sandbox with Mollie’s own SDK', () => {
  before(async () => {
    trip = await start();
    // The SDK speaks only TLS, at any address.
    nock('https://api.mollie.com:443')
      .persist()
      .intercept(/.*/, 'GET')
      .reply(forward('GET'))
      .intercept(/.*/, 'POST')
      .reply(forward('POST'));
  });
  after(async () => {
    nock.cleanAll();
    nock.restore();
    await trip.close();
  });

  function forward(method: string) {
    return async function (this: nock.ReplyFnContext, path: string, body: nock.Body): Promise<nock.ReplyFnResult> {
      const { authorization = '', 'idempotency-key': key = '' } = this.req.headers;
      const headers = { Authorization: authorization, 'Idempotency-Key': key };
      const sent = method === 'GET' ? {} : { body: JSON.stringify(body) };
      const reply = await fetch(`${trip.sandboxUrl}${path}`, { method, headers, ...sent });
      return [reply.status, await reply.text(), { 'Content-Type': 'application/hal+json' }];
    };
  }

  it("shows the adapter's payment with its changes, and refunds it", async () => {
    const sdk = createMollieClient({ apiKey: options.apiKey });
    const { outcome, stored } = await buy(payment());
    const id = stored.providerReference!;
    const open = await sdk.payments.get(id);
    expect(open).to.include({ id, status: 'open', mode: 'test', description: stored.reference });
    expect(open.getCheckoutUrl()).to.equal((actionOf(outcome) as { readonly url: string }).url);
    await pressButton(actionOf(outcome), { status: 'paid' });
    const refunded = await sdk.paymentRefunds.create({ paymentId: id, amount: { currency: 'EUR', value: '10.00' } });
    expect(refunded).to.include({ status: 'pending', paymentId: id });
    await trip.until(() => trip.heard.length === 2);
    await pressButton(actionOf(outcome), { status: 'chargeback' });
    const paid = await sdk.payments.get(id);
    expect(paid).to.deep.include({ status: 'paid', amountRefunded: { currency: 'EUR', value: '10.00' } });
    expect(paid.amountChargedBack).to.deep.equal({ currency: 'EUR', value: '15.90' });
    const listed = await sdk.paymentRefunds.page({ paymentId: id });
    expect(listed.map(({ status }) => status)).to.deep.equal(['refunded']);
  });

  it('creates a payment that the adapter would not create', async () => {
    const sdk = createMollieClient({ apiKey: options.apiKey });
    const made = await sdk.payments.create({
      amount: { currency: 'JPY', value: '2590' },
      description: 'by the SDK',
      redirectUrl: 'https://shop.example/back',
      metadata: {},
    });
    expect(made).to.include({ status: 'open', description: 'by the SDK' });
  });

  it('refuses as Mollie does', async () => {
    const sdk = createMollieClient({ apiKey: `${options.apiKey}x` });
    const refused: unknown = await sdk.payments.get('tr_1').catch((error: unknown) => error);
    expect(refused).to.include({ statusCode: 401, title: 'Unauthorized Request' });
  });
});
