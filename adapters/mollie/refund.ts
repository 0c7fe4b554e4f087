/** Refunds a payment. The refund carries our reference. */
import {
  isSameMoney,
  readJsonBody,
  toRefundOutcome,
  unknown,
  urlPath,
  v,
  type Ability,
  type HttpReply,
  type Outcome,
  type RefundRequest,
} from '@paywright/contract';
import { AcceptedRefund, toRefundEvent } from './embedded.ts';
import type { Options } from './options.ts';
import { mapStatus } from './statuses.ts';
import { errors, get, post, toAmount } from './wire.ts';

const List = v.object({
  _embedded: v.object({ refunds: v.array(AcceptedRefund) }),
  _links: v.object({ next: v.nullish(v.unknown()) }),
});

/** All refunds of a payment. Undefined if the answer is not a list of refunds, or the list is incomplete. */
function readRefunds(reply: HttpReply): readonly AcceptedRefund[] | undefined {
  const list = reply.status === 200 ? readJsonBody(List, reply) : undefined;
  return list && !list._links.next ? list._embedded.refunds : undefined;
}

export function refundMessage({ reference, money }: Pick<RefundRequest, 'reference' | 'money'>) {
  return { amount: toAmount(money), description: reference, metadata: { gateway_refund: reference } };
}

export const refund: Ability<'refund', Options> = async (payment, asked, { http, options }) => {
  const id = payment.providerReference!;
  const path = urlPath`/v2/payments/${id}/refunds`;
  // Mollie forgets an idempotency key after an hour; a repetition would then refund twice.
  if (asked.isRepetition) {
    const known = readRefunds(await http.send(get(options, `${path}?limit=250`)));
    if (!known) return unknown('the answer does not list the refunds of this payment');
    const made = known.find(({ metadata }) => metadata?.gateway_refund === asked.reference);
    if (made) return outcomeOf(made, id, asked);
  }
  const reply = await http.send(post(options, path, refundMessage(asked), asked.reference));
  if (reply.status === 201) {
    const made = readJsonBody(AcceptedRefund, reply);
    return made ? outcomeOf(made, id, asked) : unknown('the answer is not a refund');
  }
  // Mollie may report our own first request as the duplicate; it may not be listed yet.
  if (asked.isRepetition && reply.status === 409) return unknown(errors.read(reply).named);
  return errors.toRefundOutcome(reply);
};

function outcomeOf(made: AcceptedRefund, paymentId: string, { reference, money }: RefundRequest): Outcome {
  const isOurs = (made.paymentId ?? paymentId) === paymentId && made.metadata?.gateway_refund === reference;
  if (!isOurs || !isSameMoney(made.amount, money)) return unknown('the answer is not about this refund');
  const { id: providerReference, status: providerStatus } = made;
  if (providerStatus === undefined) return { outcome: 'pending', providerReference };
  const event = toRefundEvent({ ...made, status: providerStatus }, { reference: null, providerReference: paymentId });
  return toRefundOutcome(mapStatus(event, 'fetch'), {
    providerReference,
    providerStatus,
    reason: `the refund is ${providerStatus}`,
  });
}
