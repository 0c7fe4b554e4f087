import type { NotificationType, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { decide } from './decide.ts';
import type { Fact } from './fact.ts';
import type { FeeOf } from './fee.ts';

interface AppliedFacts {
  readonly next: PaymentRecord;
  readonly notify: readonly NotificationType[];
}

/** Applies several facts in one change. Undefined if none of them changes anything. */
export function applyFacts(record: PaymentRecord, facts: readonly Fact[], feeOf: FeeOf): AppliedFacts | undefined {
  let next = record;
  const notify: NotificationType[] = [];
  for (const fact of facts) {
    const decision = decide(next, fact, feeOf);
    if (decision.kind === 'nothing') continue;
    next = decision.next;
    if (decision.kind === 'changed') notify.push(...decision.notify);
  }
  return next === record ? undefined : { next, notify };
}
