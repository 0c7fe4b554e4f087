import type { PaymentRequest } from '@paywright/client';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { toAction, toStatus } from '../statuses.ts';

type Given = Partial<Pick<PaymentRequest, 'paymentRequestStatusId' | 'isAuthorised' | 'grossAmount'>>;
const paymentOf = (given: Given): PaymentRequest =>
  ({ amount: '25.9', grossAmount: null, isAuthorised: false, ...given }) as PaymentRequest;

describe('the state of a payment request', () => {
  for (const [title, given, status, action] of [
    ['created', { paymentRequestStatusId: 0 }, 'pending', 'pending'],
    ['pending', { paymentRequestStatusId: 1 }, 'pending', 'pending'],
    ['authorised', { paymentRequestStatusId: 1, isAuthorised: true }, 'authorized', 'authorized'],
    ['paid', { paymentRequestStatusId: 2, grossAmount: '25.90' }, 'captured', 'captured'],
    ['captured in part', { paymentRequestStatusId: 2, grossAmount: '5' }, 'authorized', 'authorized'],
    ['failed', { paymentRequestStatusId: 3 }, 'pending', 'failed'],
    ['refunded in full', { paymentRequestStatusId: 4, grossAmount: '25.9' }, 'canceled', 'canceled'],
    ['expired or cancelled', { paymentRequestStatusId: 5 }, 'canceled', 'canceled'],
  ] as const) {
    it(`is translated: ${title}`, () => {
      const payment = paymentOf(given);
      expect([toStatus(payment), toAction(payment)]).to.deep.equal([status, action]);
    });
  }
});
