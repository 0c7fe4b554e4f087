import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { at, feeOf, newAttempt, paymentRecord } from '../testing/steps.ts';
import { decide } from './decide.ts';
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
    applyEvents(record, [{ adapter, receivedAt: at(9), event: { ...paid, ...event } }], feeOf, at(9));

  it('pays by our reference, and by the provider’s reference if ours is missing', () => {
    expect(apply({}).next.statusId).to.equal(2);
    expect(apply({ reference: null }).next.statusId).to.equal(2);
  });

  for (const reference of ['GW-10043-1', 'GW-9007199254740993771-1', 'GW-10042-2']) {
    it(`retries an event that names ${reference}, even if it has the provider’s reference`, () => {
      const { next, results } = apply({ reference });
      expect(next).to.equal(record);
      expect(results.map(({ state }) => state)).to.deep.equal(['retry']);
    });
  }

  it('requests a fetch for a refund that an event names only by the provider’s number', () => {
    const reportedRefunds = [{ attempt: 1, subReference: 'r-1', eventId: '', amount: '4', state: 'pending' }] as const;
    const refunding = paymentRecord({ ...record, reportedRefunds });
    const event: MappedEvent = { ...paid, kind: 'refund', reference: null, providerReference: null, mustFetch: true };
    const reported = (adapter: string, subReference: string) =>
      applyEvents(refunding, [{ adapter, receivedAt: at(9), event: { ...event, subReference } }], feeOf, at(9));
    const { adapter } = record.attempts[0]!;
    expect(reported(adapter, 'r-1').next.attempts[0]?.fetchSubjects).to.deep.equal(['r-1']);
    expect(reported(adapter, 'r-2').results[0]?.state).to.equal('retry');
    expect(reported('other', 'r-1').results[0]?.state).to.equal('refused');
  });

  it('refuses events of another adapter, and marks the log entry of a proven one', () => {
    const misfitsAfter = (event: Partial<MappedEvent>) => {
      const { next, results } = apply(event, 'other');
      expect(results).to.deep.equal([{ state: 'refused', note: 'the attempt went to provider-1' }]);
      return next.logs.map(({ misfit, message }) => [misfit, message]);
    };
    const message = 'refused payment PAID: the attempt went to provider-1';
    expect(misfitsAfter({})).to.deep.equal([['payment', message]]);
    // Nothing proves these, so a stranger could send them.
    expect(misfitsAfter({ mustFetch: true })).to.deep.equal([]);
  });

  it('takes no 3D Secure step for an event of the other mode', () => {
    const step = { nonce: 'n-1', transactionId: 'p-1', takenAt: null, doneAt: null, posted: null };
    const waiting = paymentRecord({ statusId: 1, attempts: [newAttempt(1, { steps: [step], sandbox: false })] });
    const event: MappedEvent = {
      ...paid,
      kind: '3ds',
      providerStatus: 'Y',
      status: 'pending',
      threeDs: 'authenticated',
    };
    const applied = (mode: 'test' | 'live') => {
      const { adapter } = waiting.attempts[0]!;
      return applyEvents(waiting, [{ adapter, receivedAt: at(9), event: { ...event, mode } }], feeOf, at(9));
    };
    expect(applied('test')).to.deep.include({
      next: waiting,
      results: [{ state: 'nothing', note: 'of the other mode' }],
    });
    expect(applied('live').next.attempts[0]).to.deep.include({ threeDsShown: 'authenticated', fetchesRequested: 1 });
  });

  it('notifies of an authorisation, but not of one that the same message captures', () => {
    const reserved = { ...paid, status: 'authorised', providerStatus: 'HELD', dedupeKey: 'p-1:HELD' } as const;
    const notified = (...events: MappedEvent[]) => {
      const waiting = events.map((event) => ({ adapter: record.attempts[0]!.adapter, receivedAt: at(9), event }));
      return applyEvents(record, waiting, feeOf, at(9)).notify.map(({ type }) => type);
    };
    expect(notified(reserved)).to.deep.equal(['payment.authorised']);
    expect(notified(reserved, paid)).to.deep.equal(['payment.succeeded']);
    expect(notified(paid, reserved)).to.deep.equal(['payment.succeeded']);
  });

  it('takes a step that the payer’s return completes only by its own token, once, and not as 3D Secure', () => {
    const step = { nonce: 'n-1', transactionId: null, takenAt: null, doneAt: null, posted: null };
    const waiting = paymentRecord({ statusId: 1, attempts: [newAttempt(1, { steps: [step] })] });
    const { adapter } = waiting.attempts[0]!;
    const event: MappedEvent = { ...paid, kind: '3ds', providerStatus: 'return', status: 'pending' };
    const applied = (payment: typeof waiting, nonce: string | undefined, reference: string | null) => {
      const posted = nonce === undefined ? {} : { posted: { nonce, encrypted: Buffer.from('x') } };
      const one = { adapter, receivedAt: at(9), event: { ...event, providerReference: reference }, ...posted };
      return applyEvents(payment, [one], feeOf, at(9));
    };
    const nothing = [{ state: 'nothing', note: 'no 3D Secure step of that name waits' }];
    expect(applied(waiting, undefined, null).results).to.deep.equal(nothing);
    expect(applied(waiting, 'n-2', null).results).to.deep.equal(nothing);
    const taken = applied(waiting, 'n-1', null);
    expect(taken.results).to.deep.equal([{ state: 'applied', note: 'to be completed', change: { from: 1, to: 1 } }]);
    expect(taken.next.attempts[0]).to.deep.include({ threeDs: false, fetchesRequested: 1 });
    const again = applied(taken.next, 'n-1', null);
    expect(again.results).to.deep.equal([{ state: 'nothing', note: 'the step was taken before' }]);
  });

  it('stores the 3D Secure result that a provider reports for any step, until the attempt is settled', () => {
    const step = { nonce: 'n-1', transactionId: 'p-1', takenAt: null, doneAt: null, posted: null };
    const event: MappedEvent = { ...paid, kind: '3ds', providerStatus: 'U', status: 'pending', threeDs: 'none' };
    const shownBy = (members: Parameters<typeof newAttempt>[1]) => {
      const waiting = paymentRecord({ statusId: 1, attempts: [newAttempt(1, { steps: [step], ...members })] });
      const { adapter } = waiting.attempts[0]!;
      return applyEvents(waiting, [{ adapter, receivedAt: at(9), event }], feeOf, at(9)).next.attempts[0]?.threeDsShown;
    };
    expect(shownBy({})).to.equal('none');
    expect(shownBy({ steps: [{ ...step, takenAt: at(8) }] })).to.equal('none');
    expect(shownBy({ outcome: 'succeeded', threeDsShown: 'authenticated' })).to.equal('authenticated');
  });

  describe('a failure without a decline code', () => {
    const failed: MappedEvent = { ...paid, status: 'failed', providerStatus: 'DECLINED', dedupeKey: 'p-1:DECLINED' };
    const { adapter } = record.attempts[0]!;
    const applyAt = (payment: typeof record, event: MappedEvent, seconds: number) =>
      applyEvents(payment, [{ adapter, event, receivedAt: at(9) }], feeOf, at(9 + seconds));

    it('waits for a status fetch, which it requests', () => {
      const { next, notify, results } = applyAt(record, failed, 0);
      expect(results.map(({ state }) => state)).to.deep.equal(['retry']);
      expect([next.statusId, notify, next.attempts[0]?.fetchesRequested]).to.deep.equal([1, [], 1]);
      // While that fetch is due, no other fetch is requested.
      expect(applyAt(next, failed, 2).next).to.equal(next);
    });

    it('has no effect once the fetch has settled the attempt', () => {
      const fact = {
        type: 'event',
        attempt: 1,
        event: { ...failed, decline: '51' },
        at: at(10),
        fetched: true,
      } as const;
      const decision = decide(record, fact, feeOf);
      expect(decision.kind).to.equal('changed');
      const ended = decision.kind === 'changed' ? decision.next : record;
      expect(applyAt(ended, failed, 2).results.map(({ state }) => state)).to.deep.equal(['nothing']);
      expect(ended.logs.at(-1)).to.include({ code: '51', message: 'insufficient funds: payment failed (DECLINED)' });
    });

    it('is applied as 05 if the fetch has not settled the attempt within 60 seconds', () => {
      const { next, notify } = applyAt(record, failed, 60);
      expect([next.statusId, next.attempts[0]?.decline, notify]).to.deep.equal([3, '05', [{ type: 'payment.failed' }]]);
    });

    it('is refused immediately if it does not fit the payment', () => {
      expect(applyAt(record, { ...failed, amount: '9' }, 0).results.map(({ state }) => state)).to.deep.equal([
        'refused',
      ]);
    });
  });
});
