/** Pays by card, refunds a part, and reads why a card was declined. */
import { randomUUID } from 'node:crypto';
import createClient from 'openapi-fetch';
import { PaymentRequestStatus, type components, type paths } from './paywright.js';

const gateway = createClient<paths, 'application/json' | 'application/problem+json'>({
  baseUrl: process.env['GATEWAY_URL']!,
  // Without Accept, the text OK is the whole answer of a call that succeeds.
  headers: { 'X-API-Key': process.env['API_KEY']!, Accept: 'application/json' },
});

function order(number: string): components['schemas']['CardOrder'] {
  return {
    name: 'Ines Duarte',
    email: 'ines.duarte@shop.example',
    phoneNumber: '+351912345678',
    address: 'Rua Augusta 12',
    city: 'Lisboa',
    state: 'LX',
    postalCode: '1100-053',
    country: 'PT',
    number,
    expiration: '12/39',
    cvv: '737',
    amount: 25.9,
    unit: 'EUR',
    notifyUrl: process.env['NOTIFY_URL']!,
  };
}

// Keep the key with the order, and send the same key when you repeat the call: the payer then pays once.
const newKey = () => ({ 'Idempotency-Key': randomUUID() });

const paid = await gateway.POST('/payments/h2h/{id}', {
  params: { path: { id: 11 }, header: newKey() },
  body: order('4111111111111111'),
});
if (!paid.data) throw new Error(paid.error.detail);
const { id, paymentRequestStatusId } = paid.data.paymentRequest;
if (paymentRequestStatusId !== PaymentRequestStatus.PAID) throw new Error('the payment is not paid');
console.log('paid', id);

const refunded = await gateway.POST('/payment-requests/{id}/refund', {
  params: { path: { id }, header: newKey() },
  body: { amount: 5.1 },
});
if (!refunded.data) throw new Error(refunded.error.detail);
const { refunds, refundableAmount } = refunded.data.paymentRequest;
// The refund may be pending. A notification then reports its result.
console.log('refunds', refunds[0]?.amount, 'left', refundableAmount);

const declined = await gateway.POST('/payments/h2h/{id}', {
  params: { path: { id: 11 }, header: newKey() },
  body: order('4000000000009995'),
});
if (declined.data) throw new Error('the payment is not declined');
console.log('declined', declined.error.code, declined.error.details.declineCode);
