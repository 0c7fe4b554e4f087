/** The members of a payment by which operators find it. They follow from its other members with every change. */
import { isDeepStrictEqual } from 'node:util';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import { searchKeysOf } from '../record/search-keys.ts';
import { problemsOf } from './problems.ts';

const sources = ['client', 'payerName', 'payerEmail', 'payerPhone'] as const satisfies (keyof PaymentRecord)[];

/**
 * Returns the record itself if these members stay equal, so that they are not written again. `before`: the payment
 * before the change, or the record itself if its members may be wrong.
 */
export function withSearchMembers(record: PaymentRecord, before?: PaymentRecord): PaymentRecord {
  const isSamePayer =
    before !== record && before?.searchKeys !== undefined && sources.every((name) => record[name] === before[name]);
  const searchKeys = isSamePayer ? before.searchKeys : searchKeysOf(record);
  const problems = problemsOf(record);
  const isSame = (value: readonly string[], stored: readonly string[] = []): boolean =>
    isDeepStrictEqual(value, stored);
  const [hasKeys, hasProblems] = [!isSame(searchKeys, before?.searchKeys), !isSame(problems, before?.problems)];
  if (!hasKeys && !hasProblems) return record;
  return { ...record, ...(hasKeys && { searchKeys }), ...(hasProblems && { problems }) };
}
