/** Money back: what we ask, and what G's answer says. */
import {
  jsonDigits,
  JsonNumber,
  readAs,
  stringifyExact,
  unknown,
  v,
  type HttpReply,
  type Outcome,
  type Provider,
  type RefundRequest,
  type StoredPayment,
} from '@gateway/contract';
import type { Options } from './options.ts';
import { errorOutcome, openReply } from './reply.ts';
import { MAX_DIGITS, Text } from './words.ts';

/** A refund of `minor`, in digits, from the charge `g_txn`. */
export interface RefundFacts {
  readonly g_txn: string;
  readonly gw_ref: string;
  readonly minor: string;
  readonly cur: string;
}

export function refundFacts({ reference }: StoredPayment, g_txn: string, minor: string, cur: string): RefundFacts {
  return { g_txn, gw_ref: reference, minor, cur };
}

export function refundText({ minor, ...facts }: RefundFacts, { merchantId }: Options): string {
  const { g_txn, gw_ref, cur } = facts;
  return stringifyExact({ mid: merchantId, g_txn, gw_ref, minor: new JsonNumber(minor), cur });
}

const Answer = v.object({
  g_txn: v.string(),
  gw_ref: v.string(),
  status: v.string(),
  minor: jsonDigits(MAX_DIGITS),
  cur: v.string(),
  why: Text,
});

/** G has no number of its own for a refund: its reference is the payment's. */
export async function refundOutcome(
  reply: HttpReply,
  asked: RefundFacts,
  { reference }: RefundRequest,
  provider: Provider<Options>,
): Promise<Outcome> {
  if (reply.status !== 200) return errorOutcome(reply);
  const answer = readAs(Answer, await openReply(reply, reference, provider));
  const isOurs = answer && (['g_txn', 'gw_ref', 'minor', 'cur'] as const).every((name) => answer[name] === asked[name]);
  if (!isOurs) return unknown('the answer is no proven one about this refund');
  const { g_txn: providerReference, status, why } = answer;
  switch (status) {
    case 'REFUND_WAIT':
      return { outcome: 'pending', providerReference };
    case 'REFUND_OK':
      return { outcome: 'succeeded', providerReference };
    case 'REFUND_BAD':
      return { outcome: 'failed', nothingCharged: true, providerReference, reason: why ?? 'G refused the refund' };
    default:
      return { outcome: 'unknown', providerReference, unknownWord: status };
  }
}
