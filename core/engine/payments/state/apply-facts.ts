import type { Notice, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { decide } from './decide.ts';
import type { Fact } from './fact.ts';
import type { FeeOf } from './fee.ts';

export interface AppliedFacts {
  readonly next: PaymentRecord;
  readonly notify: readonly Notice[];
}

/** Applies several facts in one change. Undefined if none of them changes anything. */
export function applyFacts(record: PaymentRecord, facts: readonly Fact[], feeOf: FeeOf): AppliedFacts | undefined {
  let next = record;
  const notify: Notice[] = [];
  for (const fact of facts) {
    const decision = decide(next, fact, feeOf);
    if (decision.kind === 'nothing') continue;
    next = decision.next;
    if (decision.kind === 'changed') notify.push(...decision.notify);
  }
  return next === record ? undefined : { next, notify };
}
