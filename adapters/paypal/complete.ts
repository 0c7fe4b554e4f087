/** The payer is back from PayPal: captures the order that the payer approved, or reserves its money. */
import {
  defined,
  isSameMoney,
  toPaymentOutcome,
  unknown,
  urlPath,
  type Ability,
  type AdapterState,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import { toPaymentEvents } from './events.ts';
import { lookAt } from './fetch-status.ts';
import type { Options } from './options.ts';
import { idsOf, knownIds, readOrder, stateOf, type Order } from './order.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, send } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { order: id } = knownIds(payment);
  if (id === undefined || step.kind !== 'return') return unknown('there is no order to complete');
  const { intent, completing = false } = stateOf(payment, ctx.options);
  const path =
    intent === 'authorize' ? urlPath`/v2/checkout/orders/${id}/authorize` : urlPath`/v2/checkout/orders/${id}/capture`;
  // If the answer is lost, an order that PayPal no longer knows may have been charged: see fetch-status.ts.
  ctx.keep({ intent, completing: true });
  const reply = await send(ctx, post(path, {}, `${payment.reference}-P`));
  if (reply.status === 200 || reply.status === 201) {
    const order = readOrder(reply, payment, id);
    return order ? orderOutcome(order, payment) : unknown('the answer is not an order of this attempt');
  }
  const { code } = errors.read(reply);
  if (code === 'ORDER_NOT_APPROVED' || code === 'PAYER_ACTION_REQUIRED') return notApproved(payment, { intent });
  if (!completedBefore.has(code)) {
    const outcome = errors.toOutcome(reply);
    // A refusal of the first request proves that nothing was charged.
    return outcome.outcome === 'unknown' || completing ? outcome : { ...outcome, adapterState: { intent } };
  }
  const order = await lookAt(id, payment, ctx);
  return typeof order === 'string' ? unknown(order) : orderOutcome(order, payment);
};

/** An earlier request completed the order, and PayPal has forgotten the id of that request. */
const completedBefore: ReadonlySet<string> = new Set([
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_AUTHORIZED',
  'ORDER_COMPLETED_OR_VOIDED',
]);

/** The payer returned without an approval, and can still approve. */
function notApproved({ action }: StoredPayment, adapterState: AdapterState): Outcome {
  const outcome: Outcome = action ? { outcome: 'pending', action } : unknown('the payer has not approved the order');
  return { ...outcome, adapterState };
}

/** The outcome of an order that the payer approved. */
function orderOutcome(order: Order, { money }: StoredPayment): Outcome {
  const [event] = toPaymentEvents(order);
  const { amount, currency, capturedAmount, providerStatus, decline = '05', declineText } = event;
  const facts = idsOf(order);
  if (amount === null || currency === null || !isSameMoney({ amount, currency }, money)) {
    return { ...unknown('PayPal shows another amount'), ...facts };
  }
  // Reserved money that was captured at PayPal in the meantime: a fetch reports the sum.
  if (capturedAmount !== undefined) return { ...unknown('reserved money was captured at PayPal'), ...facts };
  const status = mapStatus(event, 'fetch');
  if (status === 'cancelled') return { outcome: 'failed', ...facts, cancelled: true };
  const refusal = { decline, ...defined({ declineText }) };
  return { ...toPaymentOutcome(status, { providerStatus, decline: refusal }), ...facts };
}
