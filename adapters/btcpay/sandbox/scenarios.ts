/** The results of an invoice: decided by its amount, or by the payer's action at its page. */
import type { AmountRule } from '@paywright/contract/sandbox';

export type Status = 'New' | 'Processing' | 'Expired' | 'Invalid' | 'Settled';
export type AdditionalStatus = 'None' | 'PaidLate' | 'PaidPartial' | 'Marked' | 'PaidOver';

/** One change of an invoice, and the webhook that reports it. */
export interface Step {
  readonly type: string;
  readonly status: Status;
  readonly additional?: AdditionalStatus;
  /** Total share of the price received by then; if left out, unchanged. */
  readonly share?: string;
  /** State of the received payments; if left out, unchanged. */
  readonly payments?: 'Processing' | 'Settled' | 'Invalid';
  /** Additional members of the webhook. */
  readonly says?: Readonly<Record<string, boolean>>;
}

const inTime = { afterExpiration: false };
const afterwards = { afterExpiration: true };
const byItself = { manuallyMarked: false };

const received: Step = {
  type: 'InvoiceReceivedPayment',
  status: 'New',
  share: '1',
  payments: 'Processing',
  says: inTime,
};
const confirmed: Step = { type: 'InvoicePaymentSettled', status: 'Processing', payments: 'Settled', says: inTime };
const expired: Step = { type: 'InvoiceExpired', status: 'Expired', says: { partiallyPaid: false } };
const settled: Step = { type: 'InvoiceSettled', status: 'Settled', says: { ...byItself, overPaid: false } };
const invalid: Step = { type: 'InvoiceInvalid', status: 'Invalid', payments: 'Invalid', says: byItself };

/** Every event that the sandbox can report, by its `trigger` name. */
export const steps = {
  InvoiceCreated: { type: 'InvoiceCreated', status: 'New', share: '0' },
  InvoiceReceivedPayment: received,
  'InvoiceReceivedPayment partial': { ...received, additional: 'PaidPartial', share: '0.6' },
  'InvoiceReceivedPayment afterExpiration': {
    ...received,
    status: 'Expired',
    additional: 'PaidLate',
    says: afterwards,
  },
  InvoicePaidAfterExpiration: {
    ...received,
    type: 'InvoicePaidAfterExpiration',
    status: 'Expired',
    additional: 'PaidLate',
    says: {},
  },
  InvoicePaymentSettled: confirmed,
  'InvoicePaymentSettled afterExpiration': {
    ...confirmed,
    status: 'Expired',
    additional: 'PaidLate',
    share: '1',
    says: afterwards,
  },
  InvoiceProcessing: { type: 'InvoiceProcessing', status: 'Processing', share: '1', says: { overPaid: false } },
  'InvoiceProcessing overPaid': {
    type: 'InvoiceProcessing',
    status: 'Processing',
    additional: 'PaidOver',
    share: '1.25',
    says: { overPaid: true },
  },
  InvoiceSettled: { ...settled, share: '1', payments: 'Settled' },
  'InvoiceSettled overPaid': {
    ...settled,
    additional: 'PaidOver',
    share: '1.25',
    payments: 'Settled',
    says: { ...byItself, overPaid: true },
  },
  'InvoiceSettled manuallyMarked': {
    ...settled,
    additional: 'Marked',
    says: { manuallyMarked: true, overPaid: false },
  },
  InvoiceExpired: expired,
  'InvoiceExpired partiallyPaid': {
    ...expired,
    additional: 'PaidPartial',
    share: '0.6',
    says: { partiallyPaid: true },
  },
  InvoiceExpiredPaidPartial: {
    type: 'InvoiceExpiredPaidPartial',
    status: 'Expired',
    additional: 'PaidPartial',
    share: '0.6',
  },
  InvoiceInvalid: invalid,
  'InvoiceInvalid manuallyMarked': { ...invalid, additional: 'Marked', says: { manuallyMarked: true } },
} as const satisfies Readonly<Record<string, Step>>;
export type StepName = keyof typeof steps;

/** The steps after an action of the payer, or after the time limit. */
const scenarios = {
  pay: ['InvoiceReceivedPayment', 'InvoiceProcessing', 'InvoicePaymentSettled', 'InvoiceSettled'],
  part: ['InvoiceReceivedPayment partial'],
  over: ['InvoiceReceivedPayment', 'InvoiceProcessing overPaid', 'InvoiceSettled overPaid'],
  late: ['InvoiceExpired', 'InvoiceReceivedPayment afterExpiration', 'InvoicePaymentSettled afterExpiration'],
  expire: ['InvoiceExpired'],
  invalid: ['InvoiceReceivedPayment', 'InvoiceProcessing', 'InvoiceInvalid'],
} as const satisfies Readonly<Record<string, readonly StepName[]>>;
export type Act = keyof typeof scenarios;

export const acts = Object.keys(scenarios) as readonly Act[];

/** The steps after an action; none if the invoice has ended. */
export function scenarioFor(
  { status, additional }: { status: Status; additional: AdditionalStatus },
  act: Act,
): readonly Step[] {
  if (status === 'Settled' || status === 'Invalid') return [];
  if (status === 'Expired')
    return act === 'pay' || act === 'late' ? scenarios.late.slice(1).map((name) => steps[name]) : [];
  if (act === 'expire' && additional === 'PaidPartial') return [steps['InvoiceExpired partiallyPaid']];
  return scenarios[act].map((name) => steps[name]);
}

/** A claim of the payer on a refund: the webhooks that report it. */
export interface Claim {
  readonly type: 'PayoutCreated' | 'PayoutApproved' | 'PayoutUpdated';
  readonly state: 'AwaitingApproval' | 'AwaitingPayment' | 'InProgress' | 'Completed' | 'Cancelled';
}

/** The payer claims the refund, and the merchant approves and pays it. With `.58` the merchant archives it instead. */
export function claimsOf(rule: AmountRule | undefined): readonly Claim[] {
  const created: Claim = { type: 'PayoutCreated', state: 'AwaitingApproval' };
  if (rule === '.58') return [created, { type: 'PayoutUpdated', state: 'Cancelled' }];
  return [
    created,
    { type: 'PayoutApproved', state: 'AwaitingPayment' },
    { type: 'PayoutUpdated', state: 'InProgress' },
    { type: 'PayoutUpdated', state: 'Completed' },
  ];
}

export const claims: Readonly<Record<string, Claim>> = {
  PayoutCreated: { type: 'PayoutCreated', state: 'AwaitingApproval' },
  PayoutApproved: { type: 'PayoutApproved', state: 'AwaitingPayment' },
  'PayoutUpdated InProgress': { type: 'PayoutUpdated', state: 'InProgress' },
  'PayoutUpdated Completed': { type: 'PayoutUpdated', state: 'Completed' },
  'PayoutUpdated Cancelled': { type: 'PayoutUpdated', state: 'Cancelled' },
};
