/** Formats payments for the terminal. */
import { moneyText } from '../base/text/money-text.ts';
import {
  paymentHistoryOf,
  paymentWayText,
  disputeText,
  leftText,
  refundText,
  type FoundPayment,
  type NextAction,
  type NextStep,
  type PaymentDetails,
} from '../engine/payments/index.ts';

export function describeFound(found: FoundPayment): string {
  const { id, createdAt, environment, status, amount, currency, adapter, cardLastDigits, referenceId, email } = found;
  return [
    `${id}`,
    createdAt.toISOString(),
    environment,
    status,
    moneyText(amount, currency),
    adapter ?? 'never submitted',
    ...(cardLastDigits === null ? [] : [`…${cardLastDigits}`]),
    ...(referenceId === null ? [] : [referenceId]),
    ...(email === null ? [] : [email]),
    ...(found.chargedBack ? ['CHARGED BACK'] : []),
    ...(found.needsReview ? ['NEEDS REVIEW'] : []),
    ...(found.underpaid === null ? [] : [found.underpaid]),
  ].join('  ');
}

/** Describes the payment in one line. */
export function describePayment(story: PaymentDetails, owner: string): string {
  const { id, status, amount, currency, environment, attempts, createdAt } = story;
  const latest = attempts.at(-1);
  return [
    `payment ${id} is ${status}${story.chargedBack ? ', and charged back' : ''}: ${moneyText(amount, currency)}`,
    `for ${owner} (${environment})`,
    ...(latest ? [`by ${paymentWayText(latest)} at ${latest.adapter}`] : ['never submitted']),
    `created ${createdAt.toISOString()}`,
  ].join(', ');
}

export function describeStory(story: PaymentDetails, owner: string): string[] {
  const { referenceId, email, money, refunds, disputes, next } = story;
  const about = [
    ...(referenceId === null ? [] : [`reference ${referenceId}`]),
    ...(email === null ? [] : [`payer ${email}`]),
  ];
  return [
    describePayment(story, owner),
    ...(about.length > 0 ? [`  ${about.join(', ')}`] : []),
    '',
    'What happened',
    ...paymentHistoryOf(story).map(({ at, kind, text }) => `  ${at.toISOString()}  ${kind.padEnd(12)} ${text}`),
    '',
    'Money',
    `  ${moneyLine(money)}`,
    ...section('Refunds', refunds.map(refundText)),
    ...section('Chargebacks', disputes.map(disputeText)),
    '',
    'What happens next',
    ...(next.length > 0 ? next.map(describeNext) : ['  nothing: the payment is complete']),
  ];
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function describeNext(step: NextStep): string {
  return `  ${step.at?.toISOString() ?? 'waits'.padEnd(24)}  ${nextText(step)}`;
}

const commands: Readonly<Record<NextAction['act'], (id: string, action: NextAction) => string>> = {
  reconcile: (id) => `paywright payments reconcile ${id}`,
  review: () => 'mark it as reviewed on its page in the console',
  refund: (id, { charge }) => `paywright payments refund ${id}${charge === undefined ? '' : ` --charge ${charge}`}`,
  settle_refund: (_, { refund = '' }) => `paywright payments refund --settle ${refund} succeeded|failed`,
  requeue: (id) => `paywright inbox requeue ${id}`,
  discard: (id) => `paywright inbox discard ${id}`,
  resend: (id) => `paywright notifications resend ${id}`,
};

/** Describes the next step, with the commands that carry it out. */
export function nextText({ what, acts = [] }: Pick<NextStep, 'what' | 'acts'>): string {
  const ways = acts.map((action) => commands[action.act](action.id, action));
  return ways.length === 0 ? what : `${what}: ${ways.join(', or ')}`;
}

function moneyLine(money: PaymentDetails['money']): string {
  const { currency, paid, refunded, disputed, fee, net, netAfterRefunds, underpaid } = money;
  if (currency === null) return underpaid === null ? 'nothing was paid' : `nothing was paid. ${underpaid}`;
  const text = (amount: string): string => moneyText(amount, currency);
  return [
    `paid ${text(paid)}`,
    `refunded ${text(refunded)}`,
    `disputed ${text(disputed)}`,
    `fee ${fee === null ? 'unknown' : text(fee)}`,
    ...(net === null ? [] : [`net ${text(net)}`]),
    ...(netAfterRefunds === null ? [] : [`net after refunds ${text(netAfterRefunds)}`]),
    `left to refund ${leftText(money)}`,
    ...(underpaid === null ? [] : [underpaid]),
  ].join(', ');
}
