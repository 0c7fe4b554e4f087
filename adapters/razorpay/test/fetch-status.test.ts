import type { HttpReply, StatusReport } from '@paywright/contract';
import { reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import razorpay from '../index.ts';
import { harness, link, order, pageStored, payment, refundOf, refusal } from './messages.ts';

const { fetchStatus, stored, createContext } = harness;

const list = (...items: unknown[]): HttpReply => reply(200, { entity: 'collection', count: items.length, items });
const statusesOf = (report: StatusReport): string[] =>
  report.result === 'events'
    ? report.events.map((event) => `${event.providerStatus} ${razorpay.mapStatus(event, 'fetch')} ${event.amount}`)
    : [report.result];

describe('the status of a UPI payment', () => {
  const upi = (answers: readonly HttpReply[], given = stored) => fetchStatus(answers, given);

  for (const [status, said] of [
    ['created', 'payment.created pending 25.90'],
    ['authorized', 'payment.authorized pending 25.90'],
    ['failed', 'payment.failed failed 25.90'],
    ['odd', 'payment.odd unknown 25.90'],
  ] as const) {
    it(`is ${said}`, async () => {
      const report = await upi([list(order([payment(status)]))]);
      expect(statusesOf(report)).to.deep.equal([said]);
      expect(report).to.include({ showsAllRefunds: true });
      const [event] = report.result === 'events' ? report.events : [];
      expect(event!.awaitsPayer).to.equal(status === 'created' ? true : undefined);
    });
  }

  it('shows refunds of a captured payment', async () => {
    const answers = [
      list(order([payment('captured')])),
      list(refundOf('processed'), refundOf('pending', { id: 'rfnd_2' })),
    ];
    const report = await upi(answers);
    expect(statusesOf(report)).to.deep.equal([
      'payment.captured succeeded 25.90',
      'refund.processed succeeded 10.00',
      'refund.pending pending 10.00',
    ]);
  });

  it('treats a refunded payment as paid if it was captured, otherwise as failed', async () => {
    for (const [captured, status] of [
      [true, 'succeeded'],
      [false, 'failed'],
    ] as const) {
      const report = await upi([list(order([payment('refunded', { captured })])), list()]);
      expect(statusesOf(report)).to.deep.equal([`payment.refunded ${status} 25.90`]);
    }
  });

  it('puts the payment of the submission first, and ignores orders that only contain the reference', async () => {
    const others = order([payment('captured', { id: 'pay_9' })], { receipt: 'GW-10042-12' });
    const report = await upi([list(others, order([payment('failed', { id: 'pay_2' }), payment('created')]))]);
    expect(statusesOf(report)).to.deep.equal(['payment.created pending 25.90', 'payment.failed failed 25.90']);
  });

  it('fetches by our reference, even if an id is known', async () => {
    const http = scriptedHttp([list()]);
    await razorpay.fetchStatus!(stored, createContext([], { http }));
    expect(http.requests[0]!.path).to.equal('/v1/orders?receipt=GW-10042-1&expand%5B%5D=payments&count=100');
  });

  for (const [name, answer] of [
    ['no order', list()],
    ['an order without a payment', list(order([]))],
  ] as const) {
    it(`charged nothing with ${name}, once the submission has ended`, async () => {
      expect(await upi([answer])).to.deep.equal({ result: 'nothing_charged' });
      expect((await upi([answer], { ...stored, endedAt: null })).result).to.equal('no_information');
    });
  }

  for (const [name, ...answers] of [
    ['an order of another amount', list(order([], { amount: 2591 }))],
    ['only orders of other payments', list(order([], { receipt: 'GW-10042-12' }))],
    ['an order without its payments', list(order([], { payments: undefined }))],
    ['a refused key', refusal(401)],
    ['a page', reply(200, '<html>')],
    [
      'a refund of another payment',
      list(order([payment('captured')])),
      list(refundOf('processed', { payment_id: 'pay_2' })),
    ],
    ['no list of refunds', list(order([payment('captured')])), refusal(500)],
  ] as const) {
    it(`reports nothing after ${name}`, async () => expect((await upi(answers)).result).to.equal('no_information'));
  }
});

describe('the disputes of a payment that is known to be paid', () => {
  const disputed = (id: string, status: string, members: object = {}): object => ({
    id,
    payment_id: 'pay_1',
    amount: 2590,
    currency: 'INR',
    amount_deducted: status === 'lost' ? 2590 : 0,
    status,
    ...members,
  });
  const others = Array.from({ length: 100 }, (_, at) => ({ id: `disp_o${at}`, payment_id: 'pay_9' }));
  const paid = { ...stored, isPaid: true as const };
  const captured = list(order([payment('captured')]));

  it('are found among those of the account, on every page', async () => {
    const http = scriptedHttp([captured, list(), list(...others), list(disputed('disp_1', 'lost'))]);
    const report = await razorpay.fetchStatus!(paid, createContext([], { http }));
    expect(statusesOf(report)).to.deep.equal(['payment.captured succeeded 25.90', 'dispute.lost lost 25.90']);
    const asked = http.requests.slice(2).map(({ path }) => path);
    expect(asked).to.deep.equal(['/v1/disputes?count=100&skip=0', '/v1/disputes?count=100&skip=100']);
  });

  it('do not hide the refunds of an account with more disputes than a fetch reads', async () => {
    const pages = Array.from({ length: 20 }, () => list(...others));
    const http = scriptedHttp([captured, list(), ...pages]);
    const report = await razorpay.fetchStatus!(paid, createContext([], { http }));
    expect(statusesOf(report)).to.deep.equal(['payment.captured succeeded 25.90']);
    expect(http.requests).to.have.length(22);
  });

  it('are found for a payment at a page, under the id of its link', async () => {
    const answers = [reply(200, link('paid')), list(), list(disputed('disp_1', 'open'), disputed('disp_2', 'won'))];
    const report = await fetchStatus(answers, { ...pageStored, isPaid: true });
    expect(statusesOf(report).slice(1)).to.deep.equal(['dispute.open opened 25.90', 'dispute.won won 25.90']);
    expect(report.result === 'events' && report.events.map((event) => event.providerReference)).to.deep.equal([
      'plink_1',
      'plink_1',
      'plink_1',
    ]);
  });

  it('are not asked for before the payment is known to be paid', async () => {
    const http = scriptedHttp([captured, list()]);
    await razorpay.fetchStatus!(stored, createContext([], { http }));
    expect(http.requests).to.have.length(2);
  });

  for (const [name, answer] of [
    ['a refusal', refusal(500)],
    ['no list', reply(200, {})],
    ['a dispute without a status', list(disputed('disp_1', 'open', { status: null }))],
  ] as const) {
    it(`make the status unknown after ${name}`, async () => {
      expect((await fetchStatus([captured, list(), answer], paid)).result).to.equal('no_information');
    });
  }
});

describe('the status of a payment link', () => {
  const page = (answers: readonly HttpReply[], stored = pageStored) => fetchStatus(answers, stored);

  for (const [status, said] of [
    ['created', 'payment_link.created pending 25.90'],
    ['partially_paid', 'payment_link.partially_paid underpaid 25.90'],
    ['expired', 'payment_link.expired expired 25.90'],
    ['cancelled', 'payment_link.cancelled cancelled 25.90'],
    ['odd', 'payment_link.odd unknown 25.90'],
  ] as const) {
    it(`is ${said}`, async () => {
      const report = await page([reply(200, link(status))]);
      expect(statusesOf(report)).to.deep.equal([said]);
      const [event] = report.result === 'events' ? report.events : [];
      const isOpen = ['created', 'partially_paid'].includes(status);
      expect(event!.action?.type).to.equal(isOpen ? 'redirect' : undefined);
    });
  }

  it('shows payment and refunds under the id that core knows', async () => {
    const report = await page([reply(200, link('paid')), list(refundOf('processed'))]);
    expect(statusesOf(report)).to.deep.equal(['payment_link.paid succeeded 25.90', 'refund.processed succeeded 10.00']);
    const ids = report.result === 'events' ? report.events.map((event) => event.providerReference) : [];
    expect(ids).to.deep.equal(['plink_1', 'plink_1']);
  });

  it('reports refunds as unknown if it does not know the payment', async () => {
    const report = await page([reply(200, link('paid', { payments: null }))]);
    expect(statusesOf(report)).to.deep.equal(['payment_link.paid succeeded 25.90']);
    expect(report).not.to.have.property('showsAllRefunds');
    expect(await page([reply(200, link('created'))])).to.have.property('showsAllRefunds', true);
  });

  const { providerReference: _known, ...nameless } = pageStored;
  it('is found by our reference after the answer was lost', async () => {
    const http = scriptedHttp([reply(200, { payment_links: [link('created')] })]);
    const report = await razorpay.fetchStatus!(nameless, createContext([], { http }));
    expect(http.requests[0]!.path).to.equal('/v1/payment_links?reference_id=GW-10042-1');
    expect(statusesOf(report)).to.deep.equal(['payment_link.created pending 25.90']);
    expect(await page([reply(200, { payment_links: [] })], nameless)).to.deep.equal({ result: 'nothing_charged' });
  });

  for (const [name, answer, stored] of [
    ['another link', reply(200, link('paid', { id: 'plink_2' })), pageStored],
    ['another reference', reply(200, link('paid', { reference_id: 'GW-10042-2' })), pageStored],
    ['an id that does not exist', refusal(400), pageStored],
    ['two links of one reference', reply(200, { payment_links: [link('paid'), link('created')] }), nameless],
    ['a page', reply(200, '<html>'), nameless],
  ] as const) {
    it(`reports nothing after ${name}`, async () =>
      expect((await page([answer], stored)).result).to.equal('no_information'));
  }
});
