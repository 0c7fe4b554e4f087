/** A payment, as answers and webhooks show it, and Razorpay's amounts. */
import {
  amountBound,
  decimalsOf,
  eventDeclineOf,
  filled,
  jsonDigits,
  lenient,
  moneyFromMinor,
  narrowEmail,
  toMinor,
  v,
  withDetails,
  type Money,
  type ReportedEvent,
} from '@paywright/contract';
import { MAX_EMAIL, toContact } from './payer.ts';
import { declines } from './statuses.ts';

/** INR, and the currencies accepted from payers abroad. */
export const currencies: readonly string[] = (
  'INR AED ALL AMD AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BTN BWP BZD CAD CHF CLP CNY COP CRC CUP CVE ' +
  'CZK DJF DKK DOP DZD EGP ETB EUR FJD GBP GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS IQD ISK JMD JOD JPY KES KGS ' +
  'KHR KMF KRW KWD KYD KZT LAK LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD ' +
  'OMR PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SCR SEK SGD SOS SSP SVC SZL THB TND TRY TTD TWD TZS UAH UGX ' +
  'USD UYU UZS VND VUV XAF XCD XOF XPF YER ZAR ZMW'
).split(' ');

/** The reason why Razorpay refuses the amount: with three decimals, the last must be 0. */
export function refuseAmount(money: Money): string | undefined {
  const isWhole = decimalsOf(money.currency) < 3 || toMinor(money).endsWith('0');
  return isWhole ? undefined : `Razorpay accepts no amount in ${money.currency} whose third decimal is not 0`;
}

const May = v.optional(v.unknown());

/** Values that core refuses before any request to Razorpay. */
export const Bounds = v.pipe(
  v.looseObject({ amount: May, unit: May, upiId: May, phoneNumber: May, email: May }),
  v.forward(
    v.check(({ unit, upiId }) => !upiId || unit === 'INR', 'must be INR for UPI'),
    ['unit'],
  ),
  // A payment link needs neither.
  v.forward(
    v.check(
      ({ upiId, phoneNumber }) => !upiId || typeof phoneNumber !== 'string' || toContact(phoneNumber) !== undefined,
      'must be a phone number with its country code for UPI',
    ),
    ['phoneNumber'],
  ),
  v.forward(
    v.check(
      ({ upiId, email }) => !upiId || typeof email !== 'string' || narrowEmail(email, MAX_EMAIL) !== undefined,
      `must have at most ${MAX_EMAIL} ASCII characters for UPI`,
    ),
    ['email'],
  ),
  amountBound(refuseAmount),
);

/** An amount in the currency's smallest unit. */
export const Minor = jsonDigits(15);

/**
 * Our reference, in the notes of objects that we created: a UPI payment, or a payment link, whose payments inherit its
 * notes. Razorpay shows empty notes as a list.
 */
export const Notes = lenient(v.object({ gateway_payment: lenient(filled), gateway_page: lenient(filled) }));

export const Payment = v.object({
  id: filled,
  amount: Minor,
  currency: v.string(),
  status: v.string(),
  captured: lenient(v.boolean()),
  notes: Notes,
  error_reason: lenient(filled),
  /** References of the banks. */
  acquirer_data: lenient(v.object({ rrn: lenient(filled) })),
});
export type Payment = v.InferOutput<typeof Payment>;

export function toEvent(payment: Payment, reference: string): ReportedEvent {
  const { id, amount, currency, status, captured, error_reason, acquirer_data } = payment;
  return {
    kind: 'payment',
    providerStatus: `payment.${status}`,
    reference,
    providerReference: id,
    ...moneyFromMinor(amount, currency),
    dedupeKey: `${id}:${status}`,
    ...(status === 'failed' ? eventDeclineOf(declines, error_reason) : {}),
    ...withDetails({ rrn: acquirer_data?.rrn }),
    ...(captured === undefined ? {} : { facts: { captured } }),
  };
}
