/** Giving money back: what we ask, what the server answers, and how a refund stands when it is asked for. */
import {
  formatAmount,
  isSameMoney,
  noNews,
  nothingCharged,
  readAs,
  readJsonObject,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type RefundRequest,
  type StatusReport,
  type StoredPayment,
} from '@gateway/contract';
import { errorOutcome, readError } from './call.ts';
import { Amount, moneyOf } from './invoice.ts';
import type { Options } from './options.ts';

export function refundMessage({ money }: RefundRequest): unknown {
  return { sum: formatAmount(money), unit: money.currency };
}

const Refund = v.object({
  refund: v.pipe(v.string(), v.nonEmpty()),
  invoice: v.string(),
  storeId: v.string(),
  state: v.string(),
  sum: Amount,
  unit: v.string(),
});
type Refund = v.InferOutput<typeof Refund>;

/** The refund of an answer; undefined where it cannot be read, or is none of this invoice of ours. */
function readRefund({ body }: HttpReply, invoice: string, { storeId }: Options): Refund | undefined {
  const refund = readAs(Refund, readJsonObject(body));
  return refund?.storeId === storeId && refund.invoice === invoice ? refund : undefined;
}

export function refundOutcome(reply: HttpReply, invoice: string, { money }: RefundRequest, options: Options): Outcome {
  const { code, named } = readError(reply);
  if (reply.status === 422 && code === 'refused') return nothingCharged(named);
  if (reply.status !== 202 && reply.status !== 200) return errorOutcome(reply);
  const made = readRefund(reply, invoice, options);
  if (!made || !isSameMoney(moneyOf(made.sum, made.unit), money))
    return unknown('the answer is no answer about this refund');
  const { refund: providerReference, state } = made;
  switch (state) {
    case 'created':
      return { outcome: 'pending', providerReference };
    case 'done':
      return { outcome: 'succeeded', providerReference };
    case 'failed':
    case 'reversed':
      return { ...nothingCharged(`the refund is ${state}`), providerReference };
    default:
      return { outcome: 'pending', providerReference, unknownWord: state };
  }
}

/** The refund as it stands; `asked` is the server's own reference of it, and `invoice` that of the payment. */
export function readRefundStatus(
  reply: HttpReply,
  { reference }: StoredPayment,
  asked: string,
  invoice: string,
  options: Options,
): StatusReport {
  const { named } = readError(reply);
  if (reply.status !== 200) return noNews(named);
  const found = readRefund(reply, invoice, options);
  if (found?.refund !== asked) return noNews('the answer is no refund of this payment');
  const { refund: subReference, state, sum, unit } = found;
  return {
    news: 'events',
    events: [
      {
        kind: 'refund',
        word: `refund.${state}`,
        reference,
        providerReference: invoice,
        subReference,
        ...moneyOf(sum, unit),
        dedupeKey: `${subReference}:${state}`,
      },
    ],
  };
}
