/** A new invoice: what we ask, and what the server's answer says. */
import {
  declineOf,
  formatAmount,
  isSameMoney,
  readAs,
  readJsonObject,
  unknown,
  type HttpReply,
  type Outcome,
  type PaymentMethod,
  type Provider,
  type Submission,
} from '@gateway/contract';
import { errorOutcome, readError } from './call.ts';
import { actionOf, Invoice, isAbout, moneyOf } from './invoice.ts';
import type { Options } from './options.ts';
import { declines } from './words.ts';

export function methodOf({ flow }: Options): PaymentMethod {
  return flow === 'page' ? 'hosted_page' : 'crypto';
}

/** Members in the server's order. */
export function invoiceMessage(
  { reference, money, payer, paymentRequestId }: Submission,
  { options, callbackUrl, returnUrl }: Provider<Options>,
): unknown {
  return {
    ref: reference,
    price: formatAmount(money),
    unit: money.currency,
    coin: options.coin,
    minutes: options.minutes,
    hook: callbackUrl('crypto'),
    back: returnUrl(paymentRequestId),
    buyer: { name: payer.name, mail: payer.email, country: payer.country },
  };
}

export function invoiceOutcome(reply: HttpReply, payment: Submission, options: Options): Outcome {
  const { code, reason } = readError(reply);
  if (reply.status === 422 && code === 'refused') return { outcome: 'failed', ...declineOf(declines, reason) };
  if (reply.status !== 201 && reply.status !== 200) return errorOutcome(reply);
  const invoice = readAs(Invoice, readJsonObject(reply.body));
  const isOurs = invoice && isAbout(invoice, { reference: payment.reference }, options);
  if (!isOurs || !isSameMoney(moneyOf(invoice.price, invoice.unit), payment.money)) {
    return unknown('the answer is no invoice about this payment');
  }
  return { providerReference: invoice.invoice, ...stateOutcome(invoice, methodOf(options)) };
}

function stateOutcome(invoice: Invoice, method: PaymentMethod): Outcome {
  switch (invoice.state) {
    case 'new':
    case 'seen':
    case 'processing':
    case 'partial': {
      const action = actionOf(invoice, method);
      return action ? { outcome: 'pending', action } : unknown('an open invoice that does not say how to pay it');
    }
    case 'settled':
      return { outcome: 'succeeded' };
    case 'expired':
    case 'cancelled':
      return { outcome: 'failed', decline: '05' };
    case 'invalid':
      return { outcome: 'failed', ...declineOf(declines, invoice.reason) };
    default:
      return { outcome: 'pending', unknownWord: invoice.state };
  }
}
