import type { HttpReply, ReportedEvent, StatusReport, StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import btcpay from '../index.ts';
import {
  harness,
  addressOptions,
  html,
  invoice,
  method,
  payout,
  pullPayment,
  refusal,
  type Members,
} from './messages.ts';

const { unanswered, options, stored, fetchStatus, recordCall } = harness;

const eventsOf = (report: StatusReport): readonly ReportedEvent[] => (report.result === 'events' ? report.events : []);
const said = (report: StatusReport): readonly string[] =>
  report.result === 'events'
    ? report.events.map((event) => `${event.providerStatus}: ${btcpay.mapStatus(event, 'fetch')} ${event.amount}`)
    : [report.result];

async function paths(payment: StoredPayment, pullPaymentId: string | undefined, answers: readonly HttpReply[]) {
  const { requests } = await recordCall(answers, (ctx) => btcpay.fetchStatus!(payment, ctx, pullPaymentId));
  return requests.map(({ path }) => path.replace(`/api/v1/stores/${options.storeId}`, '…'));
}

describe('the status of an invoice', () => {
  it('is fetched by its id, or by our reference, including archived invoices', async () => {
    expect(await paths({ ...stored, providerReference: 'inv/1' }, undefined, [html])).to.deep.equal([
      '…/invoices/inv%2F1',
    ]);
    expect(await paths(unanswered, undefined, [html])).to.deep.equal([
      '…/invoices?orderId=GW-10042-1&includeArchived=true',
    ]);
  });

  for (const [status, additional, expected] of [
    ['New', 'None', ['New: pending 25.90']],
    ['New', 'PaidPartial', ['New PaidPartial: underpaid 25.90']],
    ['Processing', 'None', ['Processing: pending 25.90']],
    ['Processing', 'PaidOver', ['Processing PaidOver: pending 25.90']],
    ['Settled', 'None', ['Settled: succeeded 25.90']],
    ['Settled', 'PaidOver', ['Settled PaidOver: overpaid 25.90']],
    ['Settled', 'Marked', ['Settled Marked: succeeded 25.90']],
    ['Expired', 'None', ['Expired: expired 25.90']],
    ['Expired', 'PaidPartial', ['Expired: expired 25.90', 'Expired PaidPartial: underpaid 25.90']],
    ['Invalid', 'None', ['Invalid: failed 25.90']],
    ['Invalid', 'PaidOver', ['Invalid PaidOver: failed 25.90']],
    ['Invalid', 'Marked', ['Invalid Marked: failed 25.90']],
    ['Frozen', 'None', ['Frozen: unknown 25.90']],
    ['Frozen', 'Marked', ['Frozen Marked: unknown 25.90']],
  ] as const) {
    it(`is ${expected.join(', then ')} for ${status} ${additional}`, async () => {
      for (const [payment, answer] of [
        [stored, invoice(status, additional)],
        [unanswered, [invoice(status, additional)]],
      ] as const) {
        expect(said(await fetchStatus([reply(200, answer)], payment))).to.deep.equal(expected);
      }
    });
  }

  // Every pair that BTCPay Server’s document allows, by its status.
  for (const [status, expected, exceptions] of [
    ['New', 'pending', { PaidPartial: 'underpaid' }],
    ['Processing', 'pending', {}],
    ['Settled', 'succeeded', { PaidOver: 'overpaid' }],
    ['Expired', 'expired', { PaidPartial: 'underpaid', PaidLate: 'late', PaidOver: 'late' }],
    ['Invalid', 'failed', {}],
  ] as readonly (readonly [string, string, Readonly<Record<string, string>>])[]) {
    for (const additional of ['None', 'PaidLate', 'PaidPartial', 'Marked', 'Invalid', 'PaidOver']) {
      const meaning = exceptions[additional] ?? expected;
      it(`is ${meaning} for the pair ${status} ${additional}, and nothing is unlisted`, async () => {
        const answers = [reply(200, invoice(status, additional)), reply(200, [method({}, 'Settled')])];
        const event = eventsOf(await fetchStatus(answers)).at(-1)!;
        expect(btcpay.mapStatus(event, 'fetch')).to.equal(meaning);
        expect(event).to.not.have.property('unlistedStatus');
        expect(event.decline).to.equal(meaning === 'failed' ? '05' : undefined);
      });
    }
  }

  it('follows a known status next to a new additional status, and counts and notes the new one', async () => {
    for (const [status, expected] of [
      ['Settled', 'succeeded'],
      ['Invalid', 'failed'],
      ['Processing', 'pending'],
      ['Expired', 'expired'],
    ] as const) {
      const [event] = eventsOf(await fetchStatus([reply(200, invoice(status, 'Frozen', { paidAmount: '9.90' }))]));
      expect(btcpay.mapStatus(event!, 'fetch')).to.equal(expected);
      expect(event).to.include({ providerStatus: status, unlistedStatus: `${status} Frozen`, received: '9.9' });
      expect(event!.details).to.deep.equal({ additionalStatus: 'Frozen' });
    }
    const [missing] = eventsOf(
      await fetchStatus([reply(200, invoice('Settled', 'None', { additionalStatus: undefined }))]),
    );
    expect(missing).to.include({ providerStatus: 'Settled' }).and.not.have.property('unlistedStatus');
  });

  it('shows what arrived at a settled invoice, even if that is less than the price or nothing', async () => {
    for (const [additional, paidAmount, received] of [
      ['Marked', '6.36', '6.36'],
      ['None', '25.64', '25.64'],
      ['Marked', '0', '0'],
      ['Marked', '0.00', '0'],
      ['Marked', undefined, undefined],
    ] as const) {
      const [event] = eventsOf(await fetchStatus([reply(200, invoice('Settled', additional, { paidAmount }))]));
      expect(event).to.include({ amount: '25.90' });
      expect(event!.received).to.equal(received);
    }
    const [open] = eventsOf(await fetchStatus([reply(200, invoice('New', 'None', { paidAmount: '0' }))]));
    expect(open).to.not.have.property('received');
  });

  it('shows the received amount, with an identity that changes when more arrives', async () => {
    const report = (paidAmount: string | undefined) =>
      fetchStatus([reply(200, invoice('New', 'PaidPartial', { paidAmount }))]);
    const [less, more, none] = await Promise.all([report('10.50'), report('12'), report(undefined)]);
    expect(eventsOf(less)[0]).to.include({
      received: '10.5',
      dedupeKey: 'HMprBnL9BTXWuPvpoKBS6e:New PaidPartial:10.5',
    });
    expect(eventsOf(more)[0]).to.include({ received: '12', dedupeKey: 'HMprBnL9BTXWuPvpoKBS6e:New PaidPartial:12' });
    expect(eventsOf(none)[0]).not.to.have.property('received');
  });

  it('reports a late and insufficient amount together with the end of the invoice', async () => {
    const report = await fetchStatus([reply(200, invoice('Expired', 'PaidPartial', { paidAmount: '10' }))]);
    expect(eventsOf(report).map(({ received, dedupeKey }) => [received, dedupeKey])).to.deep.equal([
      [undefined, 'HMprBnL9BTXWuPvpoKBS6e:Expired:0'],
      ['10', 'HMprBnL9BTXWuPvpoKBS6e:Expired PaidPartial:10'],
    ]);
  });

  for (const [name, paid, members, expected] of [
    ['confirmed', ['Settled', 'Settled'], {}, 'late'],
    ['in part unconfirmed', ['Settled', 'Processing'], {}, 'pending'],
    ['unconfirmed', ['Processing'], {}, 'pending'],
    ['a little less, within the tolerance of the store', ['Settled'], { paidAmount: '25.65' }, 'late'],
    ['within the tolerance and unconfirmed', ['Processing'], { paidAmount: '25.65' }, 'pending'],
    ['not among the payments any more', [], {}, 'pending'],
    ['sufficient according to the server', ['Settled'], { paidAmount: undefined }, 'late'],
  ] as readonly (readonly [string, readonly string[], Members, string])[]) {
    it(`is ${expected} for late money that is ${name}`, async () => {
      const late = invoice('Expired', 'PaidLate', { paidAmount: '25.9', ...members });
      const report = await fetchStatus([
        reply(200, late),
        reply(200, [method({}, ...paid), method({ paymentMethodId: 'BTC-LN' })]),
      ]);
      expect(said(report)).to.deep.equal([`Expired PaidLate: ${expected} 25.90`]);
    });
  }

  it('shows that it was decided manually', async () => {
    const [settled] = eventsOf(await fetchStatus([reply(200, invoice('Settled', 'Marked'))]));
    expect(settled?.details).to.deep.equal({ marked: 'by hand' });
    const [invalid] = eventsOf(await fetchStatus([reply(200, invoice('Invalid', 'Marked'))]));
    expect(invalid).to.include({ decline: '05', declineText: 'Invalid Marked' });
  });

  it('shows the page again while the invoice is open', async () => {
    const actionOf = async (status: string) =>
      eventsOf(await fetchStatus([reply(200, invoice(status))]))[0]?.action?.type;
    expect([await actionOf('New'), await actionOf('Processing')]).to.deep.equal(['redirect', undefined]);
  });

  it('needs the address only if it was not stored', async () => {
    const lost: StoredPayment = { ...stored, method: 'crypto' };
    const answers = [reply(200, invoice()), reply(200, [method()])];
    const report = await fetchStatus(answers, lost, undefined, { options: addressOptions });
    expect(eventsOf(report)[0]?.action).to.include({ type: 'crypto', address: 'bc1qxyz' });
    const known: StoredPayment = { ...lost, action: eventsOf(report)[0]!.action! };
    expect(await paths(known, undefined, answers)).to.have.length(1);
  });

  it('proves that nothing was created if the list is empty after the end of our call', async () => {
    expect(await fetchStatus([reply(200, [])], unanswered)).to.deep.equal({ result: 'nothing_charged' });
    expect((await fetchStatus([reply(200, [])], { ...unanswered, endedAt: null })).result).to.equal('no_information');
  });

  const good = invoice('Settled');
  for (const [name, answers, payment = stored] of [
    ['a 404', [refusal(404, 'invoice-not-found')]],
    ['a 403 to the list', [refusal(403, 'missing-permission')], unanswered],
    ['an invoice under another status', [reply(500, good)]],
    ['another store', [reply(200, { ...good, storeId: 'SomeoneElse1' })]],
    ['another order', [reply(200, { ...good, metadata: { orderId: 'GW-10043-1' } })]],
    ['another invoice', [reply(200, { ...good, id: 'other' })]],
    ['a list instead of an invoice', [reply(200, [good])]],
    ['an invoice instead of a list', [reply(200, good)], unanswered],
    ['two invoices', [reply(200, [good, good])], unanswered],
    ['another order in the list', [reply(200, [{ ...good, metadata: { orderId: 'GW-1-1' } }])], unanswered],
    ['late money whose payments are not available', [reply(200, invoice('Expired', 'PaidLate')), html]],
    [
      'late money whose payments have no status',
      [reply(200, invoice('Expired', 'PaidLate')), reply(200, [{ payments: [{}] }])],
    ],
    ['a page', [html]],
  ] as readonly (readonly [string, readonly HttpReply[], StoredPayment?])[]) {
    it(`is unknown with ${name}`, async () =>
      expect((await fetchStatus(answers, payment)).result).to.equal('no_information'));
  }
});

describe('the status of a refund', () => {
  const refund = (of: Members, ...payouts: readonly Members[]): Promise<StatusReport> =>
    fetchStatus([reply(200, of), reply(200, payouts)], stored, 'pp1');

  it('is fetched by its number, without the store', async () => {
    expect(await paths(stored, 'pp/1', [html])).to.deep.equal(['/api/v1/pull-payments/pp%2F1']);
    expect(await paths(stored, 'pp1', [reply(200, pullPayment()), html])).to.deep.equal([
      '/api/v1/pull-payments/pp1',
      '/api/v1/pull-payments/pp1/payouts',
    ]);
  });

  for (const [name, of, payouts, expected] of [
    ['the refund has not been claimed', {}, [], 'Active: pending 10.00'],
    ['a claim awaits approval', {}, [payout('AwaitingApproval')], 'AwaitingApproval: pending 10.00'],
    ['a claim awaits payment', {}, [payout('AwaitingPayment')], 'AwaitingPayment: pending 10.00'],
    ['a claim is being sent', {}, [payout('InProgress')], 'InProgress: pending 10.00'],
    ['it was sent', {}, [payout('Completed')], 'Completed: succeeded 10.00'],
    ['it was sent in parts', {}, [payout('Completed', '4'), payout('Completed', '6')], 'Completed: succeeded 10.00'],
    ['a part was sent', {}, [payout('Completed', '4')], 'Active: pending 10.00'],
    ['a claim was cancelled', {}, [payout('Cancelled')], 'Active: pending 10.00'],
    ['it is archived', { archived: true }, [payout('Cancelled')], 'Archived: failed 10.00'],
    ['it is archived after a part', { archived: true }, [payout('Completed', '4')], 'Completed: succeeded 4.00'],
    ['it is archived while being sent', { archived: true }, [payout('InProgress')], 'InProgress: pending 10.00'],
    ['its state is new to us', {}, [payout('Frozen')], 'Frozen: unknown 10.00'],
  ] as readonly (readonly [string, Members, readonly Members[], string])[]) {
    it(`is ${expected} if ${name}`, async () => {
      const report = await refund(pullPayment(of), ...payouts);
      expect(said(report)).to.deep.equal([expected]);
      expect(eventsOf(report)[0]).to.include({ kind: 'refund', reference: 'GW-10042-1', subReference: 'pp1' });
    });
  }

  it('shows where to claim the refund, unless it is archived', async () => {
    const detailsOf = async (of: Members, ...payouts: readonly Members[]) =>
      eventsOf(await refund(pullPayment(of), ...payouts))[0]?.details;
    const page = { claimAt: 'https://btcpay.example/pull-payments/pp1' };
    expect(await detailsOf({})).to.deep.equal(page);
    expect(await detailsOf({}, payout('Completed'))).to.deep.equal(page);
    expect(await detailsOf({ archived: true })).to.equal(undefined);
    expect(await detailsOf({ viewLink: 'javascript:alert(1)' })).to.equal(undefined);
    expect(await detailsOf({ viewLink: `https://btcpay.example/${'x'.repeat(200)}` })).to.equal(undefined);
  });

  it('accepts a refund with its own name that was created at the server', async () => {
    expect(said(await refund(pullPayment({ name: 'Refund HMpr' })))).to.deep.equal(['Active: pending 10.00']);
    const inCoins = await refund(pullPayment({ name: '', currency: 'BTC', amount: '0.00016' }));
    expect(eventsOf(inCoins)[0]).to.include({ amount: '0.00016000', currency: 'BTC' });
  });

  for (const [name, ...answers] of [
    ['a 404', refusal(404, 'pullpayment-not-found')],
    ['another pull payment', reply(200, pullPayment({ id: 'pp2' })), reply(200, [])],
    ['a refund of another payment', reply(200, pullPayment({ name: 'GW-10042-11-R1' })), reply(200, [])],
    ['no amount', reply(200, pullPayment({ amount: undefined })), reply(200, [])],
    [
      'payouts of another',
      reply(200, pullPayment()),
      reply(200, [payout('Completed', '10', { pullPaymentId: 'pp2' })]),
    ],
    [
      'payouts without an amount',
      reply(200, pullPayment()),
      reply(200, [payout('Completed', undefined, { originalAmount: null })]),
    ],
    ['no list of payouts', reply(200, pullPayment()), reply(200, {})],
    ['a page', html],
  ] as readonly (readonly [string, ...HttpReply[]])[]) {
    it(`is unknown with ${name}`, async () =>
      expect((await fetchStatus(answers, stored, 'pp1')).result).to.equal('no_information'));
  }
});

describe('the list of all refunds of a payment', () => {
  const begun: StoredPayment = { ...stored, adapterState: { refunds: 'begun' } };
  const settled = reply(200, invoice('Settled'));

  it('is empty while the payment is not paid', async () => {
    for (const status of ['New', 'Processing', 'Expired']) {
      expect(await fetchStatus([reply(200, invoice(status))], begun)).to.include({ showsAllRefunds: true });
    }
  });

  it('is fetched once a refund was requested, and not before', async () => {
    expect(await fetchStatus([settled])).not.to.have.property('showsAllRefunds');
    const list = [
      pullPayment(),
      pullPayment({ id: 'pp2', name: 'GW-10042-11-R1' }),
      pullPayment({ name: 'other' }),
      { odd: 1 },
    ];
    const report = await fetchStatus([settled, reply(200, list), reply(200, [payout('Completed')])], begun);
    expect(said(report)).to.deep.equal(['Settled: succeeded 25.90', 'Completed: succeeded 10.00']);
    expect(report).to.include({ showsAllRefunds: true });
    const none = await fetchStatus([settled, reply(200, [])], begun);
    expect([said(none), 'showsAllRefunds' in none]).to.deep.equal([['Settled: succeeded 25.90'], true]);
  });

  it('includes refunds that were made in BTCPay Server, once the payment is known to be paid', async () => {
    const paid: StoredPayment = { ...stored, isPaid: true };
    const list = [
      pullPayment({ name: 'Refund HMprBnL9BTXWuPvpoKBS6e' }),
      pullPayment({ id: 'pp2', name: 'Refund another' }),
      pullPayment({ id: 'pp3', name: 'Salaries of May' }),
    ];
    const report = await fetchStatus([settled, reply(200, list), reply(200, [payout('Completed')])], paid);
    expect(said(report)).to.deep.equal(['Settled: succeeded 25.90', 'Completed: succeeded 10.00']);
    expect(report).to.include({ showsAllRefunds: true });
    const refused = await fetchStatus([settled, refusal(403, 'missing-permission')], paid);
    expect(said(refused)).to.deep.equal(['Settled: succeeded 25.90']);
    expect(refused).not.to.have.property('showsAllRefunds');
  });

  it('includes archived refunds', async () => {
    const asked = await paths(begun, undefined, [settled, reply(200, [pullPayment()]), reply(200, [])]);
    expect(asked.slice(1)).to.deep.equal(['…/pull-payments?includeArchived=true', '/api/v1/pull-payments/pp1/payouts']);
  });

  for (const [name, ...answers] of [
    ['a refused list', refusal(403, 'missing-permission')],
    ['no list', reply(200, {})],
    ['one of our refunds that is unreadable', reply(200, [pullPayment({ amount: 'much' })])],
    ['payouts that are not available', reply(200, [pullPayment()]), html],
  ] as readonly (readonly [string, ...HttpReply[]])[]) {
    it(`is unknown after ${name}`, async () =>
      expect((await fetchStatus([settled, ...answers], begun)).result).to.equal('no_information'));
  }
});
