/** Submits the payment: what we send to Adyen. */
import {
  defined,
  knownFields,
  narrowCountry,
  narrowEmail,
  narrowText,
  readBrowserInfo,
  refusedField,
  type Ability,
  type AdapterContext,
  type PayerFields,
  type Submission,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { paymentOutcome } from './payment.ts';
import { post, toAmount, tooFine, writeReference } from './wire.ts';

/** The fields of the payer with which Adyen authenticates a payer more often without a challenge. */
export const payerFields = ['name', 'email', 'address', 'city', 'state', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

export const submit: Ability<'submit', Options, 'card', Known> = async (payment, ctx) => {
  const body = paymentRequest(payment, ctx);
  if (!body) return refusedField('amount', tooFine(payment.money));
  return paymentOutcome(await ctx.http.send(post(ctx.options, '/payments', payment.reference, body)), payment);
};

/** The body of POST /payments. JSON leaves out undefined members. */
export function paymentRequest(
  { reference, money, card, payer, browserInfo, captureDelayHours = 0, is3ds }: Submission<'card', Known>,
  { options, threeDsReturnUrl = '' }: AdapterContext<Options>,
) {
  const amount = toAmount(money);
  const known = knownFields(payer);
  return (
    amount && {
      merchantAccount: options.merchantAccount,
      reference: writeReference(reference, captureDelayHours > 0),
      amount,
      paymentMethod: {
        type: 'scheme' as const,
        number: card.number,
        expiryMonth: card.expiryMonth,
        expiryYear: card.expiryYear,
        cvc: card.cvv,
        ...defined({ holderName: known.name }),
      },
      channel: 'Web' as const,
      shopperInteraction: 'Ecommerce' as const,
      ...defined({
        shopperEmail: narrowEmail(known.email, MAX_EMAIL),
        telephoneNumber: known.phoneNumber,
        countryCode: narrowCountry(known.country, ownCountries),
        shopperIP: payer.ipAddress ?? undefined,
      }),
      ...defined({ billingAddress: billingAddress(known), browserInfo: toBrowserInfo(browserInfo) }),
      captureDelayHours,
      authenticationData: {
        ...(is3ds === undefined ? {} : { attemptAuthentication: is3ds ? ('always' as const) : ('never' as const) }),
        threeDSRequestData: { nativeThreeDS: 'disabled' as const },
      },
      returnUrl: threeDsReturnUrl,
      redirectFromIssuerMethod: 'GET',
    }
  );
}

/** Adyen's code for Kosovo. */
const ownCountries = { XK: 'QZ' };
/** The longest e-mail address of the interface. Adyen publishes no bound, and demands the form of RFC 5322: ASCII. */
const MAX_EMAIL = 100;
const MAX_POSTAL = 10;
const MAX_POSTAL_US = 5;

const beforeNumber = /(?<=[^ ,])[ ,]+(?=\d)/g;
const numberFirst = /^(\d\S*)[ ,]+(\S.*)$/s;

/**
 * All members of Adyen's address are required, with the house number as one of them, and the state in the United States
 * and Canada. An address that lacks one is left out as a whole.
 */
function billingAddress({ address = '', city, postalCode = '', country, state = '' }: Partial<PayerFields>) {
  const [street, house] = splitLastNumber(address) ?? numberFirst.exec(address)?.slice(1).toReversed() ?? [];
  const code = narrowCountry(country, ownCountries);
  const needsState = country === 'US' || country === 'CA';
  const stateOrProvince = /^[A-Z]{2}$/i.test(state) ? state.toUpperCase() : undefined;
  const postal = narrowText(postalCode, { maxLength: country === 'US' ? MAX_POSTAL_US : MAX_POSTAL });
  if (street === undefined || house === undefined || city === undefined || code === undefined || !postal)
    return undefined;
  if (needsState && !stateOrProvince) return undefined;
  const named = needsState ? defined({ stateOrProvince }) : {};
  return { street, houseNumberOrName: house, city, postalCode: postal, country: code, ...named };
}

/** The street, and a last word that starts with a digit. */
function splitLastNumber(address: string): [street: string, house: string] | undefined {
  const last = [...address.matchAll(beforeNumber)].at(-1);
  if (!last) return undefined;
  const house = address.slice(last.index + last[0].length);
  return /\s/.test(house) ? undefined : [address.slice(0, last.index), house];
}

/** Adyen accepts browser data only if it is complete. Incomplete data is left out. */
function toBrowserInfo(browser: Submission<'card'>['browserInfo'] = {}) {
  const { acceptHeader, javaEnabled, javascriptEnabled, language, userAgent, ...texts } =
    readBrowserInfo(browser) ?? {};
  const { colorDepth, screenHeight, screenWidth, timezone } = texts;
  if (!colorDepth || !screenHeight || !screenWidth || !timezone) return undefined;
  if (!acceptHeader || !language || !userAgent || javaEnabled === undefined) return undefined;
  return {
    acceptHeader,
    colorDepth: Number(colorDepth),
    javaEnabled,
    ...defined({ javaScriptEnabled: javascriptEnabled }),
    language,
    screenHeight: Number(screenHeight),
    screenWidth: Number(screenWidth),
    timeZoneOffset: Number(timezone),
    userAgent,
  };
}
