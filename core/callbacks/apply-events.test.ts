import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { MappedEvent } from '../providers/mapped-event.ts';
import { at, feeOf, newAttempt, paymentRecord } from '../payments/testing/steps.ts';
import { applyEvents } from './apply-events.ts';

const paid: MappedEvent = {
  kind: 'payment',
  providerStatus: 'PAID',
  status: 'succeeded',
  reference: 'GW-10042-1',
  providerReference: 'p-1',
  amount: '10',
  currency: 'EUR',
  dedupeKey: 'p-1:PAID',
};

describe('applyEvents', () => {
  const record = paymentRecord({ statusId: 1, attempts: [newAttempt(1, { providerReference: 'p-1' })] });
  const apply = (event: Partial<MappedEvent>, adapter = record.attempts[0]!.adapter) =>
    applyEvents(record, [{ adapter, event: { ...paid, ...event } }], feeOf, at(9));

  it('pays by our reference, and by the provider’s where ours is missing', () => {
    expect(apply({}).next.statusId).to.equal(2);
    expect(apply({ reference: null }).next.statusId).to.equal(2);
  });

  for (const reference of ['GW-10043-1', 'GW-9007199254740993771-1', 'GW-10042-2']) {
    it(`keeps what names ${reference}, although it knows the provider’s reference`, () => {
      const { next, results } = apply({ reference });
      expect(next).to.equal(record);
      expect(results.map(({ state }) => state)).to.deep.equal(['retry']);
    });
  }

  it('refuses what another adapter reports', () => {
    expect(apply({}, 'other').results[0]?.state).to.equal('refused');
  });

  it('notifies of a reservation, and not of one that the same message collects', () => {
    const reserved = { ...paid, status: 'authorised', providerStatus: 'HELD', dedupeKey: 'p-1:HELD' } as const;
    const notified = (...events: MappedEvent[]) => {
      const waiting = events.map((event) => ({ adapter: record.attempts[0]!.adapter, event }));
      return applyEvents(record, waiting, feeOf, at(9)).notify;
    };
    expect(notified(reserved)).to.deep.equal(['payment.authorised']);
    expect(notified(reserved, paid)).to.deep.equal(['payment.succeeded']);
    expect(notified(paid, reserved)).to.deep.equal(['payment.succeeded']);
  });
});
