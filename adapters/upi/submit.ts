/** The payment: its request and the meaning of the switch's answer. */
import {
  knownFields,
  declineOf,
  JsonNumber,
  toMinor,
  toPaymentOutcome,
  unknown,
  upiMethodOf,
  type Ability,
  type Submission,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { declines, mapStatus } from './statuses.ts';
import { actionOf, readShown, toEvent } from './transaction.ts';
import { errors, signedPost } from './wire.ts';

/** The payer's bank knows its payer: the switch needs no field. */
type Fields = never;

const modes = { upi_collect: 'COLLECT', upi_intent: 'INTENT', upi_qr: 'QR' } as const;

export function methodOf({ upiId }: { readonly upiId?: string }): keyof typeof modes {
  return upiMethodOf(upiId);
}

function payMessage(payment: Submission<'upi', Fields>, { options, callbackUrl, returnUrl, now }: Context): unknown {
  const { payer, money, reference, paymentRequestId, upiId } = payment;
  const known = knownFields(payer);
  const method = methodOf(payment);
  return {
    mid: options.merchantId,
    gw_ref: reference,
    paise: new JsonNumber(toMinor(money)),
    mode: modes[method],
    ...(method === 'upi_collect' ? { vpa: upiId } : {}),
    payer: { name: known.name, mobile: known.phoneNumber },
    hook: callbackUrl('upi'),
    ret: returnUrl(paymentRequestId),
    ttl: options.ttlSeconds,
    at: now().getTime(),
  };
}

export const submit: Ability<'submit', Options, 'upi', Fields> = async (payment, ctx) => {
  const reply = await ctx.http.send(signedPost(ctx, '/upi/v1/pay', payMessage(payment, ctx)));
  if (reply.status !== 200) return errors.toOutcome(reply);
  const shown = readShown(reply, payment, ctx.options);
  if (shown?.paise !== toMinor(payment.money)) return unknown('the answer is not about this payment');
  const { u_txn: providerReference, state: providerStatus, why } = shown;
  const status = mapStatus(toEvent(shown), 'fetch');
  const noAction = providerStatus === 'PENDING' ? 'it waits, and does not say what the payer must do' : undefined;
  const decline = declineOf(declines, why);
  return toPaymentOutcome(status, { providerReference, providerStatus, action: actionOf(shown), noAction, decline });
};
