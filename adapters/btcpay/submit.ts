/** Creates an invoice and reads the server's answer. */
import {
  knownFields,
  declineOf,
  defined,
  formatAmount,
  isSameMoney,
  JsonNumber,
  readJsonObject,
  toPaymentOutcome,
  unknown,
  urlPath,
  type Ability,
  type Submission,
} from '@paywright/contract';
import { actionOf, fetchMethods, isPaid, readInvoice, toEvent } from './invoice.ts';
import type { Context, Options } from './options.ts';
import { declines, mapStatus } from './statuses.ts';
import { errors, post } from './wire.ts';

type Charged = Submission<'billing', never>;

export function methodOf(_payment: Charged, { flow }: Options): 'hosted_page' | 'crypto' {
  return flow === 'page' ? 'hosted_page' : 'crypto';
}

/** At the page, the payer chooses among all methods that the store accepts. */
export function invoiceMessage(payment: Charged, { options, returnUrl }: Pick<Context, 'options' | 'returnUrl'>) {
  const { reference, money, payer, paymentRequestId } = payment;
  const oneMethod = { paymentMethods: [options.paymentMethod], lazyPaymentMethods: false };
  return {
    amount: formatAmount(money),
    currency: money.currency,
    metadata: {
      orderId: reference,
      ...defined({ buyerEmail: options.sendEmail ? knownFields(payer).email : undefined }),
    },
    checkout: {
      expirationMinutes: new JsonNumber(String(options.minutes)),
      redirectURL: returnUrl(paymentRequestId),
      redirectAutomatically: true,
      ...(options.flow === 'address' ? oneMethod : {}),
    },
  };
}

export const submit: Ability<'submit', Options, 'billing', never> = async (payment, ctx) => {
  const { options, http } = ctx;
  const message = invoiceMessage(payment, ctx);
  const reply = await http.send(post(options, urlPath`/stores/${options.storeId}/invoices`, message));
  if (reply.status !== 200) return errors.toOutcome(reply);
  const invoice = readInvoice(readJsonObject(reply.body), payment, options);
  if (!invoice || !isSameMoney(invoice, payment.money))
    return unknown('the answer is not an invoice about this payment');
  const { id: providerReference } = invoice;
  const method = methodOf(payment, options);
  const methods = method === 'crypto' ? await fetchMethods(invoice, ctx) : [];
  const shown = 'result' in methods ? [] : methods;
  const event = toEvent(invoice);
  return toPaymentOutcome(mapStatus(event, 'fetch'), {
    providerReference,
    providerStatus: event.providerStatus,
    action: actionOf(invoice, shown, method, options),
    noAction: isPaid(shown, options) ? undefined : 'an open invoice that does not show how to pay it',
    decline: declineOf(declines, event.providerStatus, event.providerStatus),
  });
};
