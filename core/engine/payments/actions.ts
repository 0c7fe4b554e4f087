/** What operators do to payments. Each action is audited. */
import { randomUUID } from 'node:crypto';
import { eventKinds } from '@paywright/contract/core';
import type { Connection } from 'mongoose';
import { alarmId, paymentSubject, type Alarms } from '../alarms/index.ts';
import type { Actor, Audit, AuditedAction } from '../audit/index.ts';
import type { AlarmKind } from '../../database/collections/alarm.ts';
import { attemptOf } from '../../database/collections/attempt.ts';
import { fromDocument } from '../../database/decimals.ts';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { GatewayError, notFound } from '../../base/errors.ts';
import { amountText } from '../../base/text/money-text.ts';
import { statusLabelOf } from './record/status-label.ts';
import type { SettledRefund } from './state/apply-refund-settled.ts';
import { requestCheck } from './reconcile/request-check.ts';
import type { Caller, Operation } from './types/caller.ts';
import type { PaymentAnswer } from './types/answer.ts';
import type { Payments } from './service.ts';

/** All methods reject with NF001 if there is no such payment request. */
export interface PaymentChecks {
  /**
   * Requests a fetch for every attempt, as soon as a worker is free and no matter how often its checks failed before.
   */
  reconcile(by: Actor, id: number, reason?: string): Promise<void>;
}

/** These methods call the provider. They reject as the merchant's own calls do. */
export interface PaymentActions extends PaymentChecks {
  /**
   * `operationId` identifies the operator's confirmation, and is the same for every repetition. If that operation was
   * started already, nothing is refunded again, and the answer is the payment as it is now.
   */
  refund(by: Actor, id: number, wanted: WantedRefund, reason?: string, operationId?: string): Promise<PaymentAnswer>;
  cancel(by: Actor, id: number, reason?: string): Promise<PaymentAnswer>;
  /**
   * Records how a refund ended that the merchant had to send. Calls no provider. `operationId` as for `refund`.
   */
  settleRefund(
    by: Actor,
    id: number,
    settled: SettledRefund,
    reason?: string,
    operationId?: string,
  ): Promise<PaymentAnswer>;
  /** Which of these actions the payment would accept as it is now; a refund of some amount. */
  offers(id: number): Promise<{ readonly canCancel: boolean; readonly canRefund: boolean }>;
}

export interface WantedRefund {
  /** Decimal text; undefined: what is left. */
  readonly amount?: string | undefined;
  /** The attempt whose charge is refunded. Undefined: chosen as for a merchant's refund. */
  readonly attempt?: number | undefined;
}

export interface PaymentReviews {
  /**
   * Records that an operator has reviewed a payment whose outcome could not be determined. The reason says what was
   * found. Resolves the payment's alarms.
   */
  review(by: Actor, id: number, reason: string): Promise<void>;
  /** Adds a note to the payment: an entry of the audit log, which changes nothing. It contains no personal data. */
  note(by: Actor, id: number, text: string): Promise<void>;
}

/** Alarms that a review resolves. */
const reviewed: readonly AlarmKind[] = [
  'capture_failed',
  'charged_twice',
  'dispute_differs',
  'event_without_effect',
  'payment_ends_workers',
  'payment_underpaid',
  'payment_unresolved',
  'refund_failed',
  'refund_needs_merchant',
  'refund_unresolved',
];

export interface PaymentChecksDeps {
  readonly connection: Connection;
  readonly audit: Pick<Audit, 'run'>;
}

/** Needs no adapter. */
export function createPaymentChecks({ connection, audit }: PaymentChecksDeps): PaymentChecks {
  const load = createLoad(connection);
  return {
    async reconcile(by, id, reason) {
      await load(id);
      await audit.run(by, deedOf('payment.reconcile', id, reason), async () => {
        if (!(await requestCheck(connection, id))) throw notFound(`payment request ${id}`);
        return { value: undefined };
      });
    },
  };
}

export function createPaymentReviews({
  connection,
  audit,
  alarms,
}: PaymentChecksDeps & { readonly alarms: Pick<Alarms, 'resolve'> }): PaymentReviews {
  const load = createLoad(connection);
  return {
    async review(by, id, reason) {
      await load(id);
      await audit.run(by, deedOf('payment.review', id, reason), async () => {
        const ended: AlarmKind[] = [];
        for (const kind of reviewed) {
          const about = kind === 'event_without_effect' ? eventKinds : [undefined];
          for (const one of about)
            if ((await alarms.resolve(alarmId(kind, paymentSubject(id, one)))) && !ended.includes(kind))
              ended.push(kind);
        }
        return { value: undefined, after: { alarmsResolved: ended } };
      });
    },
    async note(by, id, text) {
      await load(id);
      await audit.run(by, deedOf('payment.note', id, text), async () => ({ value: undefined }));
    },
  };
}

export function createPaymentActions(
  deps: PaymentChecksDeps & {
    readonly service: Pick<
      Payments,
      'answer' | 'cancel' | 'canCancel' | 'canRefund' | 'operation' | 'refund' | 'settleRefund'
    >;
  },
): PaymentActions {
  const { connection, audit, service } = deps;
  const load = createLoad(connection);

  async function change(
    by: Actor,
    id: number,
    deed: AuditedAction,
    call: (caller: Caller) => Promise<PaymentAnswer>,
    operationId?: string,
  ): Promise<PaymentAnswer> {
    const before = await load(id);
    const { ownerId, environment } = before;
    const caller = { ownerId, environment, requestId: `operator-${randomUUID()}` };
    const operation = operationId === undefined ? undefined : operationOn(caller, id, operationId);
    if (await operation?.isApplied()) return service.answer(caller, id);
    return audit.run(by, deed, async () => {
      const value = await call({ ...caller, ...(operation && { operation }) }).catch(async (error: unknown) => {
        // A repetition was faster and has started the operation.
        const isTakenOver = error instanceof GatewayError && error.kind === 'IDEMPOTENCY_CONFLICT';
        if (isTakenOver && (await operation?.isApplied())) return service.answer(caller, id);
        throw error;
      });
      return { value, before: moneyOf(before), after: moneyOf(await load(id)) };
    });
  }

  /** An operation on an existing payment: there is nothing to bind or reserve. */
  function operationOn(caller: Caller, paymentRequestId: number, id: string): Operation {
    const none = { bindPayment: async () => undefined, reservePayments: async (ids: readonly number[]) => ids };
    return service.operation(caller, { ...none, id, paymentRequestId });
  }

  return {
    ...createPaymentChecks(deps),
    async refund(by, id, { amount, attempt }, reason, operationId) {
      const plan = { amount: amount ?? 'what is left', ...(attempt !== undefined && { attempt }) };
      const deed = { ...deedOf('payment.refund', id, reason), plan };
      return change(by, id, deed, async (caller) => service.refund(caller, id, amount, attempt), operationId);
    },
    async cancel(by, id, reason) {
      const deed = deedOf('payment.cancel', id, reason);
      return change(by, id, deed, async (caller) => service.cancel(caller, id));
    },
    async settleRefund(by, id, { refund, status }, reason, operationId) {
      const deed = { ...deedOf('payment.settle_refund', id, reason), plan: { refund, status } };
      return change(by, id, deed, async (caller) => service.settleRefund(caller, id, refund, status), operationId);
    },
    async offers(id) {
      const record = await load(id);
      return { canCancel: service.canCancel(record), canRefund: service.canRefund(record) };
    },
  };
}

function createLoad(connection: Connection): (id: number) => Promise<PaymentRecord> {
  const model = paymentRequestModel(connection);
  return async (id) => {
    const found = await model.findById(id).lean();
    if (!found) throw notFound(`payment request ${id}`);
    return fromDocument(found) as PaymentRecord;
  };
}

function deedOf(act: AuditedAction['act'], id: number, reason: string | undefined): AuditedAction {
  return { act, subject: { type: 'payment', id: String(id) }, reason };
}

function moneyOf(record: PaymentRecord): object {
  const { paidAmount, paidCurrency: currency, refundedAmount } = record;
  const text = (amount: string, of = currency): string => amountText(amount, of ?? '');
  const refunds = record.refunds.map(({ reference, attempt, amount, state }) => {
    return { reference, amount: text(amount, attemptOf(record, attempt)?.currency), state };
  });
  const paid = paidAmount === null ? null : text(paidAmount);
  return { status: statusLabelOf(record), paid, currency, refunded: text(refundedAmount), refunds };
}
