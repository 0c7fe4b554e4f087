/** PayPal's objects, as answers and webhooks show them. */
import { writeRfc3339, type Money } from '@paywright/contract';
import { toPayPalMoney } from '../wire.ts';
import type { Dispute, Entry, Order, Refund } from './books.ts';

export function presentMoney(money: Money) {
  return toPayPalMoney(money) ?? { currency_code: money.currency, value: money.amount };
}

const link = (href: string, rel: string, method = 'GET') => ({ href, rel, method });

function presentEntry({ id, status, amount, custom_id, invoice_id, at }: Entry) {
  const time = writeRfc3339(at);
  return { id, status, amount: presentMoney(amount), custom_id, invoice_id, create_time: time, update_time: time };
}

const relatedTo = (order: Order) => ({ supplementary_data: { related_ids: { order_id: order.id } } });

export function presentAuthorization(entry: Entry, order: Order, baseUrl: string) {
  return {
    ...presentEntry(entry),
    ...relatedTo(order),
    expiration_time: writeRfc3339(new Date(entry.at.getTime() + 29 * 86_400_000)),
    links: [link(`${baseUrl}/v2/payments/authorizations/${entry.id}`, 'self')],
  };
}

/** A capture of reserved money leads up to its authorisation, any other capture to its order. */
export function presentCapture(entry: Entry, order: Order, baseUrl: string) {
  const declined = entry.status === 'DECLINED' ? { processor_response: { response_code: '5120' } } : {};
  const pending = entry.status === 'PENDING' ? { status_details: { reason: 'PENDING_REVIEW' } } : {};
  const { authorization } = order;
  const parent = authorization ? `v2/payments/authorizations/${authorization.id}` : `v2/checkout/orders/${order.id}`;
  return {
    ...presentEntry(entry),
    ...relatedTo(order),
    ...declined,
    ...pending,
    final_capture: order.authorization?.status !== 'PARTIALLY_CAPTURED',
    links: [
      link(`${baseUrl}/v2/payments/captures/${entry.id}`, 'self'),
      link(`${baseUrl}/v2/payments/captures/${entry.id}/refund`, 'refund', 'POST'),
      link(`${baseUrl}/${parent}`, 'up'),
    ],
  };
}

export function presentRefund(refund: Refund, baseUrl: string) {
  return {
    ...presentEntry(refund),
    links: [
      link(`${baseUrl}/v2/payments/refunds/${refund.id}`, 'self'),
      link(`${baseUrl}/v2/payments/captures/${refund.captureId}`, 'up'),
    ],
  };
}

export function presentDispute({ id, status, amount, captureId, outcome, at }: Dispute, order: Order) {
  const time = writeRfc3339(at);
  return {
    dispute_id: id,
    create_time: time,
    update_time: writeRfc3339(new Date()),
    disputed_transactions: [
      { seller_transaction_id: captureId, custom: order.custom_id, invoice_number: order.invoice_id },
    ],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    status,
    dispute_amount: presentMoney(amount),
    dispute_life_cycle_stage: 'CHARGEBACK',
    ...(outcome
      ? { dispute_outcome: { outcome_code: outcome } }
      : { seller_response_due_date: '2030-01-31T00:00:00Z' }),
  };
}

export function presentOrder(order: Order, baseUrl: string) {
  const { id, intent, status, custom_id, invoice_id, amount, authorization, captures, refunds, at } = order;
  const payments = {
    ...(authorization ? { authorizations: [presentAuthorization(authorization, order, baseUrl)] } : {}),
    ...(captures.length > 0 ? { captures: captures.map((one) => presentCapture(one, order, baseUrl)) } : {}),
    ...(refunds.length > 0 ? { refunds: refunds.map((one) => presentRefund(one, baseUrl)) } : {}),
  };
  return {
    id,
    intent,
    status,
    purchase_units: [
      {
        reference_id: 'default',
        custom_id,
        invoice_id,
        amount: presentMoney(amount),
        ...(Object.keys(payments).length > 0 ? { payments } : {}),
      },
    ],
    create_time: writeRfc3339(at),
    links: [
      link(`${baseUrl}/v2/checkout/orders/${id}`, 'self'),
      ...(status === 'PAYER_ACTION_REQUIRED' ? [link(`${baseUrl}/checkoutnow?token=${id}`, 'payer-action')] : []),
    ],
  };
}
