import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import mollie from '../index.ts';
import { harness } from './messages.ts';

const id = 'tr_5B8cwPMGnU6qLbRvo7qEZo';
const euros = (value: string) => ({ value, currency: 'EUR' });
const part = (members: object) => ({ mode: 'test', amount: euros('10.00'), paymentId: id, ...members });
const createdAt = '2026-11-21T08:59:30+00:00';

/** Mollie's answer about a paid payment with these changes. */
const answer = (changes: object = {}) =>
  reply(200, {
    resource: 'payment',
    id,
    mode: 'test',
    amount: euros('25.90'),
    metadata: { gateway_reference: 'GW-10042-1' },
    status: 'paid',
    _links: {},
    _embedded: { captures: [], refunds: [], chargebacks: [] },
    ...changes,
  });

/** The events of the answer as short texts, and whether it shows all refunds. */
async function shown(changes: object): Promise<string[]> {
  const report = await harness.fetchStatus(answer(changes), { ...harness.stored, providerReference: id });
  if (report.result !== 'events') return [report.result];
  const events = report.events.map((event) => `${event.kind} ${mollie.mapStatus(event, 'fetch')} ${event.amount}`);
  return [...events, ...(report.showsAllRefunds ? ['all refunds'] : [])];
}

const embedded = (lists: object) => ({ _embedded: { captures: [], refunds: [], chargebacks: [], ...lists } });
const paid = ['payment succeeded 25.90', 'all refunds'];
const reserved = ['payment authorised 25.90', 'all refunds'];

describe('fetchStatus of Mollie', () => {
  const captures: readonly [string, object][] = [
    ['without a status', part({ id: 'cpt_1', createdAt })],
    ['with nothing but an id', { id: 'cpt_1' }],
    ['without an amount', part({ id: 'cpt_1', status: 'succeeded', amount: null })],
    ['without an id', part({ status: 'succeeded' })],
  ];
  for (const [what, capture] of captures) {
    it(`sees a paid payment next to a capture ${what}`, async () => {
      expect(await shown(embedded({ captures: [capture] }))).to.deep.equal(paid);
    });
  }

  it('sees a paid payment whose optional members are null, absent or odd', async () => {
    for (const changes of [
      { _links: undefined },
      { _links: null },
      { _embedded: { captures: null, refunds: [], chargebacks: 'none' } },
      embedded({ captures: [null, 'x', []] }),
      { amountCaptured: null, captureMode: null, details: null, method: null },
      { amountCaptured: 25.9, captureMode: 'manual' },
    ]) {
      expect(await shown(changes), JSON.stringify(changes)).to.deep.equal(paid);
    }
    expect(await shown({ _embedded: null })).to.deep.equal(['payment succeeded 25.90']);
  });

  it('leaves a capture as it was if the latest one may be one that cannot be read', async () => {
    const failed = part({ id: 'cpt_1', status: 'failed', createdAt });
    const unread = part({ id: 'cpt_2', createdAt: '2026-11-21T09:30:00+00:00' });
    const status = { status: 'authorized', captureMode: 'manual' };
    const failure = ['payment authorised 25.90', ...reserved];
    expect(await shown({ ...status, ...embedded({ captures: [failed] }) })).to.deep.equal(failure);
    expect(await shown({ ...status, ...embedded({ captures: [failed, unread] }) })).to.deep.equal(reserved);
  });

  it('leaves out a refund that it cannot read, and then does not claim to show all of them', async () => {
    const refund = part({ id: 're_1', status: 'refunded' });
    const both = ['payment succeeded 25.90', 'refund succeeded 10.00'];
    expect(await shown(embedded({ refunds: [refund] }))).to.deep.equal([...both, 'all refunds']);
    expect(await shown(embedded({ refunds: [refund, part({ id: 're_2' })] }))).to.deep.equal(both);
    expect(await shown(embedded({ refunds: [{ ...refund, paymentId: undefined }] }))).to.contain('all refunds');
  });

  it('sees a chargeback without an amount, and a reversal whose time it cannot read', async () => {
    for (const [changes, expected] of [
      [{ amount: null }, 'chargeback opened null'],
      [{ reversedAt: null }, 'chargeback opened 10.00'],
      [{ reversedAt: '' }, 'chargeback opened 10.00'],
      [{ reversedAt: createdAt }, 'chargeback reversed 10.00'],
      [{ reversedAt: 'yesterday' }, 'chargeback reversed 10.00'],
    ] as const) {
      const chargebacks = [part({ id: 'chb_1', createdAt, ...changes })];
      expect(await shown(embedded({ chargebacks }))).to.include(expected);
    }
  });

  for (const [status, captured, expected] of [
    ['paid', '5.00', 'succeeded 5.00 paid:5.00'],
    ['paid', '25.90', 'succeeded 25.90 paid'],
    ['authorized', '5.00', 'succeeded 5.00 authorized:5.00'],
    ['authorized', '0.00', 'authorised undefined authorized'],
  ] as const) {
    it(`reports what was captured: ${captured}, ${status}`, async () => {
      const changes = { status, captureMode: 'manual', amountCaptured: euros(captured) };
      const report = await harness.fetchStatus(answer(changes), { ...harness.stored, providerReference: id });
      if (report.result !== 'events') throw new Error(report.result);
      const [event] = report.events;
      expect(event!.amount).to.equal('25.90');
      const meaning = mollie.mapStatus(event!, 'fetch');
      expect(`${meaning} ${event!.capturedAmount} ${event!.dedupeKey!.replace(`${id}:`, '')}`).to.equal(expected);
    });
  }
});
