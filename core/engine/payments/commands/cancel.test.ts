import { expect } from 'chai';
import { before, describe, it } from 'mocha';
import type { Outcome } from '@paywright/contract';
import { GatewayError } from '../../../base/errors.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('the offer to cancel a payment', () => {
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
  const paid = async (): Promise<number> => pay({ outcome: 'succeeded', providerReference: 'P-1' });

  const states: readonly (readonly [string, boolean, () => Promise<number>])[] = [
    ['failed', true, async () => pay({ outcome: 'failed', decline: '05', nothingCharged: true })],
    ['pending at the provider', false, async () => pay({ outcome: 'pending', providerReference: 'P-2' })],
    ['of unknown outcome', false, async () => pay({ outcome: 'unknown' })],
    [
      'underpaid in coins',
      false,
      async () =>
        change(await pay({ outcome: 'pending', providerReference: 'P-3' }), ({ attempts }) => ({
          attempts: attempts.map((one) => ({ ...one, received: '4' })),
        })),
    ],
    ['paid', false, paid],
    [
      'refunded',
      false,
      async () => {
        const id = await paid();
        await payments.service.refund(caller, id, undefined);
        return id;
      },
    ],
    [
      'cancelled',
      false,
      async () => {
        const id = await pay({ outcome: 'failed', decline: '05', nothingCharged: true });
        await payments.service.cancel(caller, id);
        return id;
      },
    ],
  ];
  for (const [state, isPossible, make] of states) {
    it(`is ${isPossible ? '' : 'not '}made for a payment that is ${state}, as the command decides`, async () => {
      const id = await make();
      const isOffered = payments.service.canCancel((await payments.store.load(id))!);
      const isAccepted = await payments.service.cancel(caller, id).then(
        () => true,
        () => false,
      );
      expect([isOffered, isAccepted]).to.deep.equal([isPossible, isPossible]);
    });
  }
});
