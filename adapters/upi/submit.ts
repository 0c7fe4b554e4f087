/** The payment: what we ask, and what the switch answers. */
import {
  declineOf,
  JsonNumber,
  toMinor,
  toPaymentOutcome,
  unknown,
  type AdapterContext,
  type Outcome,
  type Submission,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { declines, mapStatus } from './statuses.ts';
import { actionOf, readShown, toEvent } from './transaction.ts';
import { errors, sealedPost } from './wire.ts';

type Charged = Submission<'upi', 'name' | 'phoneNumber'>;

const modes = { upi_collect: 'COLLECT', upi_intent: 'INTENT', upi_qr: 'QR' } as const;

/** Two ids stand for *not known yet*: the payer's app opens a link, or scans a QR code. */
export function methodOf({ upiId = '' }: { readonly upiId?: string }): keyof typeof modes {
  switch (upiId.toLowerCase()) {
    case 'intent@gw':
      return 'upi_intent';
    case 'qr@gw':
      return 'upi_qr';
    default:
      return 'upi_collect';
  }
}

function payMessage(payment: Charged, { options, callbackUrl, returnUrl, now }: AdapterContext<Options>): unknown {
  const { payer, money, reference, paymentRequestId, upiId } = payment;
  const method = methodOf(payment);
  return {
    mid: options.merchantId,
    gw_ref: reference,
    paise: new JsonNumber(toMinor(money)),
    mode: modes[method],
    ...(method === 'upi_collect' ? { vpa: upiId } : {}),
    payer: { name: payer.name, mobile: payer.phoneNumber },
    hook: callbackUrl('upi'),
    ret: returnUrl(paymentRequestId),
    ttl: options.ttlSeconds,
    at: now().getTime(),
  };
}

export async function submit(payment: Charged, ctx: AdapterContext<Options>): Promise<Outcome> {
  const reply = await ctx.http.send(sealedPost(ctx, '/upi/v1/pay', payMessage(payment, ctx)));
  const { code } = errors.read(reply);
  if (reply.status === 422 && code) return { outcome: 'failed', ...declineOf(declines, code) };
  if (reply.status !== 200) return errors.toOutcome(reply);
  const shown = readShown(reply, payment, ctx.options);
  if (shown?.paise !== toMinor(payment.money)) return unknown('the answer is no answer about this payment');
  const { u_txn: providerReference, state: providerStatus, why } = shown;
  const action = actionOf(shown);
  if (providerStatus === 'PENDING' && !action) {
    return { ...unknown('a waiting payment that does not say what the payer must do'), providerReference };
  }
  const status = mapStatus(toEvent(shown, { kind: 'payment' }), 'fetch');
  return toPaymentOutcome(status, { providerReference, providerStatus, action, decline: declineOf(declines, why) });
}
