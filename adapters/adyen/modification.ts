/**
 * Requests after the payment (capture, cancel, refund). Adyen only confirms that it received the request; a webhook
 * reports the result.
 */
import {
  filled,
  nothingCharged,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type AdapterContext,
  type Money,
  type Outcome,
} from '@paywright/contract';
import type { Options } from './options.ts';
import { Amount, errors, isAmount, post, toAmount, tooFine } from './wire.ts';

const Received = v.object({
  merchantAccount: v.string(),
  paymentPspReference: v.string(),
  pspReference: filled,
  reference: v.string(),
  status: filled,
  amount: v.nullish(Amount),
});

/** A request about the payment `pspReference`. */
export interface Modification {
  readonly what: 'refunds' | 'captures' | 'cancels';
  readonly pspReference: string;
  /** Our reference of the request, also used as its idempotency key. */
  readonly reference: string;
  /** Absent for a cancel, which always releases the complete reservation. */
  readonly money?: Money;
}

export async function modify(asked: Modification, { http, options }: AdapterContext<Options>): Promise<Outcome> {
  const { what, pspReference, reference, money } = asked;
  const body = modificationRequest(asked, options);
  if (!body) return nothingCharged(tooFine(money!));
  const reply = await http.send(post(options, urlPath`/payments/${pspReference}/${what}`, reference, body));
  if (reply.status !== 201) return errors.toRefundOutcome(reply);
  const answer = readJsonBody(Received, reply);
  const isOurs =
    answer?.merchantAccount === options.merchantAccount &&
    answer.paymentPspReference === pspReference &&
    answer.reference === reference &&
    (!money || (answer.amount && isAmount(answer.amount, money)));
  if (!isOurs) return unknown('the answer is not about this request');
  const { status, pspReference: providerReference } = answer;
  return toRefundOutcome(status === 'received' ? 'pending' : 'unknown', { providerReference, providerStatus: status });
}

/** The body of the request; undefined if Adyen has fewer decimals than the amount. */
export function modificationRequest({ reference, money }: Modification, { merchantAccount }: Options) {
  if (!money) return { merchantAccount, reference };
  const amount = toAmount(money);
  return amount && { merchantAccount, reference, amount };
}
