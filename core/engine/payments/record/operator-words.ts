/** Codes of payments in words, for operators: payment methods, problems and declines. */
import { declineReasons, type PaymentMethod } from '@paywright/contract';
import { storedProblems, type StoredProblem } from '../../../database/collections/payment-request.ts';
import { capitalise } from '../../../base/text/capitalise.ts';

export const methodTexts: Readonly<Record<PaymentMethod, string>> = {
  card: 'Card',
  card_token: 'Card token',
  upi_collect: 'UPI request',
  upi_intent: 'UPI app',
  upi_qr: 'UPI code',
  crypto: 'Cryptocurrency',
  hosted_page: 'Provider page',
  wallet_card: 'Wallet card',
  ewallet_redirect: 'E-wallet',
};

/** `pending_long` depends on the time, and `no_route` on the routes and adapters. They are not stored. */
export type Problem = StoredProblem | 'pending_long' | 'no_route';
/** The problems that the words of a search may name. */
export const problems: readonly Problem[] = [...storedProblems, 'pending_long'];

export const problemTexts: Readonly<Record<Problem, string>> = {
  dispute_open: 'Disputed',
  charged_back: 'Charged back',
  charged_twice: 'Charged twice',
  underpaid: 'Underpaid',
  overpaid: 'Overpaid',
  refund_failed: 'Refund failed',
  refund_pending: 'Refund not confirmed',
  refund_needs_merchant: 'Refund needs the merchant',
  outcome_unknown: 'Outcome unknown',
  needs_review: 'Needs review',
  pending_long: 'Pending for long',
  no_route: 'No route',
};

/** Problems that wait for a person, unlike those that may still end well. */
const severe: ReadonlySet<Problem> = new Set([
  'dispute_open',
  'charged_back',
  'charged_twice',
  'refund_failed',
  'needs_review',
]);

export interface ProblemMark {
  readonly problem: Problem;
  readonly words: string;
  readonly isSevere: boolean;
}

/** The problems as badges name them. While a case is open, the payment is only disputed: it is not charged back yet. */
export function problemMarks(found: readonly Problem[]): readonly ProblemMark[] {
  return found
    .filter((one) => one !== 'charged_back' || !found.includes('dispute_open'))
    .map((problem) => ({ problem, words: problemTexts[problem], isSevere: severe.has(problem) }));
}

/** `refund`: a refund that failed, is not confirmed for long, or needs the merchant. */
export type WantedProblem = Problem | 'refund';
export const wantedProblems: readonly WantedProblem[] = [...problems, 'refund'];
/** The same where the routes and adapters are known: in the console, and not in commands. */
export const allWantedProblems: readonly WantedProblem[] = [...wantedProblems, 'no_route'];

export function wantedProblemText(problem: WantedProblem): string {
  return problem === 'refund' ? 'Any refund problem' : problemTexts[problem];
}

/** The meaning of a decline code, with a capital letter. Undefined: it is not one of the interface's codes. */
export function declineText(code: string): string | undefined {
  const reason: string | undefined = Object.hasOwn(declineReasons, code)
    ? declineReasons[code as keyof typeof declineReasons]
    : undefined;
  return reason && capitalise(reason);
}
