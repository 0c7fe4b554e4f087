/** What happened to a payment, as lines for an operator, in order. */
import { cardBrandOf } from '@paywright/contract';
import { answerText } from '../../../base/text/answer-text.ts';
import { moneyText, shownMoney } from '../../../base/text/money-text.ts';
import type { TimelineItem } from '../types/listing.ts';
import { arrivalOf, type ReportedChange } from './timeline.ts';
import { reasonText } from '../record/failure.ts';
import { methodTexts } from '../record/operator-words.ts';
import { statusLabels } from '../record/status-label.ts';
import type { SettledRefund } from '../state/apply-refund-settled.ts';
import { otherDetails } from './dispute-facts.ts';
import type { MoneyDetails } from './money-details.ts';
import type {
  AttemptDetails,
  DisputeDetails,
  PaymentDetails,
  RefundDetails,
  ThreeDsDetails,
} from './payment-details.ts';
import { capitalise } from '../../../base/text/capitalise.ts';

export interface HistoryEntry {
  readonly at: Date;
  readonly kind:
    | 'created'
    | 'attempt'
    | 'refund'
    | 'call'
    | 'callback'
    | 'event'
    | 'status'
    | 'notification'
    | 'delivery'
    | 'operator';
  readonly text: string;
  /** The subject of the entry, such as the reference of an attempt or the id of a notification. */
  readonly about: string;
  /** Whether it went well. */
  readonly look: 'good' | 'bad' | 'calm';
  /** True for a callback that changed nothing. */
  readonly isMinor?: boolean;
  /** Start and end, for entries that take time; `to` null: not ended yet. */
  readonly span?: { readonly from: Date; readonly to: Date | null };
}

const wholePayment = 'payment';

/** The name of an adapter's provider. */
export type TitleOf = (adapter: string) => string;

/** Without `titleOf`, providers have the names of their adapters, as in commands. */
export function paymentHistoryOf(
  { createdAt, attempts, refunds, timeline }: PaymentDetails,
  titleOf: TitleOf = (adapter) => adapter,
): readonly HistoryEntry[] {
  const all: HistoryEntry[] = [
    { at: createdAt, kind: 'created', text: 'Payment request created', about: wholePayment, look: 'calm' },
    ...attempts.map((attempt) => attemptEntry(attempt, titleOf)),
    ...refunds.flatMap(({ requestedAt: at, ...refund }): HistoryEntry[] => {
      const { reference, state } = refund;
      return at ? [{ at, kind: 'refund', text: refundText(refund), about: reference, look: lookOf(state) }] : [];
    }),
    ...timeline.flatMap((item) => entriesOf(item, { attempts, timeline, titleOf })),
  ];
  return all.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

const refundStates: Readonly<Record<RefundDetails['state'], string>> = {
  requested: 'requested, its result is not known yet',
  unknown: 'requested, and the provider gave no readable answer',
  pending: 'is pending at the provider',
  needs_merchant: 'must be sent by the merchant, because the provider cannot send it',
  succeeded: 'succeeded',
  failed: 'failed',
  reversed: 'was reversed: the money came back',
};

/** The state of a refund as a sentence. It says *succeeded* only if the provider did. */
export function refundText(refund: Omit<RefundDetails, 'requestedAt' | 'doneAt'>): string {
  const { reference, amount, currency, state, failureReason, charge, isReported } = refund;
  const facts = [
    reference,
    ...(charge > 1 ? [`from charge ${charge}`] : []),
    ...(isReported ? ['made at the provider'] : []),
  ];
  const why = failureReason === null ? '' : `: ${failureReason}`;
  return `Refund of ${shownMoney(amount, currency)} ${refundStates[state]}${why} (${facts.join(', ')})`;
}

/** What recording the result of a refund that the merchant had to send does, as a sentence for the operator. */
export function settlingText({ refunds }: Pick<PaymentDetails, 'refunds'>, { refund, status }: SettledRefund): string {
  const known = refunds.find(({ reference }) => reference === refund);
  const what = known ? `${refund} of ${shownMoney(known.amount, known.currency)}` : refund;
  const result =
    status === 'succeeded'
      ? `the merchant has sent the money of refund ${what}`
      : `the money of refund ${what} stays with the merchant and can be refunded again`;
  return `This records that ${result}. The provider is not called.`;
}

/** What the provider adds to a dispute besides reason and deadline. Null: nothing. */
export function otherDetailsText({ details }: DisputeDetails): string | null {
  const facts = Object.entries(otherDetails(details)).map(([name, value]) => `${name} ${value}`);
  return facts.length === 0 ? null : facts.join(', ');
}

export function disputeText({
  case: number,
  stage,
  amount,
  currency,
  reason,
  deadline,
  details,
}: DisputeDetails): string {
  const facts = Object.entries(otherDetails(details)).map(([name, value]) => `, ${name} ${value}`);
  return [
    `${number ?? 'a case without number'} of ${moneyText(amount, currency)} is ${stage === 'opened' ? 'open' : stage}`,
    ...(reason === null ? [] : [`, reason ${reason}`]),
    ...(deadline === null || stage !== 'opened' ? [] : [`, answer by ${deadline.toISOString()}`]),
    ...facts,
  ].join('');
}

/** What is known about 3D Secure, and what follows for a dispute about fraud. */
export function threeDsText({ isDemanded, shown, hadStep }: ThreeDsDetails): string {
  if (shown === 'authenticated') return 'authenticated: for fraud, usually the issuer is liable';
  if (shown === 'attempted') return 'attempted: the issuer did not take part. For fraud, usually the issuer is liable';
  if (shown === 'none')
    return `not authenticated${isDemanded ? ' although demanded' : ''}: for fraud, the merchant is liable`;
  return hadStep
    ? 'the payer was sent to a step; its result is not reported, so who is liable for fraud is unknown'
    : 'demanded; the provider has reported nothing yet';
}

/** What can still be refunded. A payment that was charged twice has no sum: only one of its charges is refunded. */
export function leftText({ currency, leftToRefund, doubleCharges }: MoneyDetails): string {
  if (doubleCharges.length === 0) return moneyText(leftToRefund, currency ?? '');
  return doubleCharges
    .map(({ charge, left, currency: charged }) => `${moneyText(left, charged)} of charge ${charge}`)
    .join(', ');
}

function attemptEntry(attempt: AttemptDetails, titleOf: TitleOf): HistoryEntry {
  const { openedAt: at, settledAt, reference, outcome } = attempt;
  const text = attemptText(attempt, titleOf);
  return { at, kind: 'attempt', text, about: reference, look: lookOf(outcome), span: { from: at, to: settledAt } };
}

const goodLabels: ReadonlySet<unknown> = new Set(['succeeded', 'done', 'delivered', 'paid']);
const badLabels: ReadonlySet<unknown> = new Set([
  'failed',
  'reversed',
  'needs_merchant',
  'exhausted',
  'gone',
  'aside',
  'malformed',
  'expired',
]);

/** As `effectText` says of an event that added nothing. */
const nothingNew = 'nothing new';

/** The result of a callback that is not processed, by the state that merchants see. */
const callbackTexts: Readonly<Record<string, string>> = {
  waiting: 'waits to be processed',
  aside: 'could not be processed, needs review',
  malformed: 'could not be read, needs review',
};

function reportText({ kind, providerStatus, isUnknown, effect }: ReportedChange): string {
  if (!isUnknown) return effect;
  return `the provider reported the ${kind} status “${providerStatus}”, which the adapter does not know; nothing changed`;
}

/** Words of providers that say no more than our own status. */
const plainStatuses: ReadonlySet<string> = new Set(['done', 'ok', 'success', 'successful', 'succeeded', 'completed']);

/** A log entry as a sentence: with a subject, and without a provider's status that says the same again. */
function logText(code: string, message: string): string {
  const [, said = message, status = ''] = /^(.*) \(([^()]*)\)$/.exec(message) ?? [];
  const isRepeated = plainStatuses.has(status.toLowerCase()) || said.toLowerCase().endsWith(` ${status.toLowerCase()}`);
  const text = status !== '' && isRepeated ? said : message;
  const named = /^\S+$/.test(text) ? `payment ${text}` : text;
  const sentence = capitalise(named);
  return /^\w{2}$/.test(code) ? `${sentence} (code ${code})` : [code, sentence].filter(Boolean).join(' ');
}

function lookOf(word: unknown): HistoryEntry['look'] {
  return goodLabels.has(word) ? 'good' : badLabels.has(word) ? 'bad' : 'calm';
}

function lookOfAnswer(status: unknown): HistoryEntry['look'] {
  return typeof status === 'number' && status < 400 ? 'good' : 'bad';
}

/** The payment method of an attempt, with the card's digits if there is a card. */
export function paymentWayText({ method, cardBin, cardLastDigits }: AttemptDetails): string {
  const brand = cardBrandOf(cardBin ?? '')?.name;
  return [
    ...(method === 'card' && brand !== undefined ? [] : [methodTexts[method]]),
    ...(brand === undefined ? [] : [brand]),
    ...(cardLastDigits === null ? [] : [`${cardBin ?? ''}…${cardLastDigits}`]),
  ].join(' ');
}

/** The primary reference, and the ids that the provider gave the payment besides. */
function providerIdTexts({ providerReference, providerReferences = [] }: AttemptDetails): string[] {
  const others = providerReferences.filter(({ id }) => id !== providerReference).map(({ name, id }) => `${name} ${id}`);
  const primary = providerReference === null ? [] : [`provider reference ${providerReference}`];
  return [...primary, ...others];
}

/** The outcome of an attempt as people say it. */
const outcomeTexts: Readonly<Record<AttemptDetails['outcome'], string>> = {
  open: 'is not decided yet',
  expired: 'expired',
  failed: 'failed',
  succeeded: 'succeeded',
};

function attemptText(attempt: AttemptDetails, titleOf: TitleOf): string {
  const { reference, adapter, amount, currency, captured, outcome, unknown } = attempt;
  const reason = reasonText(attempt);
  const result = attempt.isAuthorised ? 'is authorised and not captured yet' : outcomeTexts[outcome];
  return [
    `${shownMoney(amount, currency)} with ${paymentWayText(attempt)} at ${titleOf(adapter)} ${result}`,
    ...(captured === null ? [] : [`${shownMoney(captured, currency)} of it captured`]),
    ...(unknown ? ['its answer was lost or unreadable'] : []),
    ...(reason === null ? [] : [reason]),
    ...(attempt.needsReview ? ['no longer checked'] : []),
    `our reference ${reference}`,
    ...providerIdTexts(attempt),
  ].join(', ');
}

interface HistoryContext {
  readonly timeline: readonly TimelineItem[];
  readonly attempts: readonly AttemptDetails[];
  readonly titleOf: TitleOf;
}

function entriesOf(item: TimelineItem, { attempts, timeline, titleOf }: HistoryContext): HistoryEntry[] {
  const { at, kind } = item;
  const member = (name: string): string => textOf(item[name]);
  const attempt = attempts.find(({ n }) => n === item['attempt'])?.reference ?? wholePayment;
  switch (kind) {
    case 'request':
      return []; // The answer's entry names the request.
    case 'answer': {
      const { status, ms } = item;
      const text = `${member('call')} at ${titleOf(member('adapter'))}: ${resultText(status, item['failure'], ms)}`;
      const span = { from: new Date(at.getTime() - Number(ms)), to: at };
      return [{ at, kind: 'call', text, about: attempt, look: lookOfAnswer(status), span }];
    }
    case 'callback': {
      const events = (item['events'] ?? []) as readonly ReportedChange[];
      const said = callbackTexts[member('state')] ?? [...new Set(events.map(reportText))].join('; ');
      const text = `Callback of ${titleOf(member('adapter'))}: ${said || 'processed'}`;
      const look = events.some(({ isUnknown }) => isUnknown) ? 'bad' : lookOf(item['state']);
      return [{ at, kind, text, about: member('route'), look, ...(said === nothingNew && { isMinor: true }) }];
    }
    case 'event': {
      const isRefused = item['refused'] === true;
      const said = logText(textOf(item['code'] ?? ''), member('message'));
      const text = isRefused && !said.startsWith('Refused') ? `Refused: ${said}` : said;
      return [{ at: arrivalOf(item, timeline), kind, text, about: attempt, look: isRefused ? 'bad' : 'calm' }];
    }
    case 'transition': {
      const to = statusText(item['to']);
      const text = `${capitalise(statusText(item['from']))} → ${capitalise(to)}`;
      return [{ at, kind: 'status', text, about: wholePayment, look: lookOf(to) }];
    }
    case 'notification':
      return notificationEntries(item);
  }
}

function notificationEntries(item: TimelineItem): HistoryEntry[] {
  const [id, state] = [textOf(item['id']), textOf(item['state'])];
  const text = `${textOf(item['type'])} to ${textOf(item['url'])}: ${stateTexts[state] ?? state} (${id})`;
  const attempts = (item['attempts'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  return [
    { at: item.at, kind: 'notification', text, about: id, look: lookOf(state) },
    ...attempts.map(({ at, status, error, ms }): HistoryEntry => {
      const look = typeof status === 'number' && status < 300 ? 'good' : 'bad';
      return { at: at as Date, kind: 'delivery', text: `${id}: ${resultText(status, error, ms)}`, about: id, look };
    }),
  ];
}

/** The state of a notification as people say it. */
const stateTexts: Readonly<Record<string, string>> = {
  waiting: 'waits to be sent',
  gone: 'rejected by the receiver',
  exhausted: 'failed after all attempts',
};

function resultText(status: unknown, error: unknown, ms: unknown): string {
  const numberOf = (value: unknown): number | null => (typeof value === 'number' ? value : null);
  return answerText({ status: numberOf(status), error: textOf(error), ms: numberOf(ms) });
}

function statusText(id: unknown): string {
  return statusLabels[Number(id)] ?? textOf(id);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '–' : JSON.stringify(value);
}
