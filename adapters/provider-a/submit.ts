/** The charge request. */
import { knownFields, type Ability, type AdapterContext, type Submission } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post, toSum } from './wire.ts';

/** The fields of the payer that banks check. The provider needs no other, so the payer's page asks for no other. */
export const payerFields = ['name', 'email', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

export const submit: Ability<'submit', Options, 'card', Known> = async (payment, ctx) => {
  const request = post(ctx.options, '/v1/charges', payment.reference, chargeBody(payment, ctx));
  return chargeOutcome(await ctx.http.send(request), payment);
};

/** JSON omits members that are undefined. */
function chargeBody(payment: Submission<'card', Known>, ctx: AdapterContext<Options>): unknown {
  const { reference, money, card, payer, browserInfo: browser, wallet, captureDelayHours = 0, is3ds } = payment;
  const known = knownFields(payer);
  return {
    acct: ctx.options.account,
    ref: reference,
    mode: ctx.sandbox ? 'test' : 'live',
    sum: toSum(money),
    card: {
      pan: card.number,
      expMonth: card.expiryMonth,
      expYear: card.expiryYear,
      cvc: card.cvv,
      holder: known.name,
    },
    payer: {
      name: known.name,
      mail: known.email,
      phone: known.phoneNumber,
      street: known.address,
      city: known.city,
      region: known.state,
      zip: known.postalCode,
      land: known.country,
      ip: payer.ipAddress,
    },
    capture: { delayHours: captureDelayHours },
    stepUp: is3ds === undefined ? 'auto' : is3ds ? 'force' : 'skip',
    device: browser && {
      accept: browser.acceptHeader,
      depth: browser.colorDepth,
      ip: browser.ip,
      java: browser.javaEnabled,
      script: browser.javascriptEnabled,
      language: browser.language,
      height: browser.screenHeight,
      width: browser.screenWidth,
      zone: browser.timezone,
      agent: browser.userAgent,
    },
    wallet: wallet && {
      kind: wallet.walletType,
      cryptogram: wallet.authenticationValue,
      xid: wallet.xid,
      eci: wallet.eci,
    },
    backUrl: ctx.callbackUrl('providerA3ds'),
  };
}
