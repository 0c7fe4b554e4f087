/** Captures reserved money, completely or in part, once. PayPal releases the rest. */
import {
  isSameMoney,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  type Ability,
  type Money,
  type Outcome,
  type StoredPayment,
} from '@paywright/contract';
import { toCaptureEvent } from './events.ts';
import { lookAt } from './fetch-status.ts';
import type { Context, Options } from './options.ts';
import { Capture, parentId, partsOf, readState, type State } from './order.ts';
import { mapStatus } from './statuses.ts';
import { errors, post, refuseAmount, send, toPayPalMoney } from './wire.ts';

export const capture: Ability<'capture', Options> = async (payment, { reference, money }, ctx) => {
  const amount = toPayPalMoney(money);
  if (!amount) return nothingCharged(refuseAmount(money)!);
  const reserved = await findAuthorization(payment, ctx);
  if (typeof reserved === 'string') return unknown(reserved);
  const path = urlPath`/v2/payments/authorizations/${reserved.authorization}/capture`;
  const reply = await send(ctx, post(path, { amount, final_capture: true }, reference));
  if (reply.status === 200 || reply.status === 201) {
    const made = readJsonBody(Capture, reply);
    return made ? captureOutcome(made, payment, money, reserved) : unknown('the answer is not a capture');
  }
  const { code, named } = errors.read(reply);
  if (code !== 'AUTHORIZATION_ALREADY_CAPTURED') return errors.toRefundOutcome(reply);
  const order = await lookAt(reserved.order, payment, ctx);
  const earlier = typeof order === 'string' ? undefined : partsOf(order).capture;
  return earlier ? captureOutcome(earlier, payment, money, reserved) : unknown(named);
};

type Reserved = State & { readonly authorization: string };

/** The authorisation of the payment, or the reason why it is not known. */
export async function findAuthorization(payment: StoredPayment, ctx: Context): Promise<Reserved | string> {
  const { order: id, authorization } = readState(payment);
  if (id === undefined) return 'the order is not known';
  const known = { order: id, intent: 'authorize' } as const;
  if (authorization !== undefined) return { ...known, authorization };
  const order = await lookAt(id, payment, ctx);
  if (typeof order === 'string') return order;
  const found = partsOf(order).authorization?.id;
  return found === undefined ? 'PayPal shows no authorisation of the order' : { ...known, authorization: found };
}

/** True for a capture of this authorisation. An answer may lack our reference, or the link to the authorisation. */
function isOfOurs({ custom_id, links }: Capture, { reference }: StoredPayment, { authorization }: Reserved): boolean {
  const parent = parentId(links, '/v2/payments/authorizations');
  if (custom_id === undefined) return parent === authorization;
  return custom_id === reference && (parent ?? authorization) === authorization;
}

function captureOutcome(made: Capture, payment: StoredPayment, money: Money, reserved: Reserved): Outcome {
  if (!isOfOurs(made, payment, reserved) || !isSameMoney(made.amount, money)) {
    return unknown('the answer is not about this capture');
  }
  const { id: providerReference, status, status_details } = made;
  const outcome = toRefundOutcome(mapStatus(toCaptureEvent(made), 'fetch'), {
    providerReference,
    providerStatus: `capture:${status}`,
    reason: `the capture is ${[status, status_details?.reason].join(' ').trim()}`,
  });
  return { ...outcome, adapterState: { ...reserved, capture: providerReference } };
}
