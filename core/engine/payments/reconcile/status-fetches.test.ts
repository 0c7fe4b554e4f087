import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Raise } from '../../alarms/index.ts';
import { newAttempt, paymentRecord } from '../testing/steps.ts';
import { createStatusFetches, type StatusFetchesDeps } from './status-fetches.ts';

describe('the last check of a payment', () => {
  const attempt = newAttempt(1, { endedAt: new Date(0), outcome: 'open', checks: 8 });
  const record = paymentRecord({ _id: 10_042, statusId: 1, attempts: [attempt] });

  /** Records the last check of the policy. `change` stores the result. */
  async function recordLastCheck(change: StatusFetchesDeps['store']['change']): Promise<string[]> {
    const raised: string[] = [];
    const raise: Raise = (kind, { id }) => void raised.push(`${kind} ${id}`);
    const deps = {
      store: { change },
      delayOf: () => undefined,
      config: { nothingChargedAfterSeconds: 300 },
      now: () => new Date(),
      raise,
    } as unknown as StatusFetchesDeps;
    const statusFetches = createStatusFetches(deps);
    await statusFetches.recordCheck(record, attempt, { failed: [] }, 'r1').catch(() => undefined);
    return raised;
  }

  it('raises its alarm once, even if concurrent changes make the store repeat the step', async () => {
    const raised = await recordLastCheck(async (_id, _requestId, step) => {
      for (let tries = 0; tries < 3; tries += 1) step(record);
      return { record: step(record)!.next, changed: true };
    });
    expect(raised).to.deep.equal(['payment_unresolved 10042']);
  });

  it('raises no alarm if the result could not be stored in the payment', async () => {
    const raised = await recordLastCheck(async (_id, _requestId, step) => {
      step(record);
      throw new Error('no database');
    });
    expect(raised).to.deep.equal([]);
  });
});
