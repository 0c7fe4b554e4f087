/** Submits an order and its UPI payment, or a payment link. */
import {
  defined,
  filled,
  JsonNumber,
  lenient,
  misconfigured,
  nothingCharged,
  readJsonBody,
  readJsonObject,
  refusedField,
  toMinor,
  toPaymentOutcome,
  unknown,
  upiMethodOf,
  v,
  writeRfc3339,
  type Ability,
  type Action,
  type Outcome,
  type PaymentMethod,
  type Submission,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { Minor, refuseAmount } from './payment.ts';
import { actionOf, readLink, toLinkEvent } from './payment-link.ts';
import { mapStatus } from './statuses.ts';
import { toCustomer } from './payer.ts';
import { errors, post } from './wire.ts';

type Fields = 'name' | 'email' | 'phoneNumber';
type UpiPayment = Submission<'upi', Fields>;
type PagePayment = Submission<'billing', Fields>;

export function methodOf({
  input,
  upiId,
}: {
  readonly input: string;
  readonly upiId?: string | undefined;
}): Exclude<PaymentMethod, 'card'> {
  return input === 'upi' ? upiMethodOf(upiId) : 'hosted_page';
}

export const submit: Ability<'submit', Options, 'upi' | 'billing', Fields> = async (payment, ctx) => {
  const refused = refuseAmount(payment.money);
  if (refused) return refusedField('amount', refused);
  return payment.input === 'upi' ? submitUpi(payment, ctx) : submitPage(payment, ctx);
};

/** Captured automatically. If the bank confirms too late, the money is refunded. */
export function orderMessage({ money, reference }: UpiPayment, { captureMinutes }: Options) {
  return {
    amount: new JsonNumber(toMinor(money)),
    currency: money.currency,
    receipt: reference,
    notes: { gateway_payment: reference },
    payment: {
      capture: 'automatic' as const,
      capture_options: {
        automatic_expiry_period: captureMinutes,
        manual_expiry_period: captureMinutes,
        refund_speed: 'normal' as const,
      },
    },
  };
}

/** Time limit for the payer in minutes, enforced by Razorpay. */
const MINUTES = 10;

export function paymentMessage(payment: UpiPayment, order_id: string, { publicUrl }: Pick<Context, 'publicUrl'>) {
  const { money, reference, payer, browserInfo, upiId } = payment;
  const { email, contact } = toCustomer(payer);
  const isCollect = methodOf(payment) === 'upi_collect';
  return {
    amount: new JsonNumber(toMinor(money)),
    currency: money.currency,
    order_id,
    // Required, and in the manifest's bounds.
    email: email ?? '',
    contact: contact ?? '',
    method: 'upi',
    upi: isCollect ? { flow: 'collect', vpa: upiId, expiry_time: MINUTES } : { flow: 'intent' },
    // Razorpay requires these three; a merchant need not send them.
    ip: payer.ipAddress ?? '0.0.0.0',
    referer: publicUrl,
    user_agent: browserInfo?.userAgent ?? 'unknown',
    description: reference,
    notes: { gateway_payment: reference },
  };
}

const Order = v.object({ id: filled, amount: Minor, currency: v.string(), receipt: v.string() });
const Made = v.object({
  razorpay_payment_id: filled,
  next: v.array(v.object({ action: v.string(), url: lenient(v.string()) })),
});
type Made = v.InferOutput<typeof Made>;

async function submitUpi(payment: UpiPayment, ctx: Context): Promise<Outcome> {
  const { http, options } = ctx;
  const { money, reference } = payment;
  if (money.currency !== 'INR') return refusedField('unit', 'UPI accepts only INR');
  const { email, contact } = toCustomer(payment.payer);
  if (contact === undefined) return refusedField('phoneNumber', 'Razorpay requires a phone number for UPI');
  if (email === undefined) return refusedField('email', `Razorpay requires an ASCII e-mail address for UPI`);
  const ordered = await http.send({
    ...post(options, '/v1/orders', orderMessage(payment, options)),
    chargesNothing: true,
  });
  // An order charges nothing, whatever the answer is.
  if (ordered.status !== 200) {
    const outcome = errors.toOutcome(ordered);
    const { named } = errors.read(ordered);
    if (outcome.outcome === 'failed' && outcome.misconfigured) return misconfigured(named);
    return outcome.outcome === 'failed' && outcome.refusedField
      ? refusedField(outcome.refusedField, named)
      : nothingCharged(named);
  }
  const order = readJsonBody(Order, ordered);
  if (order?.receipt !== reference || order.amount !== toMinor(money) || order.currency !== money.currency) {
    return nothingCharged('the answer is not an order of this payment');
  }
  const reply = await http.send(post(options, '/v1/payments/create/json', paymentMessage(payment, order.id, ctx)));
  if (reply.status !== 200) return errors.toOutcome(reply);
  const made = readJsonBody(Made, reply);
  if (!made) return unknown('the answer is not a payment');
  const { razorpay_payment_id: providerReference } = made;
  const action = upiAction(made, methodOf(payment), ctx.now());
  return action
    ? { outcome: 'pending', providerReference, action }
    : { outcome: 'unknown', providerReference, reason: "the answer does not show the payer's next step" };
}

/** A QR code contains the same link that an app opens. */
function upiAction({ next }: Made, method: PaymentMethod, now: Date): Action | undefined {
  const expiry = writeRfc3339(new Date(now.getTime() + MINUTES * 60_000));
  if (method === 'upi_collect') return { type: 'upi', mode: 'collect', expiry };
  const link = next.find(({ action }) => action === 'intent')?.url;
  if (!link || !/^upi:\/\//i.test(link)) return undefined;
  return method === 'upi_qr'
    ? { type: 'upi', mode: 'qr', text: link, expiry }
    : { type: 'upi', mode: 'intent', link, expiry };
}

export function linkMessage(payment: PagePayment, { options, now, returnUrl }: Context) {
  const { money, reference, payer, paymentRequestId } = payment;
  return {
    amount: new JsonNumber(toMinor(money)),
    currency: money.currency,
    accept_partial: false,
    expire_by: Math.floor(now().getTime() / 1000) + options.pageMinutes * 60,
    reference_id: reference,
    description: reference,
    customer: defined(toCustomer(payer)),
    notify: { sms: false, email: false },
    reminder_enable: false,
    notes: { gateway_page: reference },
    callback_url: returnUrl(paymentRequestId),
    callback_method: 'get',
  };
}

async function submitPage(payment: PagePayment, ctx: Context): Promise<Outcome> {
  const reply = await ctx.http.send(post(ctx.options, '/v1/payment_links', linkMessage(payment, ctx)));
  if (reply.status !== 200) return errors.toOutcome(reply);
  const link = readLink(readJsonObject(reply.body), payment);
  if (link?.amount !== toMinor(payment.money) || link.currency !== payment.money.currency) {
    return unknown('the answer is not a link of this payment');
  }
  const { id: providerReference, status: providerStatus } = link;
  return toPaymentOutcome(mapStatus(toLinkEvent(link), 'fetch'), {
    providerReference,
    providerStatus,
    action: actionOf(link),
    noAction: 'an open link without an address to pay at',
    decline: { decline: '05' },
  });
}
