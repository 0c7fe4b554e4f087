import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { ThreeDsStep } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { testEncrypter } from '../../../base/testing/test-encrypter.ts';
import type { PaymentStore } from '../store/payment-store.ts';
import type { Submitter } from '../submit/submit.ts';
import { at, newAttempt, paymentRecord } from '../testing/steps.ts';
import { createCompletion } from './complete.ts';

describe('completeUnseen', () => {
  const step: ThreeDsStep = {
    nonce: '0123456789abcdef',
    transactionId: 'tx-1',
    takenAt: null,
    doneAt: null,
    posted: null,
  };
  const withSteps = (...steps: ThreeDsStep[]): PaymentRecord =>
    paymentRecord({ statusId: 1, attempts: [newAttempt(1, { endedAt: at(1), steps })] });

  /** Completes the steps of the record that a check read as `seen`, while `stored` is the current record. */
  async function complete(seen: PaymentRecord, stored = seen) {
    const completed: PaymentRecord[] = [];
    let current = stored;
    const store = {
      change: async (_id, _requestId, change) => {
        const next = change(current);
        if (next) current = next.next;
        return { record: current, changed: next !== undefined };
      },
    } as Pick<PaymentStore, 'change'> as PaymentStore;
    const submitter = {
      complete: async (record) => {
        completed.push(record);
        return { record, outcome: { outcome: 'pending' } };
      },
    } as Pick<Submitter, 'complete'> as Submitter;
    const completion = createCompletion({ store, submitter, encrypter: testEncrypter(), now: () => at(5) });
    await completion.completeUnseen(seen, 1, 'r');
    return completed.map(({ attempts }) => attempts[0]!.steps.map(({ takenAt }) => takenAt));
  }

  it('marks a step as taken before it completes the step, so that no other process completes it too', async () => {
    expect(await complete(withSteps(step))).to.deep.equal([[at(5)]]);
  });

  it('leaves a step that another process took or that is done', async () => {
    expect(await complete(withSteps(step), withSteps({ ...step, takenAt: at(4) }))).to.deep.equal([]);
    expect(await complete(withSteps({ ...step, takenAt: at(3), doneAt: at(4) }))).to.deep.equal([]);
    expect(await complete(withSteps())).to.deep.equal([]);
  });
});
