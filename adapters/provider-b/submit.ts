/**
 * The sale: its request and the meaning of its answer. A callback or a status fetch reports later whether it is paid.
 */
import { everyField, declineOf, formatAmount, toMinor, unknown, type Ability, type Outcome } from '@paywright/contract';
import type { Options } from './options.ts';
import { declines } from './statuses.ts';
import { isTxn, nameProblem, readAnswer, readRefusal, toCall, type Answer } from './wire.ts';

/** The fields of the payer that banks check. The provider needs no other, so the payer's page asks for no other. */
export const payerFields = ['name', 'email', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

export const submit: Ability<'submit', Options, 'card', Known> = async (payment, ctx) => {
  const { reference, money, card, payer } = payment;
  const { http, options } = ctx;
  const known = everyField(payer);
  const fields = {
    gw_ref: reference,
    total: formatAmount(money),
    cur: money.currency,
    pan: card.number,
    exp_month: card.expiryMonth,
    exp_year: card.expiryYear,
    cvv: card.cvv,
    holder: known.name,
    mail: known.email,
    phone: known.phoneNumber,
    addr: known.address,
    city: known.city,
    region: known.state,
    zip: known.postalCode,
    land: known.country,
    ip: payer.ipAddress ?? undefined,
    hook: ctx.callbackUrl('providerB'),
  };
  const signed = [options.endpoint, reference, toMinor(money), known.email];
  const reply = await http.send(toCall(options, 'sale', fields, signed));
  const answer = readAnswer(reply, reference);
  return readRefusal(reply, answer) ?? saleOutcome(answer, reference);
};

/** A sale that B accepted or declined. It is certain only if the answer names our reference and an id of B. */
export function saleOutcome(answer: Answer | undefined, reference: string): Outcome {
  const kind = answer?.get('kind') ?? '';
  const providerReference = answer?.get('b_txn');
  if (!answer || answer.get('gw_ref') !== reference || !isTxn(providerReference)) {
    return unknown(answer && kind === 'problem' ? nameProblem(answer) : 'no whole answer about this payment');
  }
  switch (kind) {
    case 'taken':
      return { outcome: 'pending', providerReference };
    case 'code':
      return { outcome: 'pending', providerReference, action: { type: 'confirm', paymentId: providerReference } };
    case 'declined': {
      const decline = declineOf(declines, answer.get('code'), answer.get('note'));
      return { outcome: 'failed', providerReference, ...decline };
    }
    default:
      return { outcome: 'unknown', providerReference, ...(kind ? { unknownStatus: kind } : {}) };
  }
}
