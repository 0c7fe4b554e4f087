import type { HttpReply } from '@paywright/contract';
import { reply, scriptedHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import coinServer from '../index.ts';
import { harness, html, invoice } from './messages.ts';

const { fetchStatus, unanswered, stored, createContext } = harness;

const providerReference = 'inv_1';

describe('fetchStatus at the coin server', () => {
  it('asks by invoice, by reference, or for a refund', async () => {
    const http = scriptedHttp([html, html, html]);
    const ctx = createContext([], { http });
    await coinServer.fetchStatus!({ ...stored, providerReference: 'inv/1' }, ctx);
    await coinServer.fetchStatus!(unanswered, ctx);
    await coinServer.fetchStatus!(stored, ctx, 'rf 1');
    expect(http.requests).to.deep.equal(
      ['invoices/inv%2F1', 'invoices?ref=GW-10042-1', 'refunds/rf%201'].map((below) => ({
        method: 'GET',
        path: `/api/stores/st_Test1/${below}`,
        headers: { Authorization: 'token tok_test_1' },
      })),
    );
  });

  for (const [state, flags, status] of [
    ['new', [], 'pending'],
    ['seen', ['late'], 'pending'],
    ['processing', [], 'pending'],
    ['partial', ['over'], 'underpaid'],
    ['settled', [], 'succeeded'],
    ['settled', ['over'], 'overpaid'],
    ['settled', ['late'], 'late'],
    ['settled', ['over', 'late'], 'late'],
    ['settled', ['fast'], 'succeeded'],
    ['expired', ['late'], 'expired'],
    ['cancelled', [], 'cancelled'],
    ['invalid', [], 'failed'],
    ['created', [], 'unknown'],
    ['frozen', [], 'unknown'],
  ] as const) {
    it(`reads ${[state, ...flags].join(' ')} as ${status}`, async () => {
      const report = await fetchStatus(reply(200, { items: [invoice(state, { flags, paid: '25.9' })] }), unanswered);
      const [event] = report.result === 'events' ? report.events : [];
      expect(event).to.include({
        kind: 'payment',
        providerStatus: `invoice.${state}`,
        reference: 'GW-10042-1',
        providerReference,
        amount: '25.90',
        currency: 'EUR',
        dedupeKey: `inv_1:${state}:25.9`,
      });
      expect(event).to.not.have.property('mustFetch');
      expect(coinServer.mapStatus(event!, 'fetch')).to.equal(status);
      expect(event!.action?.type).to.equal(status === 'pending' || status === 'underpaid' ? 'crypto' : undefined);
    });
  }

  it('shows what arrived at a settled invoice, even if that is nothing', async () => {
    for (const [state, paid, received] of [
      ['settled', '6.36', '6.36'],
      ['settled', '0.00', '0.00'],
      ['new', '0', undefined],
    ] as const) {
      const report = await fetchStatus(reply(200, invoice(state, { paid })));
      expect(report.result === 'events' && report.events[0]?.received).to.equal(received);
    }
  });

  it('counts and notes a flag that is new to us, while the state decides', async () => {
    const report = await fetchStatus(reply(200, invoice('settled', { flags: ['over', 'fast'], paid: '26' })));
    const [event] = report.result === 'events' ? report.events : [];
    expect(coinServer.mapStatus(event!, 'fetch')).to.equal('overpaid');
    expect(event).to.include({ unlistedStatus: 'invoice.settled fast' });
    expect(event!.details).to.deep.equal({ flags: 'fast' });
  });

  it('reports why an invoice is invalid, and the address of its page', async () => {
    const report = await fetchStatus(reply(200, invoice('invalid', { reason: 'eclipse' })));
    expect(report.result === 'events' && report.events[0]).to.include({ decline: '05', declineText: 'eclipse' });
    const open = await fetchStatus(reply(200, invoice('seen')), { ...stored, method: 'hosted_page' });
    expect(open.result === 'events' && open.events[0]).to.have.nested.property('action.type', 'redirect');
  });

  it('reports nothing charged if the list is empty, once our call has ended', async () => {
    expect(await fetchStatus(reply(200, { items: [] }), unanswered)).to.deep.equal({ result: 'nothing_charged' });
    expect((await fetchStatus(reply(200, { items: [] }), { ...unanswered, endedAt: null })).result).to.equal(
      'no_information',
    );
  });

  const good = invoice('settled');
  for (const [name, given, payment] of [
    ['a 404', reply(404, { code: 'not-found' }), stored],
    ['a 404 to the list', reply(404, { code: 'not-found' }), unanswered],
    ['a 401', reply(401, { code: 'unauthenticated' }), stored],
    ['an invoice under another status', reply(500, good), stored],
    ['another store', reply(200, { ...good, storeId: 'st_Other' }), stored],
    ['another reference', reply(200, { ...good, ref: 'GW-10043-1' }), stored],
    ['another invoice', reply(200, { ...good, invoice: 'inv_2' }), stored],
    ['a list instead of an invoice', reply(200, { items: [good] }), stored],
    ['an empty list instead of an invoice', reply(200, { items: [] }), stored],
    ['an invoice instead of a list', reply(200, good), unanswered],
    ['two invoices', reply(200, { items: [good, good] }), unanswered],
    ['another reference in the list', reply(200, { items: [{ ...good, ref: 'GW-1-1' }] }), unanswered],
    ['a page', html, stored],
  ] as const) {
    it(`has no information with ${name}`, async () =>
      expect((await fetchStatus(given, payment)).result).to.equal('no_information'));
  }

  describe('fetchStatus of a refund', () => {
    const refund = { refund: 'rf_1', invoice: 'inv_1', storeId: 'st_Test1', state: 'done', sum: '10', unit: 'EUR' };
    for (const [state, status] of [
      ['created', 'pending'],
      ['done', 'succeeded'],
      ['failed', 'failed'],
      ['reversed', 'reversed'],
      ['lost', 'unknown'],
    ] as const) {
      it(`reads ${state} as ${status}`, async () => {
        const report = await fetchStatus(reply(200, { ...refund, state }), stored, 'rf_1');
        const [event] = report.result === 'events' ? report.events : [];
        expect(event).to.deep.equal({
          kind: 'refund',
          providerStatus: `refund.${state}`,
          reference: 'GW-10042-1',
          providerReference: 'inv_1',
          subReference: 'rf_1',
          amount: '10.00',
          currency: 'EUR',
          dedupeKey: `rf_1:${state}`,
        });
        expect(coinServer.mapStatus(event!, 'fetch')).to.equal(status);
      });
    }

    for (const [name, given, payment = stored] of [
      ['a 404', reply(404, { code: 'not-found' })],
      ['another store', reply(200, { ...refund, storeId: 'st_Other' })],
      ['another invoice', reply(200, { ...refund, invoice: 'inv_2' })],
      ['another refund', reply(200, { ...refund, refund: 'rf_2' })],
      ['a refund under another status', reply(500, refund)],
      ['no sum', reply(200, { ...refund, sum: undefined })],
      ['an invoice', reply(200, good)],
      ['a page', html],
      ['no invoice known', reply(200, refund), unanswered],
    ] as readonly (readonly [string, HttpReply, typeof unanswered?])[]) {
      it(`has no information with ${name}`, async () =>
        expect((await fetchStatus(given, payment, 'rf_1')).result).to.equal('no_information'));
    }
  });
});
