import type { Outcome } from '@gateway/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven } from '../../documents/payment-request.ts';
import type { Caller } from '../service.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

/** The first request stalls for longer than its lease, right after it bound its payment; its repetition does everything. */
describe('one Idempotency-Key, and a request that stands still', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let calls: string[];

  const answer = (call: string, outcome: Outcome) => async (): Promise<Outcome> => {
    calls.push(call);
    return outcome;
  };
  beforeEach(() => {
    calls = [];
    payments = suite.create(
      {},
      {
        first: {
          adapter: {
            refund: answer('refund', { outcome: 'succeeded' }),
            capture: answer('capture', { outcome: 'succeeded' }),
            complete: answer('complete', { outcome: 'succeeded' }),
          },
        },
      },
    );
  });

  const newRequest = async (): Promise<number> => {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    return (await payments.service.create(caller, { ...order, ...nothingGiven, client, send: false })).id;
  };
  const submitted = async (outcome: Outcome): Promise<number> => {
    payments.providers.first.answers(outcome);
    return (await payments.service.payH2h(caller, 41, order, cardInput())).view.id;
  };
  const confirms = { type: 'confirm', paymentId: 'P-1' } as const;

  const acts: Record<string, { prepare: () => Promise<number>; act: (by: Caller, id: number) => Promise<unknown> }> = {
    refund: {
      prepare: async () => submitted({ outcome: 'succeeded', providerReference: 'P-1' }),
      act: async (by, id) => payments.service.refund(by, id, '4'),
    },
    capture: {
      prepare: async () => submitted({ outcome: 'pending', authorised: true, providerReference: 'P-1' }),
      act: async (by, id) => payments.service.capture(by, id, undefined),
    },
    complete: {
      prepare: async () => submitted({ outcome: 'pending', action: confirms, providerReference: 'P-1' }),
      act: async (by, id) => payments.service.confirm(by, id, 'P-1', '1234'),
    },
    submit: {
      prepare: newRequest,
      act: async (by, id) => {
        payments.providers.first.answers(answer('submit', { outcome: 'failed', decline: '51' }));
        return payments.service.pay(by, id, cardInput());
      },
    },
    cancel: { prepare: newRequest, act: async (by, id) => payments.service.cancel(by, id) },
  };

  for (const [name, { prepare, act }] of Object.entries(acts)) {
    it(`does one ${name}`, async () => {
      const id = await prepare();
      const operation = {
        id: `op-${id}`,
        isApplied: async () => false,
        currentAnswer: async () => expect.fail('nobody asks'),
      };
      const second: Caller = { ...caller, operation: { ...operation, bindPayment: async () => undefined } };
      const bindPayment = async (): Promise<void> => void (await act(second, id).catch(() => undefined));
      const first: Caller = { ...caller, operation: { ...operation, bindPayment } };
      const refusal = await expectRefusal('IDEMPOTENCY_CONFLICT', async () => act(first, id));
      expect(refusal.paymentRequestId).to.equal(id);
      expect(calls).to.deep.equal(name === 'cancel' ? [] : [name]);
      const record = (await payments.store.load(id))!;
      expect([record.operations, record.refunds.length]).to.deep.equal([[`op-${id}`], name === 'refund' ? 1 : 0]);
    });
  }
});
