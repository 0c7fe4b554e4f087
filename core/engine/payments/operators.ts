/** What operators use, in the console and by commands: searches, the details of a payment, and audited actions. */
export {
  createPaymentActions,
  createPaymentChecks,
  createPaymentReviews,
  type PaymentActions,
  type PaymentChecks,
  type PaymentReviews,
} from './actions.ts';
export { changeText, effectText, type ChangingEvent } from './read/change-text.ts';
export { exportHead, exportLine } from './read/export-payments.ts';
export { createNoRouteOf, type NoRouteOf } from './read/no-route.ts';
export { createDueChecks, type DueCheck, type ListDueChecks } from './read/due-checks.ts';
export {
  disputeText,
  leftText,
  otherDetailsText,
  paymentHistoryOf,
  paymentWayText,
  refundText,
  settlingText,
  threeDsText,
  type HistoryEntry,
} from './read/payment-history.ts';
export { reasonText } from './record/failure.ts';
export { createPaymentSearch, type FoundPayment, type PaymentSearch, type SearchPayments } from './read/search.ts';
export { readMoney } from './read/search-terms.ts';
export {
  allWantedProblems,
  declineText,
  methodTexts,
  problemMarks,
  problems,
  problemTexts,
  wantedProblems,
  wantedProblemText,
  type Problem,
  type ProblemMark,
  type WantedProblem,
} from './record/operator-words.ts';
export { createDisputeList, type DisputePage, type ListDisputes, type ListedDispute } from './read/list-disputes.ts';
export {
  createPaymentDetails,
  type PaymentDetails,
  type ReadPaymentDetails,
  type AttemptDetails,
  type RefundDetails,
} from './read/payment-details.ts';
export { moneyParts, type ChargeDetails, type MoneyParts } from './read/money-details.ts';
export type { SettledRefund } from './state/apply-refund-settled.ts';
export type { NextAction, NextStep } from './read/next-steps.ts';
export { arrivalOf } from './read/timeline.ts';
export { allStatusLabels, statusLabels, type StatusLabel } from './record/status-label.ts';
