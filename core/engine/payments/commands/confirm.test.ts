import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Outcome } from '@paywright/contract';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { newAttempt, paymentRecord } from '../testing/steps.ts';
import { createConfirmCommand, type ConfirmDeps } from './confirm.ts';

describe('confirm with a member code', () => {
  const caller = { ownerId: 7, environment: 'test', requestId: 'r-1' } as const;

  function awaitCode(outcomeOf: (code: string) => Outcome) {
    let record: PaymentRecord = paymentRecord({
      _id: 1,
      statusId: 1,
      attempts: [newAttempt(1, { action: Buffer.alloc(1) })],
    });
    let calls = 0;
    const deps = {
      load: async () => record,
      store: {
        async change(
          _id: number,
          _requestId: string,
          change: (current: PaymentRecord) => { next: PaymentRecord } | undefined,
        ) {
          record = change(record)?.next ?? record;
          return { record };
        },
      },
      submitter: {
        readAction: () => ({ type: 'confirm', paymentId: 'p' }),
        async complete(_record: PaymentRecord, _n: number, step: { code: string }) {
          calls += 1;
          await Promise.resolve();
          return { record, outcome: outcomeOf(step.code) };
        },
      },
      answers: { afterPaying: async () => 'accepted' },
    } as unknown as ConfirmDeps;
    const confirm = createConfirmCommand(deps);
    const send = async (code: string): Promise<unknown> =>
      confirm(caller, 1, 'p', code).catch((error: { kind: string }) => error.kind);
    return { send, calls: () => calls };
  }

  const checkCode = (code: string): Outcome => ({
    outcome: 'pending',
    ...(code !== 'right' && { codeRefused: true as const }),
  });

  it('accepts no more codes after five wrong codes, even if they arrive at the same time', async () => {
    const { send, calls } = awaitCode(checkCode);
    const answers = await Promise.all(Array.from({ length: 8 }, async (_, n) => send(`${n}`)));
    expect(answers).to.have.members([
      ...Array<string>(5).fill('INVALID_CARD'),
      ...Array<string>(3).fill('PAYMENT_NOT_PAYABLE'),
    ]);
    expect(await send('right')).to.equal('PAYMENT_NOT_PAYABLE');
    expect(calls()).to.equal(5);
  });

  it('does not count a code that the provider did not reject as wrong', async () => {
    const { send, calls } = awaitCode(checkCode);
    for (let n = 0; n < 8; n += 1) expect(await send('right')).to.equal('accepted');
    expect(calls()).to.equal(8);
  });
});
