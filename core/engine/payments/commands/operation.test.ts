import { randomUUID } from 'node:crypto';
import type { Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { expectRefusal } from '../../access/testing/expect-refusal.ts';
import { nothingGiven, paymentRequestModel } from '../../../database/collections/payment-request.ts';
import type { Caller, Operation } from '../types/caller.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

/**
 * The first request stalls for longer than its lease, right after it bound its payment. Its repetition does all the
 * work.
 */
describe('one Idempotency-Key whose first request stalls', () => {
  const suite = usePayments();
  let payments: TestPayments;
  let calls: string[];

  const recordCall = (call: string, outcome: Outcome) => async (): Promise<Outcome> => {
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
            refund: recordCall('refund', { outcome: 'succeeded' }),
            capture: recordCall('capture', { outcome: 'succeeded' }),
            complete: recordCall('complete', { outcome: 'succeeded' }),
          },
        },
      },
    );
  });

  const createRequest = async (): Promise<number> => {
    return (await payments.service.create(caller, toCreate)).id;
  };
  const submitPayment = async (outcome: Outcome): Promise<number> => {
    payments.providers.first.answerWith(outcome);
    return (await payments.service.payH2h(caller, 41, order, cardInput())).id;
  };
  const confirmAction = { type: 'confirm', paymentId: 'P-1' } as const;

  const commands: Record<
    string,
    { prepare: () => Promise<number>; run: (by: Caller, id: number) => Promise<unknown> }
  > = {
    refund: {
      prepare: async () => submitPayment({ outcome: 'succeeded', providerReference: 'P-1' }),
      run: async (by, id) => payments.service.refund(by, id, '4'),
    },
    capture: {
      prepare: async () => submitPayment({ outcome: 'pending', authorised: true, providerReference: 'P-1' }),
      run: async (by, id) => payments.service.capture(by, id, undefined),
    },
    complete: {
      prepare: async () => submitPayment({ outcome: 'pending', action: confirmAction, providerReference: 'P-1' }),
      run: async (by, id) => payments.service.confirm(by, id, 'P-1', '1234'),
    },
    submit: {
      prepare: createRequest,
      run: async (by, id) => {
        payments.providers.first.answerWith(recordCall('submit', { outcome: 'failed', decline: '51' }));
        return payments.service.pay(by, id, cardInput());
      },
    },
    cancel: { prepare: createRequest, run: async (by, id) => payments.service.cancel(by, id) },
  };

  /** Behaves like the stored records of `Idempotency-Key`: the first bound or reserved value applies to every run. */
  function createStoredOperation(): (stall?: () => Promise<unknown>) => Operation {
    const id = randomUUID();
    let bound: number | undefined;
    let reserved: readonly number[] | undefined;
    return (stall = async () => undefined) =>
      payments.service.operation(caller, {
        id,
        paymentRequestId: bound,
        async bindPayment(paymentRequestId) {
          bound = paymentRequestId;
          await stall();
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

  it('creates one payment request', async () => {
    const startRun = createStoredOperation();
    let second: number | undefined;
    const first = startRun(async () => {
      second = (await payments.service.create({ ...caller, operation: startRun() }, toCreate)).id;
    });
    const { id } = await payments.service.create({ ...caller, operation: first }, toCreate);
    expect([id, await countOf(first.id)]).to.deep.equal([second, 1]);
    expect([await first.isApplied(), await startRun().isApplied()]).to.deep.equal([false, true]);
  });

  it('creates the payment request if the first run died before it created one', async () => {
    const startRun = createStoredOperation();
    const died = startRun(async () => Promise.reject(new Error('died')));
    await payments.service.create({ ...caller, operation: died }, toCreate).catch(() => undefined);
    const next = startRun();
    expect([await next.isApplied(), await countOf(next.id)]).to.deep.equal([false, 0]);
    const { id } = await payments.service.create({ ...caller, operation: next }, toCreate);
    expect([id, await startRun().isApplied()]).to.deep.equal([next.paymentRequestId, true]);
  });

  it('creates each payment request of a batch once, and uses a new id if an id is already used', async () => {
    const startRun = createStoredOperation();
    const [one, two] = await startRun().forEntries(2);
    const create = async (operation: Operation) => payments.service.create({ ...caller, operation }, toCreate);
    const first = await create(one!);
    await paymentRequestModel(suite.connection()).create([
      { ...(await payments.store.load(first.id))!, _id: two!.paymentRequestId!, createdBy: null },
    ]);
    const [again, other] = await startRun().forEntries(2);
    const second = await create(other!);
    expect((await create(again!)).id).to.equal(first.id);
    expect(second.id).not.to.be.oneOf([first.id, two!.paymentRequestId]);
    expect(await countOf(one!.id)).to.equal(1);
  });

  for (const [name, { prepare, run }] of Object.entries(commands)) {
    it(`performs one ${name}`, async () => {
      const id = await prepare();
      const operation = {
        id: `op-${id}`,
        isApplied: async () => false,
        forEntries: async () => [],
        currentAnswer: async () => expect.fail('the current answer is not requested'),
      };
      const second: Caller = { ...caller, operation: { ...operation, bindPayment: async () => undefined } };
      const bindPayment = async (): Promise<void> => void (await run(second, id).catch(() => undefined));
      const first: Caller = { ...caller, operation: { ...operation, bindPayment } };
      const refusal = await expectRefusal('IDEMPOTENCY_CONFLICT', async () => run(first, id));
      expect(refusal.paymentRequestId).to.equal(id);
      // The change by the other run must not be reported as a state of the payment that does not allow the call.
      await expectRefusal('IDEMPOTENCY_CONFLICT', async () => run(second, id));
      expect(calls).to.deep.equal(name === 'cancel' ? [] : [name]);
      const record = (await payments.store.load(id))!;
      expect([record.operations, record.refunds.length]).to.deep.equal([[`op-${id}`], name === 'refund' ? 1 : 0]);
    });
  }
});
