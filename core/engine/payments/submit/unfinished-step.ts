/**
 * Whether an attempt that waits for its payer can be replaced, by another attempt or by a cancellation. The adapter
 * declares per way what may become of a step that the payer left (`Way.unfinishedStep` of the contract).
 */
import type { Action, Outcome } from '@paywright/contract';
import { latestAttempt, type Attempt } from '../../../database/collections/attempt.ts';
import { status, type PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { MappedReport } from '../../providers/mapped-event.ts';
import type { Registry } from '../../providers/registry.ts';
import { isBeingClosed, waitsForPayer, whyNotClosed } from '../state/apply-close.ts';
import { payerActionLost } from '../state/apply-outcome.ts';
import { GatewayError } from '../../../base/errors.ts';
import { MINUTE } from '../../../base/async/time.ts';
import { accountRefOf } from '../../providers/account-ref.ts';

/**
 * - `now`: the attempt can charge nothing without `complete`, which core then never calls again.
 * - `after_close`: the provider must confirm first that it closed the order.
 * - `after_fetch`: its time limit has passed, and the provider must confirm that nothing happened.
 * - `later`: the payer can still finish the step until then.
 * - `never`: only its own end ends it.
 */
export type Replaceable =
  | { readonly kind: 'now' | 'after_close' | 'after_fetch' }
  | { readonly kind: 'later'; readonly until: Date }
  | { readonly kind: 'never'; readonly why: string };

/** The open attempt that a change ends. */
export interface Ended {
  readonly n: number;
  /** The provider closed its order. */
  readonly isClosed: boolean;
}

export interface UnfinishedSteps {
  /** Undefined: the payment request has no open attempt. */
  replaceable(record: PaymentRecord): Replaceable | undefined;
}

export interface UnfinishedStepsDeps {
  readonly registry: Pick<Registry, 'byName'>;
  readonly readAction: (attempt: Attempt) => Action | null;
  readonly now: () => Date;
}

const inProgress = 'an attempt is in progress: wait for its result';
const closing = 'the open order is being closed at the provider: repeat the request in a minute';
const noLimit = 'the payer can still finish the open attempt, whose time limit is unknown: wait for its result';

export function createUnfinishedSteps({ registry, readAction, now }: UnfinishedStepsDeps): UnfinishedSteps {
  function ofAttempt(attempt: Attempt): Replaceable {
    if (!waitsForPayer(attempt)) return { kind: 'never', why: inProgress };
    if (isBeingClosed(attempt)) return { kind: 'never', why: closing };
    const adapter = registry.byName(accountRefOf(attempt))?.adapter;
    if (!adapter) return { kind: 'never', why: 'the provider of the open attempt is off: wait for its result' };
    const way = adapter.manifest.ways.find(({ method }) => method === attempt.method);
    if (way?.unfinishedStep === 'charges_nothing') return { kind: 'now' };
    if (canClose(registry, attempt)) return { kind: 'after_close' };
    const until = endOfStep(attempt, readAction(attempt), way?.stepMinutes);
    if (attempt.stepLost) return { kind: 'never', why: payerActionLost };
    if (!adapter.fetchStatus || until === undefined) return { kind: 'never', why: noLimit };
    return until > now() ? { kind: 'later', until } : { kind: 'after_fetch' };
  }

  return {
    replaceable(record) {
      const attempt = latestAttempt(record);
      if (record.statusId !== status.pending || attempt?.outcome !== 'open') return undefined;
      return ofAttempt(attempt);
    },
  };
}

/** True if the adapter closes the orders of the attempt's way, and can say what became of one that it did not close. */
export function canClose(registry: Pick<Registry, 'byName'>, attempt: Attempt): boolean {
  const adapter = registry.byName(accountRefOf(attempt))?.adapter;
  if (!adapter?.close || !adapter.fetchStatus) return false;
  return adapter.manifest.ways.find((way) => way.method === attempt.method)?.unfinishedStep === 'close';
}

/** Undefined: no time limit is known. */
function endOfStep({ endedAt, steps }: Attempt, action: Action | null, stepMinutes?: number): Date | undefined {
  if (!action) return undefined;
  if ('expiry' in action) {
    const end = new Date(action.expiry);
    return Number.isNaN(end.getTime()) ? undefined : end;
  }
  if (action.type !== 'redirect' || stepMinutes === undefined) return undefined;
  // A further step began when the one before it was done.
  const began = Math.max(...[endedAt, ...steps.map(({ doneAt }) => doneAt)].map((time) => time?.getTime() ?? 0));
  return new Date(began + stepMinutes * MINUTE);
}

/** True if the report allows a replacement: nothing was charged, or the provider still waits for the payer. */
export function confirmsWaiting(report: MappedReport): boolean {
  if (report.result !== 'events') return report.result === 'waiting' || report.result === 'nothing_charged';
  const [event, ...more] = report.events;
  if (event?.kind !== 'payment' || more.length > 0) return false;
  const showsStep = event.action !== undefined || event.awaitsPayer === true;
  return event.status === 'pending' && showsStep && event.received === undefined && !event.awaitsCompletion;
}

/** PAY004 for an open attempt that cannot be replaced, or not yet. */
export function notReplaceable(record: PaymentRecord, why: Replaceable): GatewayError {
  return new GatewayError('PAYMENT_NOT_PAYABLE', reasonOf(why), {
    paymentRequestId: record._id,
    ...(why.kind === 'later' && { details: { until: why.until.toISOString() } }),
  });
}

/**
 * PAY004 for an order that the provider did not close. A refusal is the provider's answer, and stays the answer of the
 * same request. Without an answer, the request can be repeated.
 */
export function notClosed(record: PaymentRecord, outcome: Outcome): GatewayError {
  const isRefusal = outcome.outcome === 'failed' && !outcome.notSent && !outcome.requestRejected;
  const cure = isRefusal ? 'wait for its result' : 'wait for its result, or repeat the request later';
  return new GatewayError(
    'PAYMENT_NOT_PAYABLE',
    `the provider did not close the open order (${whyNotClosed(outcome)}): ${cure}`,
    { paymentRequestId: record._id, ...(isRefusal && { isProviderAnswer: true }) },
  );
}

function reasonOf(why: Replaceable): string {
  if (why.kind === 'never') return why.why;
  if (why.kind !== 'later')
    return 'the provider does not confirm that the open attempt still waits for its payer: wait for its result';
  return `the payer can still finish the open attempt: another attempt is possible from ${why.until.toISOString()} on`;
}
