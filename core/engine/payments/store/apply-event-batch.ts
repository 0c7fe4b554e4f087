/**
 * Applies the events of provider callbacks to many payments at once. Callbacks hand over one batch and write the result
 * in their own transaction, so that a payment, its notifications and the callback's row change together or not at all.
 */
import type { mongo } from 'mongoose';
import { latestAttempt } from '../../../database/collections/attempt.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { Environment } from '../../../base/environment.ts';
import { openSpan, type OpenSpan } from '../../../base/traces/index.ts';
import { applyEvents, ourError, type AppliedEvent, type WaitingEvent } from '../state/apply-events.ts';
import type { FeeOf } from '../state/fee.ts';
import type { ChangeMany, PaymentStep } from './change-many.ts';

/** The events of one payment. */
export interface PaymentEvents {
  /** The request that causes the change. Its notifications carry this id. */
  readonly requestId: string;
  /** At least one, in the order in which they are applied. */
  readonly events: readonly WaitingEvent[];
}

export interface PaymentResults {
  /** One result for each event, in the same order. */
  readonly events: readonly AppliedEvent[];
  /** The environment of the payment. Undefined if the payment is not stored or its change failed. */
  readonly mode?: Environment;
  /** The error of our own because of which the payment cannot be changed. The other payments are not affected. */
  readonly failure?: unknown;
}

export interface AppliedBatch {
  /** Keyed by the id of the payment. */
  readonly results: ReadonlyMap<number, PaymentResults>;
  /** No payment changes: `write` need not be called. */
  readonly isEmpty: boolean;
  /** Rejects if another process has changed one of the payments since: roll the transaction back then. */
  write(session: mongo.ClientSession, at: Date): Promise<void>;
  /** Call this after the transaction is committed, or, for an empty batch, after its results are stored. */
  stored(): void;
  /** Call this if the transaction failed, with its error. The batch may be stored nevertheless. */
  abandoned(error: unknown): void;
}

/**
 * The batch is keyed by the id of the payment. Nothing is written yet. `isRepeated`: another process was faster with
 * one of the payments before.
 */
export type ApplyEvents = (
  batch: ReadonlyMap<number, PaymentEvents>,
  options?: { readonly isRepeated?: boolean },
) => Promise<AppliedBatch>;

export interface ApplyEventsDeps {
  readonly changeMany: ChangeMany;
  readonly feeOf: FeeOf;
  readonly now: () => Date;
}

export function createApplyEvents({ changeMany, feeOf, now }: ApplyEventsDeps): ApplyEvents {
  return async function applyEventBatch(batch, options) {
    const results = new Map<number, PaymentResults>();
    const spans = new Map<number, OpenSpan>();
    const toStep = (id: number, { requestId, events }: PaymentEvents): PaymentStep => ({
      requestId,
      change(record) {
        const applied = applyEvents(record, events, feeOf, now());
        results.set(id, { events: applied.results, mode: record.environment });
        const span = openApplySpan(record, events);
        if (span) spans.set(id, span);
        return applied.next === record ? undefined : { ...applied, trace: span?.trace };
      },
    });
    const endSpans = (end: (span: OpenSpan, id: number) => void): void => {
      for (const [id, span] of spans) {
        end(span, id);
        span.end();
      }
    };
    const failSpans = (): void => endSpans((span) => span.fail('nothing was stored'));

    const steps = new Map([...batch].map(([id, payment]) => [id, toStep(id, payment)]));
    const changes = await changeMany(steps, options).catch((error: unknown) => {
      failSpans();
      throw error;
    });
    const retryAll = (id: number, note: string): PaymentResults => {
      return { events: batch.get(id)!.events.map(() => ({ state: 'retry', note })) };
    };
    for (const id of changes.unknown) results.set(id, retryAll(id, 'no such payment is known yet'));
    for (const [id, failure] of changes.failed) results.set(id, { ...retryAll(id, ourError), failure });

    return {
      results,
      isEmpty: changes.isEmpty,
      write: async (session, at) => changes.write(session, at),
      stored() {
        changes.stored();
        endSpans((span, id) => {
          const states = results.get(id)!.events.map(({ state }) => state);
          span.set({ 'gateway.outcome': states.join(' ') });
        });
      },
      abandoned(error) {
        changes.abandoned(error);
        failSpans();
      },
    };
  };
}

/** The span continues the trace of the payment's submission and links to the traces of the callbacks. */
function openApplySpan(record: PaymentRecord, events: readonly WaitingEvent[]): OpenSpan | undefined {
  return openSpan('apply callback', () => ({
    kind: 'consumer',
    parent: latestAttempt(record)?.trace,
    links: events.map(({ trace }) => trace),
    attributes: {
      'gateway.adapter': events[0]!.adapter,
      'gateway.payment_request_id': record._id,
      'gateway.events': events.length,
    },
  }));
}
