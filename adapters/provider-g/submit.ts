/** Submits the charge. */
import { JsonNumber, toMinor, type Ability } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { post } from './wire.ts';

export const submit: Ability<'submit', Options, 'card'> = async (payment, ctx) => {
  const { reference, money, card, payer, is3ds } = payment;
  const charge = {
    mid: ctx.options.merchantId,
    gw_ref: reference,
    minor: new JsonNumber(toMinor(money)),
    cur: money.currency,
    card: { pan: card.number, exp: `${card.expiryYear}-${card.expiryMonth}`, cvv: card.cvv },
    payer: { name: payer.name, email: payer.email, phone: payer.phoneNumber, ip: payer.ipAddress },
    address: {
      street: payer.address,
      city: payer.city,
      state: payer.state,
      zip: payer.postalCode,
      country: payer.country,
    },
    secure: is3ds === undefined ? 'auto' : is3ds ? 'demand' : 'skip',
    delayHours: payment.captureDelayHours ?? 0,
    termUrl: `${ctx.publicUrl}/callbacks/3ds`,
    browser: payment.browserInfo ?? null,
  };
  return chargeOutcome(await ctx.http.send(post('/v1/charges', reference, charge, ctx)), payment, ctx);
};
