/** Submits the charge. */
import { knownFields, JsonNumber, toMinor, type Ability } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post } from './wire.ts';

/** The fields of the payer that banks check. The provider needs no other, so the payer's page asks for no other. */
export const payerFields = ['name', 'email', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

export const submit: Ability<'submit', Options, 'card', Known> = async (payment, ctx) => {
  const { reference, money, card, payer, is3ds } = payment;
  const known = knownFields(payer);
  const charge = {
    mid: ctx.options.merchantId,
    gw_ref: reference,
    minor: new JsonNumber(toMinor(money)),
    cur: money.currency,
    card: { pan: card.number, exp: `${card.expiryYear}-${card.expiryMonth}`, cvv: card.cvv },
    payer: { name: known.name, email: known.email, phone: known.phoneNumber, ip: payer.ipAddress },
    address: {
      street: known.address,
      city: known.city,
      state: known.state,
      zip: known.postalCode,
      country: known.country,
    },
    secure: is3ds === undefined ? 'auto' : is3ds ? 'demand' : 'skip',
    delayHours: payment.captureDelayHours ?? 0,
    termUrl: `${ctx.publicUrl}/callbacks/3ds`,
    browser: payment.browserInfo ?? null,
  };
  return chargeOutcome(await ctx.http.send(post('/v1/charges', reference, charge, ctx)), payment, ctx);
};
