/** Submits a card payment: as an XML order, or as a token for a payment of an h2h endpoint. */
import {
  everyField,
  knownFields,
  declineOf,
  unknown,
  v,
  writeXml,
  type Ability,
  type AttemptFacts,
  type Outcome,
  type Submission,
} from '@paywright/contract';
import type { Context, Options } from './options.ts';
import { isOver, latestResult } from './order.ts';
import { kindOfResult, resultDeclines, transactionDeclines } from './statuses.ts';
import { isSum, SaleClaims, toSum } from './transaction.ts';
import { askByToken, askByXml, failureOutcome, orderMessage, takesH2h, writeSum, type Answer } from './wire.ts';

/** The fields of the payer that banks check. The provider needs no other, so the payer's page asks for no other. */
export const payerFields = ['name', 'email', 'postalCode', 'country'] as const;
type Known = (typeof payerFields)[number];

type Payment = Submission<'card', Known>;

export const submit: Ability<'submit', Options, 'card', Known> = (payment, ctx) =>
  takesH2h(payment, ctx.options) ? sell(payment, ctx) : order(payment, ctx);

async function order(payment: Payment, ctx: Context): Promise<Outcome> {
  const { reference, money, card, payer, captureDelayHours = 0 } = payment;
  // E's XML has every attribute but `ip`, so a field that is not known is empty.
  const known = everyField(payer);
  const message = orderMessage(
    'submit',
    ctx.options,
    { code: reference, capture: String(captureDelayHours) },
    writeSum(money),
    writeXml('card', { number: card.number, month: card.expiryMonth, year: card.expiryYear, cvv: card.cvv }),
    writeXml('payer', {
      name: known.name,
      email: known.email,
      phone: known.phoneNumber,
      ip: payer.ipAddress ?? undefined,
    }),
    writeXml('address', {
      street: known.address,
      city: known.city,
      state: known.state,
      postal: known.postalCode,
      country: known.country,
    }),
  );
  const answer = await askByXml(payment, '/orders', ctx, message);
  if ('failure' in answer) return failureOutcome(answer.failure);
  const result = latestResult(answer.said, ({ kind }) => kindOfResult(kind) === 'payment');
  if (!result || !isOver(result, money)) return unknown('the answer has no result of the payment with its amount');
  const { kind, why, whyText } = result;
  const { txn: providerReference } = answer.said;
  switch (kind) {
    case 'CAPTURED':
      return { outcome: 'succeeded', providerReference };
    case 'REFUSED':
      return { outcome: 'failed', providerReference, ...declineOf(resultDeclines, why, whyText) };
    case 'AUTHORISED':
      return { outcome: 'pending', providerReference, authorised: true };
    case 'SENT':
      return { outcome: 'pending', providerReference };
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: kind };
  }
}

async function sell(payment: Payment, ctx: Context): Promise<Outcome> {
  const { money, card, payer, captureDelayHours: delay = 0 } = payment;
  const known = knownFields(payer);
  const claims = {
    sum: toSum(money),
    cur: money.currency,
    card: { no: card.number, exp: card.expiryMonth + card.expiryYear.slice(2), cvv: card.cvv },
    payer: { name: known.name, email: known.email, phone: known.phoneNumber, ip: payer.ipAddress },
    addr: {
      street: known.address,
      city: known.city,
      state: known.state,
      zip: known.postalCode,
      country: known.country,
    },
    delay,
  };
  return saleOutcome(await askByToken(payment, '/h2h/payments', claims, SaleClaims, ctx), payment);
}

/** The outcome of a sale, or of its confirmation. */
export function saleOutcome(
  answer: Answer<v.InferOutput<typeof SaleClaims>>,
  { reference, money }: AttemptFacts,
): Outcome {
  if ('failure' in answer) return failureOutcome(answer.failure);
  const { inv, op, rc, why, tranRef: providerReference } = answer.said;
  if (inv !== reference || op !== 'sale' || !isSum(answer.said, money)) {
    return unknown('the answer is about another payment');
  }
  switch (rc) {
    case '0000':
      return { outcome: 'succeeded', providerReference };
    case '2000':
      return { outcome: 'pending', providerReference };
    case '2001':
      return { outcome: 'pending', providerReference, action: { type: 'confirm', paymentId: providerReference } };
    case '2002':
      return { outcome: 'pending', providerReference, authorised: true };
    default:
      return /^4\d{3}$/.test(rc)
        ? { outcome: 'failed', providerReference, ...declineOf(transactionDeclines, rc, why) }
        : { outcome: 'unknown', providerReference, unknownStatus: rc };
  }
}
