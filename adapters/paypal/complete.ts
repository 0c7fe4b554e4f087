/** The payer is back from PayPal: captures the order that the payer approved, or reserves its money. */
import {
  isSameMoney,
  readPairs,
  unknown,
  urlPath,
  type Ability,
  type CompletionStep,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import { toPaymentEvents } from './events.ts';
import { lookAt } from './fetch-status.ts';
import type { Options } from './options.ts';
import { readOrder, readState, stateOf, type Order, type State } from './order.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, send } from './wire.ts';

export const complete: Ability<'complete', Options> = async (payment, step, ctx) => {
  const { order: id, intent = ctx.options.intent } = readState(payment, ctx.options);
  if (id === undefined || step.kind !== 'return') return unknown('there is no order to complete');
  const path =
    intent === 'authorize' ? urlPath`/v2/checkout/orders/${id}/authorize` : urlPath`/v2/checkout/orders/${id}/capture`;
  const reply = await send(ctx, post(path, {}, `${payment.reference}-P`));
  if (reply.status === 200 || reply.status === 201) {
    const order = readOrder(reply, payment, id);
    return order ? orderOutcome(order, payment, intent) : unknown('the answer is not an order of this attempt');
  }
  const { code } = errors.read(reply);
  if (reply.status !== 422) return errors.toOutcome(reply);
  if (code === 'ORDER_NOT_APPROVED' || code === 'PAYER_ACTION_REQUIRED') return notApproved(payment, step);
  if (!completedBefore.has(code)) return errors.toOutcome(reply);
  const order = await lookAt(id, payment, ctx);
  return typeof order === 'string' ? unknown(order) : orderOutcome(order, payment, intent);
};

/** An earlier request completed the order, and PayPal has forgotten the id of that request. */
const completedBefore: ReadonlySet<string> = new Set([
  'ORDER_ALREADY_CAPTURED',
  'ORDER_ALREADY_AUTHORIZED',
  'ORDER_COMPLETED_OR_VOIDED',
]);

/** A payer who gave up can pay again immediately: only our own request can charge the order, and core sends none. */
function notApproved({ action }: StoredPayment, step: CompletionStep): Outcome {
  if (hasGivenUp(step)) return { outcome: 'failed', decline: '05', declineText: 'the payer cancelled at PayPal' };
  return action ? { outcome: 'pending', action } : unknown('the payer has not approved the order');
}

/** PayPal adds `PayerID` if the payer approved. If the payer gave up, it only adds the order. */
function hasGivenUp(step: CompletionStep): boolean {
  const pairs = step.kind === 'return' && step.query !== undefined ? readPairs(step.query) : undefined;
  const names = pairs?.map(([name]) => name) ?? [];
  return names.includes('token') && !names.includes('PayerID');
}

/** The outcome of an order that the payer approved. */
function orderOutcome(order: Order, { money }: StoredPayment, intent: State['intent']): Outcome {
  const [event] = toPaymentEvents(order);
  const { amount, currency, capturedAmount, providerReference, providerStatus, decline = '05', declineText } = event;
  const facts = { adapterState: stateOf(order, intent), ...(providerReference === null ? {} : { providerReference }) };
  if (amount === null || currency === null || !isSameMoney({ amount, currency }, money)) {
    return { ...unknown('PayPal shows another amount'), ...facts };
  }
  // Reserved money that was captured at PayPal in the meantime: a fetch reports the sum.
  if (capturedAmount !== undefined) return { ...unknown('reserved money was captured at PayPal'), ...facts };
  const status = mapStatus(event, 'fetch');
  if (status === 'succeeded') return { outcome: 'succeeded', ...facts };
  if (status === 'authorised') return { outcome: 'pending', authorised: true, ...facts };
  if (status === 'pending') return { outcome: 'pending', ...facts };
  if (status === 'unknown') return { outcome: 'pending', ...facts, unknownStatus: providerStatus };
  return { outcome: 'failed', ...facts, decline, ...(declineText === undefined ? {} : { declineText }) };
}
