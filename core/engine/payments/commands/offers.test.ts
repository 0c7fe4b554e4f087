import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { Outcome } from '@paywright/contract';
import { GatewayError } from '../../../base/errors.ts';
import { nothingGiven, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

/** The console offers an action only if its command would accept the payment as it is now. */
describe('the actions that are offered', () => {
  const suite = usePayments();
  let payments: TestPayments;
  before(() => {
    payments = suite.create({}, { first: { adapter: { refund: async () => ({ outcome: 'succeeded' }) } } });
  });

  const pay = async (outcome: Outcome): Promise<number> => {
    payments.providers.first.answerWith(outcome);
    return payments.service.payH2h(caller, 41, order, cardInput()).then(
      ({ id }) => id,
      (error: unknown) => {
        if (error instanceof GatewayError && error.paymentRequestId !== undefined) return error.paymentRequestId;
        throw error;
      },
    );
  };
  const change = async (id: number, members: (record: PaymentRecord) => Partial<PaymentRecord>): Promise<number> => {
    await payments.store.change(id, 'r', (one) => ({ next: { ...one, ...members(one) } }));
    return id;
  };
  const create = async (): Promise<number> => {
    const client = { name: null, email: null, address: null, phone: null, memberId: null };
    const { id } = await payments.service.create(caller, { ...order, ...nothingGiven, client, send: false });
    return id;
  };
  const paid = async (): Promise<number> => pay({ outcome: 'succeeded', providerReference: 'P-1' });

  type Offer = 'cancel' | 'refund' | 'nothing';
  const states: readonly (readonly [string, Offer, () => Promise<number>])[] = [
    ['created', 'cancel', async () => create()],
    ['failed', 'cancel', async () => pay({ outcome: 'failed', decline: '05', nothingCharged: true })],
    ['pending at the provider', 'nothing', async () => pay({ outcome: 'pending', providerReference: 'P-2' })],
    ['of unknown outcome', 'nothing', async () => pay({ outcome: 'unknown' })],
    [
      'underpaid in coins',
      'refund',
      async () =>
        change(await pay({ outcome: 'pending', providerReference: 'P-3' }), ({ attempts }) => ({
          attempts: attempts.map((one) => ({ ...one, received: '4' })),
        })),
    ],
    ['paid', 'refund', paid],
    [
      'paid at a provider that is off now',
      'nothing',
      async () => {
        const id = await paid();
        return change(id, ({ attempts }) => ({ attempts: attempts.map((one) => ({ ...one, adapter: 'gone' })) }));
      },
    ],
    [
      'refunded in part',
      'refund',
      async () => {
        const id = await paid();
        await payments.service.refund(caller, id, '4');
        return id;
      },
    ],
    [
      'refunded',
      'nothing',
      async () => {
        const id = await paid();
        await payments.service.refund(caller, id, undefined);
        return id;
      },
    ],
    [
      'cancelled',
      'nothing',
      async () => {
        const id = await pay({ outcome: 'failed', decline: '05', nothingCharged: true });
        await payments.service.cancel(caller, id);
        return id;
      },
    ],
  ];
  const isAccepted = async (call: Promise<unknown>): Promise<boolean> =>
    call.then(
      () => true,
      (error: unknown) => {
        if (error instanceof GatewayError) return false;
        throw error;
      },
    );
  for (const [state, offer, make] of states) {
    it(`are ${offer} for a payment that is ${state}, as the commands decide`, async () => {
      const { service, store } = payments;
      const [toCancel, toRefund] = [await make(), await make()];
      const record = (await store.load(toCancel))!;
      const offered = { cancel: service.canCancel(record), refund: service.canRefund(record) };
      expect(offered).to.deep.equal({ cancel: offer === 'cancel', refund: offer === 'refund' });
      expect({
        cancel: await isAccepted(service.cancel(caller, toCancel)),
        refund: await isAccepted(service.refund(caller, toRefund, undefined)),
      }).to.deep.equal(offered);
    });
  }
});
