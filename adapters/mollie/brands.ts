/** The methods of Mollie's page as payers know them. */
import { brands, wordmark, type Brand } from '@paywright/contract';
import { pageMethods, type Options } from './options.ts';

type PageMethod = (typeof pageMethods)[number];

const byMethod: Readonly<Record<PageMethod, readonly Brand[]>> = {
  ideal: [wordmark('iDEAL', '#c8005f')],
  paypal: [wordmark('PayPal', '#1f3f8f')],
  bancontact: [wordmark('Bancontact', '#1d4f91')],
  creditcard: [brands.visa, brands.mastercard, brands.americanExpress],
  applepay: [wordmark('Apple Pay', '#15181e')],
  eps: [wordmark('eps', '#8a1a4b')],
  blik: [wordmark('BLIK', '#15181e')],
  przelewy24: [wordmark('Przelewy24', '#b3261e', 'P24')],
  twint: [wordmark('TWINT', '#15181e')],
  swish: [wordmark('Swish', '#0b7443')],
  vipps: [wordmark('Vipps', '#b3400a')],
  mobilepay: [wordmark('MobilePay', '#3a4bb3')],
  bizum: [wordmark('Bizum', '#0b6e78')],
  mbway: [wordmark('MB WAY', '#b3261e')],
  multibanco: [wordmark('Multibanco', '#1d4f91')],
  satispay: [wordmark('Satispay', '#b3261e')],
  bancomatpay: [wordmark('BANCOMAT Pay', '#1d4f91')],
  mybank: [wordmark('MyBank', '#0b6e78')],
  trustly: [wordmark('Trustly', '#0b7443')],
  belfius: [wordmark('Belfius', '#8a1a4b')],
  kbc: [wordmark('KBC', '#1b75bb')],
  paybybank: [wordmark('Pay by Bank', '#3c4043')],
  bacs: [wordmark('Bacs', '#3c4043')],
  banktransfer: [wordmark('Bank transfer', '#3c4043')],
  giftcard: [wordmark('Gift cards', '#8a1a4b')],
  paysafecard: [wordmark('paysafecard', '#1d4f91')],
};

/** Without `methods` the profile decides what the page offers, so nothing is promised. */
export function pageBrands({ methods = [] }: Pick<Options, 'methods'>): readonly Brand[] {
  const known = Object.keys(byMethod) as PageMethod[];
  // The order of the table, not of the options: what payers know best comes first.
  return known.filter((method) => methods.includes(method)).flatMap((method) => byMethod[method]);
}
