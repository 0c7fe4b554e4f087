/** How answers and webhooks show Razorpay's data. */
import { JsonNumber } from '@paywright/contract';
import { leftOf, type Link, type Order, type Payment, type Refund } from './books.ts';

type Shown = Readonly<Record<string, unknown>>;

/** Empty notes are shown as a list. */
const shown = (notes: Shown): unknown => (Object.keys(notes).length > 0 ? notes : []);

export function showOrder({ id, amount, currency, receipt, notes, payments, createdAt }: Order): Shown {
  const isPaid = payments.some(({ status }) => status === 'captured' || status === 'refunded');
  return {
    id,
    entity: 'order',
    amount: new JsonNumber(amount),
    amount_paid: new JsonNumber(isPaid ? amount : '0'),
    amount_due: new JsonNumber(isPaid ? '0' : amount),
    currency,
    receipt,
    offer_id: null,
    status: isPaid ? 'paid' : payments.length > 0 ? 'attempted' : 'created',
    attempts: payments.length,
    notes: shown(notes),
    created_at: createdAt,
  };
}

export function showPayment(payment: Payment): Shown {
  const { id, order, amount, currency, method, notes, createdAt, status, errorReason } = payment;
  const isCaptured = status === 'captured' || status === 'refunded';
  const returned = isCaptured ? BigInt(amount) - leftOf(payment) : 0n;
  return {
    id,
    entity: 'payment',
    amount: new JsonNumber(amount),
    currency,
    status,
    order_id: order,
    invoice_id: null,
    international: currency !== 'INR',
    method,
    amount_refunded: new JsonNumber(String(returned)),
    refund_status: returned === 0n ? null : returned === BigInt(amount) ? 'full' : 'partial',
    captured: isCaptured,
    description: null,
    card_id: null,
    bank: null,
    wallet: null,
    vpa: method === 'upi' ? 'payer@exampleupi' : null,
    email: 'payer@example.com',
    contact: '+919000090000',
    notes: shown(notes),
    fee: null,
    tax: null,
    error_code: errorReason === null ? null : 'BAD_REQUEST_ERROR',
    error_description: null,
    error_source: errorReason === null ? null : 'customer',
    error_step: errorReason === null ? null : 'payment_authentication',
    error_reason: errorReason,
    acquirer_data: isCaptured ? { rrn: '103608848276' } : {},
    created_at: createdAt,
  };
}

export function showLink(link: Link, baseUrl: string): Shown {
  const { id, amount, amountPaid, currency, referenceId, notes, callbackUrl, expireBy, createdAt, status, order } =
    link;
  const paid = (order?.payments ?? []).filter(
    (payment) => payment.status === 'captured' || payment.status === 'refunded',
  );
  const payments = paid.map((payment) => ({
    amount: new JsonNumber(payment.amount),
    created_at: payment.createdAt,
    method: payment.method,
    payment_id: payment.id,
    plink_id: id,
    status: 'captured',
    updated_at: payment.createdAt,
  }));
  return {
    accept_partial: false,
    amount: new JsonNumber(amount),
    amount_paid: new JsonNumber(amountPaid),
    callback_method: 'get',
    callback_url: callbackUrl,
    cancelled_at: 0,
    created_at: createdAt,
    currency,
    customer: {},
    description: referenceId,
    expire_by: expireBy,
    expired_at: 0,
    first_min_partial_amount: 0,
    id,
    notes,
    notify: { email: false, sms: false },
    payments: payments.length > 0 ? payments : null,
    reference_id: referenceId,
    reminder_enable: false,
    reminders: [],
    short_url: `${baseUrl}/sim/${id}`,
    status,
    updated_at: createdAt,
    user_id: '',
  };
}

export function showRefund({ id, payment, amount, receipt, notes, createdAt, status }: Refund): Shown {
  return {
    id,
    entity: 'refund',
    amount: new JsonNumber(amount),
    currency: payment.currency,
    payment_id: payment.id,
    notes: shown(notes),
    receipt,
    acquirer_data: status === 'processed' ? { arn: '10000000000000' } : { arn: null },
    created_at: createdAt,
    batch_id: null,
    status,
    speed_processed: 'normal',
    speed_requested: 'normal',
  };
}

export function collection(items: readonly Shown[]): Shown {
  return { entity: 'collection', count: items.length, items };
}
