/** The charge request. */
import { knownFields, JsonNumber, toMinor, type Ability } from '@paywright/contract';
import { chargeOutcome } from './charge.ts';
import type { Options } from './options.ts';
import { errors, post } from './wire.ts';

export const submit: Ability<'submit', Options, 'token'> = async (payment, { options, http, returnUrl }) => {
  const { reference, token, money, payer, is3ds } = payment;
  const known = knownFields(payer);
  const charge = {
    mid: options.merchantId,
    ref: reference,
    token,
    minor: new JsonNumber(toMinor(money)),
    cur: money.currency,
    auth3: is3ds === undefined ? 'auto' : is3ds ? 'force' : 'skip',
    payer: {
      name: known.name,
      mail: known.email,
      phone: known.phoneNumber,
      line: known.address,
      city: known.city,
      region: known.state,
      zip: known.postalCode,
      country: known.country,
      ip: payer.ipAddress,
    },
    browser: payment.browserInfo ?? null,
    back: returnUrl(payment.paymentRequestId),
  };
  const reply = await http.send(post(options, '/v1/charges', charge, reference));
  return [200, 201, 402].includes(reply.status) ? chargeOutcome(reply, payment, options) : errors.toOutcome(reply);
};
