/** Creates a deal and reads F's answer. */
import { knownFields, declineOf, formatAmount, unknown, type Ability, type Outcome } from '@paywright/contract';
import { actionOf, hasMoneyOf, isAbout, isWalletAddress, readDeal, type Deal } from './deal.ts';
import type { Context, Options } from './options.ts';
import { declines } from './statuses.ts';
import { faultOutcome, post } from './wire.ts';

/** The fields of the payer that the wallet needs. The payer's page asks for no other. */
export const payerFields = ['name', 'email', 'country'] as const;
type Known = (typeof payerFields)[number];

export const submit: Ability<'submit', Options, 'billing', Known> = async (payment, ctx) => {
  const { reference, money, payer, paymentRequestId } = payment;
  const { options, http, returnUrl } = ctx;
  const known = knownFields(payer);
  const wanted = {
    shop: options.shopId,
    ref: reference,
    gross: { v: formatAmount(money), c: money.currency },
    payer: { name: known.name, email: known.email, phone: known.phoneNumber, ip: payer.ipAddress },
    address: {
      street: known.address,
      city: known.city,
      state: known.state,
      zip: known.postalCode,
      country: known.country,
    },
    backUrl: returnUrl(paymentRequestId),
  };
  const reply = await http.send(post(options, '/v1/deals', wanted, reference));
  if (reply.status !== 200 && reply.status !== 201) return faultOutcome(reply);
  const deal = readDeal(reply);
  if (!deal || !isAbout(deal, { reference }, options) || !hasMoneyOf(deal, payment)) {
    return unknown('the answer does not show a deal about this payment');
  }
  const providerReference = deal.id;
  if (typeof deal.goTo === 'string' && !isWalletAddress(deal.goTo, ctx)) {
    return { outcome: 'unknown', providerReference, reason: 'the answer sends the payer to a host that is not F’s' };
  }
  return { providerReference, ...outcomeOf(deal, ctx) };
};

function outcomeOf(deal: Deal, ctx: Context): Outcome {
  switch (deal.phase) {
    case 'settled':
      return { outcome: 'succeeded' };
    case 'open':
      return { outcome: 'pending', ...actionOf(deal, ctx) };
    case 'held':
      return { outcome: 'pending', authorised: true };
    case 'dropped':
      return { outcome: 'failed', ...declineOf(declines, deal.why) };
    case 'left':
    case 'lapsed':
      return { outcome: 'failed' };
    default:
      return { outcome: 'pending', unknownStatus: deal.phase };
  }
}
