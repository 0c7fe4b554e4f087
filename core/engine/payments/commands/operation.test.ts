import { randomUUID } from 'node:crypto';
import type { Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import type { Caller, Operation } from '../types/caller.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

/**
 * The first request stalls for longer than its lease, right after it bound its payment; its repetition does everything.
 */
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
    return (await payments.service.create(caller, toCreate)).id;
  };
  const submitted = async (outcome: Outcome): Promise<number> => {
    payments.providers.first.answerWith(outcome);
    return (await payments.service.payH2h(caller, 41, order, cardInput())).id;
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
        payments.providers.first.answerWith(answer('submit', { outcome: 'failed', decline: '51' }));
        return payments.service.pay(by, id, cardInput());
      },
    },
    cancel: { prepare: newRequest, act: async (by, id) => payments.service.cancel(by, id) },
  };

  /** As the records of `Idempotency-Key` keep it: what is bound or reserved first counts for every run. */
  function keptOperation(): (stalls?: () => Promise<unknown>) => Operation {
    const id = randomUUID();
    let bound: number | undefined;
    let reserved: readonly number[] | undefined;
    return (stalls = async () => undefined) =>
      payments.service.operation(caller, {
        id,
        paymentRequestId: bound,
        async bindPayment(paymentRequestId) {
          bound = paymentRequestId;
          await stalls();
        },
        async reservePayments(ids) {
          reserved ??= ids;
          return reserved;
        },
      });
  }
  const client = { name: null, email: null, address: null, phone: null, memberId: null };
  const toCreate = { ...order, ...nothingGiven, client, send: false };
  const countOf = async (createdBy: string): Promise<number> =>
    paymentRequestModel(suite.connection()).countDocuments({ createdBy });

  it('makes one payment request', async () => {
    const begin = keptOperation();
    let second: number | undefined;
    const first = begin(async () => {
      second = (await payments.service.create({ ...caller, operation: begin() }, toCreate)).id;
    });
    const { id } = await payments.service.create({ ...caller, operation: first }, toCreate);
    expect([id, await countOf(first.id)]).to.deep.equal([second, 1]);
    expect([await first.isApplied(), await begin().isApplied()]).to.deep.equal([false, true]);
  });

  it('makes it where the first run died before', async () => {
    const begin = keptOperation();
    const died = begin(async () => Promise.reject(new Error('died')));
    await payments.service.create({ ...caller, operation: died }, toCreate).catch(() => undefined);
    const next = begin();
    expect([await next.isApplied(), await countOf(next.id)]).to.deep.equal([false, 0]);
    const { id } = await payments.service.create({ ...caller, operation: next }, toCreate);
    expect([id, await begin().isApplied()]).to.deep.equal([next.paymentRequestId, true]);
  });

  it('makes each payment request of a batch once, and has another where an id was taken', async () => {
    const begin = keptOperation();
    const [one, two] = await begin().forEntries(2);
    const create = async (operation: Operation) => payments.service.create({ ...caller, operation }, toCreate);
    const first = await create(one!);
    await paymentRequestModel(suite.connection()).create([
      { ...(await payments.store.load(first.id))!, _id: two!.paymentRequestId!, createdBy: null },
    ]);
    const [again, other] = await begin().forEntries(2);
    const second = await create(other!);
    expect((await create(again!)).id).to.equal(first.id);
    expect(second.id).not.to.be.oneOf([first.id, two!.paymentRequestId]);
    expect(await countOf(one!.id)).to.equal(1);
  });

  for (const [name, { prepare, act }] of Object.entries(acts)) {
    it(`does one ${name}`, async () => {
      const id = await prepare();
      const operation = {
        id: `op-${id}`,
        isApplied: async () => false,
        forEntries: async () => [],
        currentAnswer: async () => expect.fail('nobody asks'),
      };
      const second: Caller = { ...caller, operation: { ...operation, bindPayment: async () => undefined } };
      const bindPayment = async (): Promise<void> => void (await act(second, id).catch(() => undefined));
      const first: Caller = { ...caller, operation: { ...operation, bindPayment } };
      const refusal = await expectRefusal('IDEMPOTENCY_CONFLICT', async () => act(first, id));
      expect(refusal.paymentRequestId).to.equal(id);
      // What the other run did is no reason to say that the payment does not allow it.
      await expectRefusal('IDEMPOTENCY_CONFLICT', async () => act(second, id));
      expect(calls).to.deep.equal(name === 'cancel' ? [] : [name]);
      const record = (await payments.store.load(id))!;
      expect([record.operations, record.refunds.length]).to.deep.equal([[`op-${id}`], name === 'refund' ? 1 : 0]);
    });
  }
});
