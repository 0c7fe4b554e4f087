/** A new invoice: its request and the meaning of the server's answer. */
import {
  everyField,
  declineOf,
  formatAmount,
  isSameMoney,
  readJsonObject,
  toPaymentOutcome,
  unknown,
  type Ability,
  type Submission,
} from '@paywright/contract';
import { actionOf, readInvoice, toEvent } from './invoice.ts';
import type { Context, Options } from './options.ts';
import { declines, mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

type Fields = 'name' | 'email' | 'country';
type Charged = Submission<'billing', Fields>;

export function methodOf(_payment: Charged, { flow }: Options): 'hosted_page' | 'crypto' {
  return flow === 'page' ? 'hosted_page' : 'crypto';
}

/** Members in the server's order. */
export function invoiceMessage(payment: Charged, { options, callbackUrl, returnUrl }: Context): unknown {
  const { reference, money, payer, paymentRequestId } = payment;
  const known = everyField(payer);
  return {
    ref: reference,
    price: formatAmount(money),
    unit: money.currency,
    coin: options.coin,
    minutes: options.minutes,
    hook: callbackUrl('crypto'),
    back: returnUrl(paymentRequestId),
    buyer: { name: known.name, mail: known.email, country: known.country },
  };
}

export const submit: Ability<'submit', Options, 'billing', Fields> = async (payment, ctx) => {
  const { options, http } = ctx;
  const { reference, money } = payment;
  const reply = await http.send(post(options, 'invoices', reference, invoiceMessage(payment, ctx)));
  if (reply.status !== 201 && reply.status !== 200) return errors.toOutcome(reply);
  const invoice = readInvoice(readJsonObject(reply.body), payment, options);
  if (!invoice || !isSameMoney({ amount: invoice.price, currency: invoice.unit }, money)) {
    return unknown('the answer is not an invoice about this payment');
  }
  const { invoice: providerReference, state: providerStatus } = invoice;
  const status = mapStatus(toEvent(invoice), 'fetch');
  return toPaymentOutcome(status, {
    providerReference,
    providerStatus,
    action: actionOf(invoice, methodOf(payment, options)),
    noAction: 'an open invoice that does not say how to pay it',
    decline: declineOf(declines, invoice.reason),
  });
};
