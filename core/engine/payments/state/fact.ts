/** Facts about a payment, and decisions about them. */
import type { Notice, PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { CollectionFact } from './apply-collection.ts';
import type { EventFact } from './apply-event.ts';
import type { NotFoundFact } from './apply-not-found.ts';
import type { CloseFact } from './apply-close.ts';
import type { CancelFact, ExpireFact, ReplaceFact } from './apply-replacement.ts';
import type { RefundNotShownFact } from './apply-refund-not-shown.ts';
import type { RefundSettledFact } from './apply-refund-settled.ts';
import type { OutcomeFact, RefundOutcomeFact } from './apply-outcome.ts';

export type Fact =
  | OutcomeFact
  | EventFact
  | RefundOutcomeFact
  | CollectionFact
  | NotFoundFact
  | RefundNotShownFact
  | RefundSettledFact
  | ReplaceFact
  | CancelFact
  | ExpireFact
  | CloseFact;

/** `fetch`: the status must be fetched, because the fact cannot be believed without that. */
export type Decision =
  | { readonly kind: 'changed'; readonly next: PaymentRecord; readonly notify: readonly Notice[] }
  | { readonly kind: 'refused'; readonly next: PaymentRecord; readonly fetch: boolean; readonly reason: string }
  | { readonly kind: 'nothing'; readonly reason: string };
