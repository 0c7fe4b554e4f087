/** A merchant's list of payment requests and the timeline of one. Read by `http`. */
import type { PaymentRequestView } from './answer.ts';

export interface ListQuery {
  readonly status?: number;
  readonly referenceId?: string;
  readonly clientId?: number;
  readonly providerId?: number;
  readonly methodId?: number;
  /** `<adapter>/<account>` of the latest attempt. */
  readonly providerAccount?: string;
  readonly createdFrom?: Date;
  readonly createdTo?: Date;
  readonly limit: number;
  readonly cursor?: string;
}

export interface ListPage {
  readonly items: readonly PaymentRequestView[];
  readonly nextCursor: string | null;
}

export interface TimelineItem {
  readonly at: Date;
  readonly kind: 'request' | 'answer' | 'callback' | 'event' | 'transition' | 'notification';
  readonly [member: string]: unknown;
}
