/**
 * What the payments domain offers to `http` and `checkout`. Each method is a function of that name in the file from
 * which its type is imported here. Amounts are decimal text throughout.
 */
import type { InputKind } from '@paywright/contract';
import { GatewayError } from '../../base/errors.ts';
import type { PaymentRecord } from '../../database/collections/payment-request.ts';
import type { Registry } from '../providers/registry.ts';
import { findPicture, type Picture } from '../providers/way-look.ts';
import type { IdBlocks } from '../../database/collections/counter.ts';
import { createCancelCheck, createCancelCommand, type CancelCommand, type CancelDeps } from './commands/cancel.ts';
import { createCaptureCommand, type CaptureCommand, type CaptureDeps } from './commands/capture.ts';
import { createConfirmCommand, type ConfirmCommand, type ConfirmDeps } from './commands/confirm.ts';
import { createCreateCommand, type CreateCommand, type CreateDeps } from './commands/create.ts';
import { createOperationCommand, type OperationCommand, type OperationDeps } from './commands/operation.ts';
import { createPayCommand, type PayCommand, type PayDeps } from './commands/pay.ts';
import { createPayH2hCommand, unknownProvider, type PayH2hCommand, type PayH2hDeps } from './commands/pay-h2h.ts';
import { createPlanRefund } from './commands/plan-refund.ts';
import { createRefundCommand, type RefundCommand, type RefundDeps } from './commands/refund.ts';
import { createResumeCommand, type ResumeCommand, type ResumeDeps } from './commands/resume.ts';
import {
  createSettleRefundCommand,
  type SettleRefundCommand,
  type SettleRefundDeps,
} from './commands/settle-refund.ts';
import { createWarningsOf, type WarningsDeps, type WarningsOf } from './commands/warnings-of.ts';
import { whyUnpayable, type WhyUnpayable } from './submit/why-unpayable.ts';
import { createLookUps, type GetDeps, type LookUps } from './read/get.ts';
import { createList, type ListDeps, type ListPayments } from './read/list.ts';
import { createPayPage, type PayPageDeps, type ReadPayPage } from './read/pay-page.ts';
import { createPayerOf, type PayerOf } from './read/payer-of.ts';
import { createReadTimeline, type ReadTimeline, type TimelineDeps } from './read/timeline.ts';

export type { NotificationType } from '../../database/collections/payment-request.ts';

export interface Payments {
  create: CreateCommand;
  /** NF001 if the payment request does not exist, is another owner's, or belongs to the other environment. */
  get: LookUps['get'];
  /** True if `get` would find it. */
  exists: LookUps['exists'];
  /** The payment request as it is now, whatever its status. NF001 as for `get`. */
  answer: LookUps['answer'];
  /** An unused id, for a payment request that `Operation.paymentRequestId` is to create. */
  reserveId: () => Promise<number>;
  /**
   * The operation of a request under an `Idempotency-Key`: pass it as `Caller.operation` to the calls that carry it
   * out.
   */
  operation: OperationCommand;
  list: ListPayments;
  timeline: ReadTimeline;
  /** Endpoints 2, 3, 5 and 6: creates the payment request and submits it to the provider with this code. */
  payH2h: PayH2hCommand;
  /**
   * Endpoints 1 and 7: submits an existing payment request; the route rules choose the provider. If the payer left an
   * open step that can be replaced, the new attempt replaces it; otherwise PAY004. `payer`: the payment
   * comes from the payer's page, which knew of so many attempts. PAY004 if there are more of them, RATE001 after ten in
   * an hour. The payment then goes the way that the payer chose, or none.
   */
  pay: PayCommand;
  /** Endpoint 1 with `transaction3dsId`: continues after a 3D Secure step. */
  resume: ResumeCommand;
  /** Endpoint 4. */
  confirm: ConfirmCommand;
  refund: RefundCommand;
  /** For operators: records how a refund ended that the merchant had to send. */
  settleRefund: SettleRefundCommand;
  /** Captures an authorised payment. */
  capture: CaptureCommand;
  /**
   * Cancels a payment request that is created or failed, that waits for a step of its payer that can be replaced, or
   * that is authorised if the provider can release the money.
   */
  cancel: CancelCommand;
  /** True if `cancel` would accept the payment request as it is now. */
  canCancel: (record: PaymentRecord) => boolean;
  /** True if a refund of some amount would be accepted now. */
  canRefund: (record: PaymentRecord) => boolean;
  /**
   * The payer's page; undefined if the visit proves nothing about a payment. Otherwise requests `complete` or
   * `fetchStatus` if something waits for it.
   */
  payPage: ReadPayPage;
  /**
   * The holder of the link pays and confirms for the owner, this payment only. Undefined: no such payment, or another
   * link.
   */
  payerOf: PayerOf;
  /** The picture of a brand by its file name, while its adapter is on or draining. */
  picture: (file: string) => Picture | undefined;
  warningsOf: WarningsOf;
  whyUnpayable: WhyUnpayable;
  /** The inputs that the adapter with this code accepts; undefined: NF001. */
  inputKindsOf: (code: number) => readonly InputKind[] | undefined;
  /** NF001 that says whether the adapter with this code is off or draining. */
  unknownProvider: (code: number) => Promise<GatewayError>;
}

type Looked = 'load' | 'find';

export type ServiceDeps = GetDeps &
  CreateDeps &
  WarningsDeps &
  Omit<OperationDeps, Looked> &
  PayH2hDeps &
  Omit<PayDeps, Looked> &
  Omit<ResumeDeps, Looked> &
  Omit<ConfirmDeps, Looked> &
  Omit<RefundDeps, Looked> &
  Omit<SettleRefundDeps, Looked> &
  Omit<CaptureDeps, Looked> &
  Omit<CancelDeps, Looked> &
  ListDeps &
  TimelineDeps &
  PayPageDeps & { readonly ids: IdBlocks; readonly registry: Registry };

export function createService(deps: ServiceDeps): Payments {
  const { load, find, get, exists, answer } = createLookUps(deps);
  const { ids, registry } = deps;
  const { throwIfNotCancellable } = createCancelCheck(deps);
  const planRefund = createPlanRefund(deps);
  return {
    create: createCreateCommand(deps),
    get,
    exists,
    answer,
    reserveId: async () => ids.next(),
    operation: createOperationCommand({ ...deps, find }),
    list: createList(deps),
    timeline: createReadTimeline({ ...deps, load }),
    payH2h: createPayH2hCommand(deps),
    pay: createPayCommand({ ...deps, load }),
    resume: createResumeCommand({ ...deps, load }),
    confirm: createConfirmCommand({ ...deps, load }),
    refund: createRefundCommand({ ...deps, load }),
    settleRefund: createSettleRefundCommand({ ...deps, load }),
    capture: createCaptureCommand({ ...deps, load }),
    cancel: createCancelCommand({ ...deps, load }),
    canCancel: (record) => isAccepted(() => throwIfNotCancellable(record)),
    canRefund: (record) =>
      record.attempts.some(({ n }) => isAccepted(() => planRefund(record, { amount: undefined, attempt: n }))),
    payPage: createPayPage(deps),
    payerOf: createPayerOf(deps),
    picture: (file) => findPicture(registry, file),
    warningsOf: createWarningsOf(deps),
    whyUnpayable: async (order) => whyUnpayable(deps.routing, { ...order, merchant: await deps.userOf(order.ownerId) }),
    inputKindsOf: (code) => registry.byCode(code)?.adapter.manifest.inputs,
    unknownProvider: async (code) => unknownProvider(registry, code),
  };
}

/** False if the check refuses with an error that a caller may see. */
function isAccepted(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof GatewayError) return false;
    throw error;
  }
}
