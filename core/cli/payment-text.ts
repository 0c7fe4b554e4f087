/** Formats payments for the terminal. */
import { isAboveZero } from '@paywright/contract';
import { moneyText } from '../base/text/money-text.ts';
import {
  moneyParts,
  methodTexts,
  problemMarks,
  reasonText,
  threeDsText,
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

/** The columns of `payments find` on a terminal; the last one has no limit. */
const limits = [16, 22, 16, 12, 24, 26, 20] as const;

/**
 * The payments as aligned columns with headings, for a terminal. Times are local. The reason why a payment failed and
 * what needs attention come last.
 */
export function describeFoundTable(items: readonly FoundPayment[], isMixed: boolean): string[] {
  const rows = items.map((found) => {
    const { id, createdAt, environment, amount, currency, referenceId, name, email, method, cardLastDigits } = found;
    const way =
      method === null ? [] : [methodTexts[method], ...(cardLastDigits === null ? [] : [`…${cardLastDigits}`])];
    const mode = isMixed && environment === 'test' ? ' (test)' : '';
    return [
      String(id),
      localTime(createdAt),
      moneyText(amount, currency),
      `${found.status}${mode}`,
      found.adapter === null ? '–' : `${way.join(' ')} at ${found.adapter}`,
      name ?? email ?? '–',
      referenceId ?? '–',
      remarksOf(found).join(', '),
    ];
  });
  const head = ['Payment', 'Created', 'Amount', 'Status', 'Paid with', 'Payer', 'Reference', 'Remarks'];
  const widths = limits.map((limit, at) => Math.min(limit, Math.max(...[head, ...rows].map((row) => row[at]!.length))));
  return [head, ...rows].map((row) =>
    row
      .map((text, at) => {
        const width = widths[at];
        if (width === undefined) return text;
        const cut = text.length > width ? `${text.slice(0, width - 1)}…` : text;
        return at === amountColumn ? cut.padStart(width) : cut.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}

const amountColumn = 2;

/** Why a payment failed, what needs attention, and by what it was found. */
function remarksOf(found: FoundPayment): string[] {
  const { problems, underpaid, foundBy, status } = found;
  const reason = reasonText(found);
  return [
    ...(reason === null || status !== 'failed' ? [] : [reason]),
    ...problemMarks(problems).map(({ words }) => words.toUpperCase()),
    ...(underpaid === null ? [] : [underpaid]),
    ...(foundBy.length === 0 ? [] : [`(by ${foundBy.join(', ')})`]),
  ];
}

/** With the short name of the zone, such as `2026-11-27 11:15 WET`. */
function localTime(at: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value;
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())} ${zone ?? ''}`.trimEnd();
}

/** The payment in one line, for programs that read the output. */
export function describeFound(found: FoundPayment): string {
  const { id, createdAt, environment, status, amount, currency, adapter, method, cardLastDigits, referenceId } = found;
  const { name, email } = found;
  const { paid, refunded } = moneyParts(found);
  const reason = reasonText(found);
  return [
    `${id}`,
    createdAt.toISOString(),
    environment,
    status,
    moneyText(amount, currency),
    adapter ?? 'never submitted',
    ...(method === null ? [] : [methodTexts[method]]),
    ...(cardLastDigits === null ? [] : [`…${cardLastDigits}`]),
    ...(referenceId === null ? [] : [referenceId]),
    ...(name === null ? [] : [name]),
    ...(email === null ? [] : [email]),
    ...(reason === null ? [] : [reason]),
    ...problemMarks(found.problems).map(({ words }) => words.toUpperCase()),
    ...(paid === null ? [] : [`paid ${moneyText(paid.amount, paid.currency)}`]),
    ...(refunded === null ? [] : [`refunded ${moneyText(refunded.amount, refunded.currency)}`]),
    ...(found.underpaid === null ? [] : [found.underpaid]),
    ...(found.foundBy.length === 0 ? [] : [`(by ${found.foundBy.join(', ')})`]),
  ].join('  ');
}

/** Describes the payment in one line. */
export function describePayment(story: PaymentDetails, owner: string): string {
  const { id, status, amount, currency, environment, attempts, createdAt } = story;
  const latest = attempts.at(-1);
  return [
    `payment ${id} is ${status}: ${moneyText(amount, currency)}`,
    `for ${owner} (${environment})`,
    ...(latest ? [`by ${paymentWayText(latest)} at ${latest.adapter}`] : ['never submitted']),
    `created ${createdAt.toISOString()}`,
  ].join(', ');
}

/** The payer, 3D Secure, and where notifications go. */
function aboutLines({ referenceId, payer, attempts, notifyUrl }: PaymentDetails): string[] {
  const { name, email, phone, country, ip } = payer;
  const latest = attempts.at(-1);
  const payerText = [name, email, phone, country, ip].filter((one) => one !== null).join(', ');
  const threeDs = latest?.threeDs ? threeDsText(latest.threeDs) : null;
  const reason = latest ? reasonText(latest) : null;
  return [
    ...(referenceId === null ? [] : [`merchant reference ${referenceId}`]),
    ...(payerText === '' ? [] : [`payer ${payerText}`]),
    ...(reason === null ? [] : [`failed: ${reason}`]),
    ...(threeDs === null ? [] : [`3D Secure: ${threeDs}`]),
    ...(notifyUrl === null ? [] : [`notifications to ${notifyUrl}`]),
  ].map((line) => `  ${line}`);
}

export function describeStory(story: PaymentDetails, owner: string): string[] {
  const { money, refunds, disputes, next, problems, alarms } = story;
  return [
    describePayment(story, owner),
    ...problemMarks(problems).map(({ words }) => `  ${words.toUpperCase()}`),
    ...alarms.map(({ kind, reason }) => `  alarm ${kind}: ${reason}`),
    ...aboutLines(story),
    '',
    'What happened',
    ...paymentHistoryOf(story).map(({ at, kind, text }) => `  ${at.toISOString()}  ${kind.padEnd(12)} ${text}`),
    '',
    'Money',
    `  ${moneyLine(money)}`,
    ...section('Refunds', refunds.map(refundText)),
    ...section('Disputes', disputes.map(disputeText)),
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
  review: (id) => `paywright payments review ${id} --reason <text>`,
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
  const { currency, paid, refunded, disputed, held, fee, netAfterAll, underpaid } = money;
  if (currency === null) return underpaid === null ? 'nothing was paid' : `nothing was paid. ${underpaid}`;
  const text = (amount: string): string => moneyText(amount, currency);
  return [
    `paid ${text(paid)}`,
    `refunded ${text(refunded)}`,
    `disputed ${text(disputed)}${held === disputed ? '' : ` (holds ${text(held)})`}`,
    `fee ${fee === null || !isAboveZero(fee) ? '–' : text(fee)}`,
    ...(netAfterAll === null ? [] : [`net ${text(netAfterAll)}`]),
    `left to refund ${leftText(money)}`,
    ...(underpaid === null ? [] : [underpaid]),
  ].join(', ');
}
