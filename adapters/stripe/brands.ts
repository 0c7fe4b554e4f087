/** The methods of Checkout as payers know them. */
import { brands, wordmark, type Brand } from '@paywright/contract';
import { shownMethods, type Options } from './options.ts';

export const cards: readonly Brand[] = [brands.visa, brands.mastercard, brands.americanExpress];

const byMethod: Readonly<Record<(typeof shownMethods)[number], readonly Brand[]>> = {
  card: cards,
  apple_pay: [wordmark('Apple Pay', '#15181e')],
  google_pay: [brands.googlePay],
  link: [wordmark('Link', '#0b7443')],
  paypal: [wordmark('PayPal', '#1f3f8f')],
  klarna: [wordmark('Klarna', '#15181e')],
  ideal: [wordmark('iDEAL', '#c8005f')],
  bancontact: [wordmark('Bancontact', '#1d4f91')],
  eps: [wordmark('eps', '#8a1a4b')],
  p24: [wordmark('Przelewy24', '#b3261e', 'P24')],
  blik: [wordmark('BLIK', '#15181e')],
  twint: [wordmark('TWINT', '#15181e')],
  mobilepay: [wordmark('MobilePay', '#3a4bb3')],
  amazon_pay: [wordmark('Amazon Pay', '#8a4b08')],
  revolut_pay: [wordmark('Revolut Pay', '#15181e')],
};

/** In the order of the table, whatever the order of the option. */
export function pageBrands({ pageShows }: Pick<Options, 'pageShows'>): readonly Brand[] {
  return shownMethods.filter((method) => pageShows.includes(method)).flatMap((method) => byMethod[method]);
}
