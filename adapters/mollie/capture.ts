/** Captures the complete reservation. Mollie only accepts the request; its ping reports that the payment changed. */
import {
  compareDecimals,
  filled,
  isSameMoney,
  lenient,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type CaptureRequest,
} from '@paywright/contract';
import { lookAt } from './fetch-status.ts';
import type { Options } from './options.ts';
import { capturedOf } from './payment.ts';
import { captureStatuses } from './statuses.ts';
import { Amount, errors, post, toAmount } from './wire.ts';

const Capture = v.object({
  id: filled,
  paymentId: v.string(),
  amount: Amount,
  status: lenient(filled),
  metadata: lenient(v.object({ gateway_capture: lenient(filled) })),
});

export function captureMessage({ reference, money }: CaptureRequest) {
  return { amount: toAmount(money), description: reference, metadata: { gateway_capture: reference } };
}

export const capture: Ability<'capture', Options> = async (payment, asked, ctx) => {
  const id = payment.providerReference;
  if (id === undefined) return unknown('there is no payment to capture');
  if (!isSameMoney(asked.money, payment.money)) {
    return nothingCharged('Mollie may keep the rest reserved: capture the full amount, and refund the difference');
  }
  const path = urlPath`/v2/payments/${id}/captures`;
  const reply = await ctx.http.send(post(ctx.options, path, captureMessage(asked), asked.reference));
  // Refused: the money may have been captured earlier.
  if (reply.status === 422) {
    const shown = await lookAt(id, payment, ctx);
    if (typeof shown === 'string') return unknown(shown);
    if (shown.status !== 'paid') return errors.toRefundOutcome(reply);
    const captured = capturedOf(shown) ?? asked.money.amount;
    return compareDecimals(captured, asked.money.amount) === 0
      ? { outcome: 'succeeded', providerReference: id }
      : unknown(`${captured} was captured`);
  }
  if (reply.status !== 201) return errors.toRefundOutcome(reply);
  const made = readJsonBody(Capture, reply);
  const { gateway_capture: named = asked.reference } = made?.metadata ?? {};
  if (made?.paymentId !== id || named !== asked.reference || !isSameMoney(made.amount, asked.money)) {
    return unknown('the answer is not about this capture');
  }
  const { status } = made;
  // Mollie accepted the request. The payment shows the result.
  if (status === undefined) return { outcome: 'pending', providerReference: id };
  return toRefundOutcome(isKnown(status) ? captureStatuses[status] : 'unknown', {
    providerReference: id,
    providerStatus: status,
    reason: `the capture is ${status}`,
  });
};

function isKnown(status: string): status is keyof typeof captureStatuses {
  return Object.hasOwn(captureStatuses, status);
}
