/** Sends a payment to New Provider. */
import { JsonNumber, toMinor, type Ability } from '@paywright/contract';
import type { Options } from './options.ts';
import { paymentOutcome } from './payment.ts';
import { decide, undecided } from './undecided.ts';
import { post } from './wire.ts';

/** The payer's data that New Provider needs: the manifest asks for these fields, so each submission has them. */
export const payerFields = ['name', 'email', 'country'] as const;
type Fields = (typeof payerFields)[number];

export const submit: Ability<'submit', Options, 'card', Fields> = async (payment, ctx) => {
  const { reference, money, payer, paymentRequestId } = payment;
  const message = {
    account: ctx.options.account,
    reference,
    amount: new JsonNumber(toMinor(money)),
    currency: money.currency,
    payer: { name: payer.name, email: payer.email, country: payer.country },
    // for: card
    card: {
      number: payment.card.number,
      month: payment.card.expiryMonth,
      year: payment.card.expiryYear,
      cvc: payment.card.cvv,
    },
    // end
    // for: token
    //: token: payment.token,
    // end
    // for: upi
    //: upiId: payment.upiId,
    // end
    // for: card token
    threeDs: payment.is3ds === undefined ? 'auto' : payment.is3ds ? 'demand' : 'skip',
    challengeReturnUrl: `${ctx.publicUrl}/callbacks/3ds`,
    // end
    noticeUrl: ctx.callbackUrl('newProvider'),
    returnUrl: ctx.returnUrl(paymentRequestId),
  };
  const reply = await ctx.http.send(post(ctx.options, decide(undecided.request, '/v1/payments'), reference, message));
  // for: card token
  return paymentOutcome(reply, payment, ctx);
  // end
  // for: billing upi
  //: return paymentOutcome(reply, payment);
  // end
};
