/** A new deal: what we ask, and what F's answer says. */
import {
  declineOf,
  formatAmount,
  unknown,
  type AttemptFacts,
  type HttpReply,
  type Outcome,
  type Provider,
  type Submission,
} from '@gateway/contract';
import { faultOutcome } from './wire.ts';
import { actionOf, hasMoneyOf, isAbout, isWalletAddress, readDeal, type Deal } from './deal.ts';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';

/** Members in F's order. */
export function dealBody(
  { reference, money, payer, paymentRequestId }: Submission,
  { options, returnUrl }: Provider<Options>,
): unknown {
  return {
    shop: options.shopId,
    ref: reference,
    gross: { v: formatAmount(money), c: money.currency },
    payer: { name: payer.name, email: payer.email, phone: payer.phoneNumber, ip: payer.ipAddress },
    address: {
      street: payer.address,
      city: payer.city,
      state: payer.state,
      zip: payer.postalCode,
      country: payer.country,
    },
    backUrl: returnUrl(paymentRequestId),
  };
}

export function dealOutcome(reply: HttpReply, payment: AttemptFacts, provider: Provider<Options>): Outcome {
  if (reply.status !== 200 && reply.status !== 201) return faultOutcome(reply);
  const deal = readDeal(reply);
  if (!deal || !isAbout(deal, payment, provider.options) || !hasMoneyOf(deal, payment)) {
    return unknown('the answer shows no deal about this payment');
  }
  const providerReference = deal.id;
  if (typeof deal.goTo === 'string' && !isWalletAddress(deal.goTo, provider)) {
    return { outcome: 'unknown', providerReference, reason: 'the answer sends the payer to a host that is not F’s' };
  }
  return { providerReference, ...phaseOutcome(deal, provider) };
}

function phaseOutcome(deal: Deal, provider: Provider<Options>): Outcome {
  switch (deal.phase) {
    case 'settled':
      return { outcome: 'succeeded' };
    case 'open': {
      const action = actionOf(deal, provider);
      return { outcome: 'pending', ...(action ? { action } : {}) };
    }
    case 'held':
      return { outcome: 'pending', authorised: true };
    case 'dropped':
      return { outcome: 'failed', ...declineOf(declines, deal.why) };
    case 'left':
    case 'lapsed':
      return { outcome: 'failed' };
    default:
      return { outcome: 'pending', unknownWord: deal.phase };
  }
}
