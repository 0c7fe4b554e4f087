import type { Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { refundEntries } from './refund-entries.ts';
import type { CollectionFact } from './apply-collection.ts';
import {
  answerRefund,
  answerWith,
  at,
  continueWith,
  describeHistory,
  everyOrder,
  newAttempt,
  newHistory,
  openAttempt,
  paymentEvent,
  paymentRecord,
  playHistory,
  refundEvent,
  requestRefund,
  type History,
  type TestStep,
} from '../testing/steps.ts';

const order = { providerReference: 'O-1', providerReferences: { order: 'O-1' } };
const reserved = { providerReference: 'O-1', providerReferences: { order: 'O-1', authorisation: 'A-1' } };
const charged = { providerReference: 'C-1', providerReferences: { order: 'O-1', capture: 'C-1' } };

const ordered = answerWith({ outcome: 'pending', ...order });
const toOrdered = [openAttempt(1), ordered] as const;
const success = paymentEvent('succeeded', { ...charged, dedupeKey: 'C-1:succeeded' });

function idsOf({ record }: History) {
  const [attempt] = record.attempts;
  const named = (attempt!.providerReferences ?? []).map(({ name, id }) => `${name} ${id}`).toSorted();
  return { primary: attempt!.providerReference, named };
}
const kinds = ({ results }: History): string[] => results.map(({ kind }) => kind);

describe('the ids of a payment at its provider', () => {
  it('are all kept, and its primary reference changes with the charge', () => {
    const history = playHistory(...toOrdered, answerWith({ outcome: 'succeeded', ...charged }));
    expect(idsOf(history)).to.deep.equal({ primary: 'C-1', named: ['capture C-1', 'order O-1'] });
    expect(history.record.attempts[0]).to.include({ referenceVerified: true, primaryChanged: true });
  });

  it('are the same in every order of the answer, its callbacks and late messages about the order', () => {
    const steps: TestStep[] = [
      ...toOrdered,
      paymentEvent('authorised', { ...reserved, dedupeKey: 'A-1' }),
      success,
      paymentEvent('pending', { ...order, dedupeKey: 'O-1' }),
      answerWith({ outcome: 'succeeded', ...charged }, { at: at(12) }),
    ];
    let orders = 0;
    for (const history of everyOrder(steps)) {
      orders += 1;
      expect(idsOf(history), describeHistory(history)).to.deep.equal({
        primary: 'C-1',
        named: ['authorisation A-1', 'capture C-1', 'order O-1'],
      });
      expect(history.record.statusId).to.equal(2);
      expect(kinds(history)).not.to.include('refused');
    }
    expect(orders).to.be.greaterThan(10);
  });

  it('keep the first primary reference if a second success names another one', () => {
    const again = { providerReference: 'X-1', providerReferences: { ...charged.providerReferences, other: 'X-1' } };
    const history = playHistory(...toOrdered, success, paymentEvent('succeeded', { ...again, dedupeKey: 'X-1' }));
    expect(idsOf(history)).to.deep.equal({ primary: 'C-1', named: ['capture C-1', 'order O-1', 'other X-1'] });
  });

  it('bind a refund and a dispute that name the capture alone', () => {
    const about = { providerReference: 'C-1', subReference: 'R-1' };
    const { record } = playHistory(...toOrdered, success, refundEvent('succeeded', '4', about));
    expect(record.refundedAmount).to.equal('4');
  });

  it('refuse an event that names another id under a known name, and one that names only unknown ids', () => {
    const others = [
      { providerReference: 'C-2', providerReferences: { order: 'O-1', capture: 'C-2' } },
      { providerReference: 'O-1', providerReferences: { order: 'O-1', capture: 'C-2' } },
      { providerReference: 'C-2', providerReferences: { capture: 'C-2' } },
      { providerReference: 'C-2', providerReferences: { order: 'O-1' } },
      { providerReference: 'C-2' },
    ];
    for (const ids of others) {
      const history = playHistory(...toOrdered, success, paymentEvent('succeeded', { ...ids, dedupeKey: 'C-2' }));
      expect(history.results.at(-1)!.kind, JSON.stringify(ids)).to.equal('refused');
      expect(history.record.logs.at(-1)).to.include({ misfit: 'payment' });
      expect(idsOf(history).named).to.deep.equal(['capture C-1', 'order O-1']);
    }
  });

  it('let a later capture have the name of one that failed, by a callback or by a fetch', () => {
    const first = { providerReference: 'C-0', providerReferences: { order: 'O-1', capture: 'C-0' } };
    const failed = paymentEvent('authorised', { ...first, failedRequest: 'capture', dedupeKey: 'C-0:failed' });
    expect(idsOf(playHistory(...toOrdered, failed, success))).to.include({ primary: 'C-1' });
    const pending = paymentEvent('pending', { ...first, dedupeKey: 'C-0:pending' });
    const refused = playHistory(...toOrdered, pending, failed, success);
    expect([refused.results.at(-1)!.kind, refused.record.statusId]).to.deep.equal(['refused', 1]);
    const fetched = continueWith(refused, paymentEvent('succeeded', { ...charged, fetched: true, dedupeKey: 'f' }));
    expect(fetched.record.statusId).to.equal(2);
    expect(idsOf(fetched)).to.deep.equal({ primary: 'C-1', named: ['capture C-1', 'order O-1'] });
  });

  it('are replaced by a fetch if only a callback has named them, and completed if they agree', () => {
    const forged = paymentEvent('pending', {
      providerReference: 'O-9',
      providerReferences: { order: 'O-9' },
      dedupeKey: 'x',
    });
    const fetched = paymentEvent('succeeded', { ...charged, fetched: true, dedupeKey: 'f' });
    const replaced = playHistory(openAttempt(1), forged, fetched);
    expect(idsOf(replaced)).to.deep.equal({ primary: 'C-1', named: ['capture C-1', 'order O-1'] });
    expect(replaced.record.attempts[0]).to.include({ referenceVerified: true });
    const called = paymentEvent('pending', { ...order, dedupeKey: 'x' });
    expect(idsOf(playHistory(openAttempt(1), called, fetched)).primary).to.equal('C-1');
  });

  it('are at most six, the first ones', () => {
    const more = [1, 2, 3, 4, 5, 6, 7].map((n) => {
      const id = `N-${n}`;
      const ids = { providerReference: 'O-1', providerReferences: { order: 'O-1', [`name${n}`]: id } };
      return paymentEvent('pending', { ...ids, dedupeKey: id });
    });
    const { named } = idsOf(playHistory(...toOrdered, ...more));
    expect(named).to.deep.equal(['name1 N-1', 'name2 N-2', 'name3 N-3', 'name4 N-4', 'name5 N-5', 'order O-1']);
  });

  it('are no number of a refund, whichever of them the answer repeats', () => {
    for (const providerReference of ['O-1', 'C-1']) {
      const history = playHistory(
        ...toOrdered,
        success,
        requestRefund(1, '4'),
        answerRefund(1, { outcome: 'succeeded', providerReference }),
        refundEvent('succeeded', '4', { providerReference: 'C-1' }),
      );
      expect(history.record.refundedAmount).to.equal('4');
      expect(refundEntries(history.record).map(({ reference }) => reference)).to.deep.equal([null]);
    }
  });

  it('are replaced by the answer to a later step if the adapter names none, as before', () => {
    const history = playHistory(
      openAttempt(1),
      answerWith({ outcome: 'pending', providerReference: 'O-1' }),
      answerWith({ outcome: 'succeeded', providerReference: 'C-1' }),
    );
    expect(idsOf(history)).to.deep.equal({ primary: 'C-1', named: [] });
    const late = continueWith(history, paymentEvent('pending', { providerReference: 'O-1', dedupeKey: 'late' }));
    expect(late.results.at(-1)!.kind).to.equal('refused');
  });
});

describe('the answer to a capture', () => {
  const capture = { reference: 'GW-10042-1-C', amount: '10', state: 'requested', requestedAt: at(30) } as const;
  const authorised = (ids: object): History => {
    const attempt = newAttempt(1, { endedAt: at(10), authorisedAt: at(10), capture, referenceVerified: true, ...ids });
    return newHistory(paymentRecord({ statusId: 1, attempts: [attempt] }));
  };
  const answer = (outcome: Outcome): CollectionFact => {
    return { type: 'capture_outcome', attempt: 1, outcome, at: at(40) };
  };
  const named = [{ name: 'order', id: 'O-1' }];

  it('gives the payment its reference if it has none', () => {
    const history = continueWith(authorised({}), answer({ outcome: 'succeeded', providerReference: 'C-1' }));
    expect(idsOf(history)).to.deep.equal({ primary: 'C-1', named: [] });
    expect(history.record.logs.at(-1)).to.include({ transactionId: 'C-1' });
  });

  it('adds the id of the capture, and makes it primary only if the former one is named', () => {
    const captured = answer({ outcome: 'succeeded', providerReference: 'C-1' });
    const plain = continueWith(authorised({ providerReference: 'P-1' }), captured);
    expect(idsOf(plain)).to.deep.equal({ primary: 'P-1', named: ['capture C-1'] });
    const changed = continueWith(authorised({ providerReference: 'O-1', providerReferences: named }), captured);
    expect(idsOf(changed)).to.deep.equal({ primary: 'C-1', named: ['capture C-1', 'order O-1'] });
  });

  it('changes the primary reference only when the money is collected', () => {
    const pending = continueWith(
      authorised({ providerReference: 'O-1', providerReferences: named }),
      answer({ outcome: 'pending', ...charged }),
    );
    expect(idsOf(pending)).to.deep.equal({ primary: 'O-1', named: ['capture C-1', 'order O-1'] });
    const paid = continueWith(pending, paymentEvent('succeeded', { providerReference: 'C-1', dedupeKey: 'C-1' }));
    expect(idsOf(paid).primary).to.equal('C-1');
  });

  it('names the next capture after the provider refused the first one', () => {
    const history = [
      answer({ outcome: 'pending', ...charged }),
      paymentEvent('authorised', { ...charged, failedRequest: 'capture', dedupeKey: 'refused' }),
    ].reduce(continueWith, authorised({ providerReference: 'O-1', providerReferences: named }));
    const [attempt] = history.record.attempts;
    const again = newHistory({ ...history.record, attempts: [{ ...attempt!, capture }] });
    const ids = { providerReference: 'C-2', providerReferences: { order: 'O-1', capture: 'C-2' } };
    const paid = continueWith(again, answer({ outcome: 'succeeded', ...ids }));
    expect(idsOf(paid)).to.deep.equal({ primary: 'C-2', named: ['capture C-2', 'order O-1'] });
  });

  it('keeps the reference although a callback was faster', () => {
    const paid = continueWith(
      authorised({ providerReference: 'O-1', providerReferences: named }),
      paymentEvent('succeeded', { ...order, dedupeKey: 'paid' }),
    );
    const answered = continueWith(paid, answer({ outcome: 'succeeded', ...charged }));
    expect(idsOf(answered)).to.deep.equal({ primary: 'C-1', named: ['capture C-1', 'order O-1'] });
    const again = continueWith(answered, answer({ outcome: 'succeeded', ...charged }));
    expect(again.results.at(-1)!.kind).to.equal('nothing');
  });

  it('keeps nothing of a capture that was refused', () => {
    const refused = answer({ outcome: 'failed', nothingCharged: true, ...charged });
    const history = continueWith(authorised({ providerReference: 'O-1' }), refused);
    expect(idsOf(history)).to.deep.equal({ primary: 'O-1', named: [] });
  });
});
