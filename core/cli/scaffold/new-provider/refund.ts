/** Money back, by a key of its own: a repetition of one refund gives nothing back twice. */
import {
  JsonNumber,
  jsonDigits,
  nothingCharged,
  readAs,
  readJsonObject,
  toMinor,
  unknown,
  v,
  type HttpReply,
  type HttpRequest,
  type Outcome,
  type RefundRequest,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { errorOutcome, post } from './submit.ts';
import { decide, undecided } from './undecided.ts';

const Refund = v.object({
  id: v.pipe(v.string(), v.minLength(1)),
  reference: v.string(),
  amount: jsonDigits(15),
  status: v.string(),
});

/** `id` is New Provider's reference of the payment. */
export function refundRequest(id: string, { reference, money, note }: RefundRequest, options: Options): HttpRequest {
  const amount = new JsonNumber(toMinor(money));
  const body = { account: options.account, reference, amount, currency: money.currency, note };
  const path = decide(undecided.refund, `/v1/payments/${encodeURIComponent(id)}/refunds`);
  return post(options, path, reference, body);
}

export function refundOutcome(reply: HttpReply, { reference, money }: RefundRequest): Outcome {
  if (reply.status !== 200) return errorOutcome(reply);
  const refund = readAs(Refund, readJsonObject(reply.body));
  if (refund?.reference !== reference || refund.amount !== toMinor(money)) return unknown('not about this refund');
  const { id: providerReference, status } = refund;
  switch (status) {
    case 'done':
      return { outcome: 'succeeded', providerReference };
    case 'queued':
      return { outcome: 'pending', providerReference };
    case 'declined':
      return nothingCharged('New Provider declined the refund');
    default:
      return { outcome: 'unknown', providerReference, unknownStatus: status };
  }
}
