import type { Action, Outcome, StoredPayment, Submission } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { describeScenarioRules, firstRefund, startRoundTrip, type RoundTrip } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import btcpay from '../../index.ts';
import type { Options } from '../../options.ts';
import createSandbox from '../../sandbox/index.ts';
import { harness, addressOptions } from '../messages.ts';

const { options, submission } = harness;

let count = 0;
function payment(amount = '25.9'): Submission<'billing'> {
  count += 1;
  return { ...submission, reference: `GW-${count}-1`, money: { amount, currency: 'EUR' }, sandbox: true };
}
const start = (delayMs = 8, own = options): Promise<RoundTrip<Options>> =>
  startRoundTrip({ adapter: btcpay, createSandbox, options: own, delayMs });

const paid = [
  'InvoiceReceivedPayment pending',
  'InvoiceProcessing pending',
  'InvoicePaymentSettled pending',
  'InvoiceSettled succeeded',
];
const refunded = [
  'InvoiceRefund pending',
  'AwaitingApproval pending',
  'AwaitingPayment pending',
  'InProgress pending',
  'Completed pending',
];

/** The payer presses a button of the checkout page. */
async function press(action: Action | undefined, act: string): Promise<void> {
  expect(action?.type).to.equal('redirect');
  const url = action?.type === 'redirect' ? action.url : '';
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { status } = await sendRequest({ method: 'POST', url, headers, body: `act=${act}` }, 5_000);
  expect(status).to.be.oneOf([200, 303]);
}

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
    btcpay.refund!(
      stored,
      { reference: `${stored.reference}-R${number}`, money: { amount, currency: 'EUR' }, ...firstRefund },
      trip.provider,
    );

  for (const [amount, reported, shown] of [
    ['25.9', paid, ['Settled succeeded 25.90']],
    ['25.60', ['InvoiceReceivedPayment pending'], ['New PaidPartial underpaid 25.60']],
    [
      '25.61',
      ['InvoiceReceivedPayment pending', 'InvoiceProcessing pending', 'InvoiceSettled succeeded'],
      ['Settled PaidOver overpaid 25.61'],
    ],
    [
      '25.62',
      ['InvoiceExpired expired', 'InvoiceReceivedPayment pending', 'InvoicePaymentSettled pending'],
      ['Expired PaidLate late 25.62'],
    ],
    ['25.63', ['InvoiceExpired expired'], ['Expired expired 25.63']],
    [
      '25.64',
      ['InvoiceReceivedPayment pending', 'InvoiceProcessing pending', 'InvoiceInvalid failed'],
      ['Invalid failed 25.64'],
    ],
  ] as const) {
    it(`reads ${shown.join()} for amount ${amount}, fetched by id and by reference`, async () => {
      const given = payment(amount);
      const outcome = await trip.submit(given);
      await hears(...reported);
      expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal(shown);
      expect(await trip.fetched(trip.toStored(given, { outcome: 'unknown' }))).to.deep.equal(shown);
    });
  }

  it('expires an invoice that was paid in part', async () => {
    const given = payment('25.60');
    const outcome = await trip.submit(given);
    await hears('InvoiceReceivedPayment pending');
    await press(outcome.outcome === 'pending' ? outcome.action : undefined, 'expire');
    await hears('InvoiceReceivedPayment pending', 'InvoiceExpired expired');
    expect(await trip.fetched(trip.toStored(given, outcome))).to.deep.equal([
      'Expired expired 25.60',
      'Expired PaidPartial underpaid 25.60',
    ]);
  });

  it('shows an address and coins', async () => {
    await trip.close();
    trip = await start(8, addressOptions);
    const given = payment();
    const outcome = await trip.submit(given);
    const action = outcome.outcome === 'pending' ? outcome.action : undefined;
    expect(action).to.include({ type: 'crypto', coin: 'BTC', amount: '0.0004144', network: 'bitcoin' });
    const report = await trip.fetchStatus(trip.toStored(given, { outcome: 'unknown' }));
    expect(report.result).to.equal('events');
    await hears(...paid);
  });

  it('refunds in parts, up to the paid amount, and shows where to claim', async () => {
    const given = payment();
    const outcome = await trip.submit(given);
    await hears(...paid);
    const stored = trip.toStored(given, outcome);
    const first = await refund(stored, '20');
    expect(first.outcome).to.equal('pending');
    const claimed = await trip.fetchStatus(stored, first.providerReference);
    expect(claimed.result === 'events' && claimed.events[0]?.details?.['claimAt']).to.match(
      /^http.*\/pull-payments\/\w+$/,
    );
    await hears(...paid, ...refunded);
    expect(await refund(stored, '5.91', 2)).to.include({ outcome: 'failed', nothingCharged: true });
    const failing = await refund(stored, '5.58', 3);
    await hears(...paid, ...refunded, 'InvoiceRefund pending', 'AwaitingApproval pending', 'Cancelled pending');
    const about = { ...stored, adapterState: { refunds: 'begun' } };
    expect(await trip.fetched(about)).to.deep.equal([
      'Settled succeeded 25.90',
      'Completed succeeded 20.00',
      'Archived failed 5.58',
    ]);
    const archived = await trip.fetchStatus(stored, failing.providerReference);
    expect(archived.result === 'events' && archived.events[0]?.providerStatus).to.equal('Archived');
  });

  it('refunds nothing for an unpaid invoice', async () => {
    const given = payment('25.60');
    const outcome = await trip.submit(given);
    expect(await refund(trip.toStored(given, outcome), '1')).to.include({ outcome: 'failed', nothingCharged: true });
  });

  it('sends every event on demand and changes its data', async () => {
    const money = { amount: '25.90', currency: 'EUR' };
    const about = { reference: 'GW-7-1', providerReference: null, money, times: 1 };
    const { events = [] } = createSandbox({
      options,
      providerSide: {},
      baseUrl: 'http://127.0.0.1',
      publicUrl: 'http://127.0.0.1',
      delayMs: 0,
    });
    expect(events).to.include.members([
      'InvoiceSettled',
      'InvoiceSettled manuallyMarked',
      'InvoiceRefund',
      'PayoutUpdated Completed',
    ]);
    for (const event of events) {
      const [answer] = await trip.trigger({ ...about, event, forge: false });
      expect(answer!.status, event).to.equal(200);
    }
    expect(trip.heard.every(({ outcome }) => outcome === 'accepted')).to.equal(true);
    await trip.trigger({ ...about, event: 'InvoiceSettled manuallyMarked', forge: false });
    const stored = trip.toStored({ ...payment(), reference: 'GW-7-1' }, { outcome: 'unknown' });
    expect(await trip.fetched(stored)).to.deep.equal(['Settled Marked succeeded 25.90']);
    const [forged] = await trip.trigger({ ...about, event: 'InvoiceInvalid', forge: true });
    expect(forged!.status).to.equal(401);
    expect(await trip.fetched(stored)).to.deep.equal(['Settled Marked succeeded 25.90']);
    const odd = await trip.trigger({ ...about, event: 'InvoiceThawed', forge: false }).catch((error: unknown) => error);
    expect(odd).to.be.instanceOf(RangeError);
  });

  it('passes its own check', async () => {
    const findings = await btcpay.checkAccount!(trip.provider);
    expect(findings.filter(({ ok }) => !ok)).to.deep.equal([]);
  });

  it('refuses another key, another store, and an unknown request', async () => {
    const ask = (store: string, Authorization: string, body: string) => {
      const url = `${trip.sandboxUrl}/api/v1/stores/${store}/invoices`;
      return sendRequest({ method: 'POST', url, headers: { Authorization }, body }, 5_000);
    };
    const right = `token ${options.apiKey}`;
    expect((await ask(options.storeId, 'token other', '{}')).status).to.equal(401);
    expect((await ask('SomeoneElse1', right, '{}')).status).to.equal(403);
    expect((await ask(options.storeId, right, '{"amount":"1","currency":"EUR"}')).status).to.equal(422);
  });
});

describe('payments by BTCPay Server', () => {
  describeScenarioRules({ start, payment, scenario: paid, repetition: 'another' });
});
