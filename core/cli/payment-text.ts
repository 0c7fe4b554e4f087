/** Payments, for the person at the screen. */
import { formatAmount } from '@gateway/contract';
import type { FoundPayment, NextStep, PaymentStory, StoryAttempt } from '../payments/index.ts';
import type { TimelineItem } from '../payments/service.ts';

export function describeFound(found: FoundPayment): string {
  const { id, createdAt, environment, status, amount, unit, adapter, cardLastDigits, referenceId, email } = found;
  return [
    `${id}`,
    createdAt.toISOString(),
    environment,
    status,
    moneyText(amount, unit),
    adapter ?? 'never submitted',
    ...(cardLastDigits === null ? [] : [`…${cardLastDigits}`]),
    ...(referenceId === null ? [] : [referenceId]),
    ...(email === null ? [] : [email]),
    ...(found.chargedBack ? ['CHARGED BACK'] : []),
    ...(found.needsReview ? ['NEEDS REVIEW'] : []),
  ].join('  ');
}

/** What it is in a line. */
export function describePayment(story: PaymentStory, owner: string): string {
  const { id, status, amount, unit, environment, attempts, createdAt } = story;
  const latest = attempts.at(-1);
  return [
    `payment ${id} is ${status}${story.chargedBack ? ', and charged back' : ''}: ${moneyText(amount, unit)}`,
    `for ${owner} (${environment})`,
    ...(latest ? [`by ${wayText(latest)} at ${latest.adapter}`] : ['never submitted']),
    `of ${createdAt.toISOString()}`,
  ].join(', ');
}

export function describeStory(story: PaymentStory, owner: string): string[] {
  const { referenceId, email, money, next } = story;
  const about = [
    ...(referenceId === null ? [] : [`reference ${referenceId}`]),
    ...(email === null ? [] : [`payer ${email}`]),
  ];
  return [
    describePayment(story, owner),
    ...(about.length > 0 ? [`  ${about.join(', ')}`] : []),
    '',
    'What happened',
    ...eventsOf(story).map(({ at, text }) => `  ${at.toISOString()}  ${text}`),
    '',
    'Money',
    `  ${moneyLine(money)}`,
    '',
    'What happens next',
    ...(next.length > 0 ? next.map(describeNext) : ['  nothing: all is done']),
  ];
}

function describeNext({ at, what }: NextStep): string {
  return `  ${at?.toISOString() ?? 'waits'.padEnd(24)}  ${what}`;
}

interface Happened {
  readonly at: Date;
  readonly text: string;
}

function eventsOf({ createdAt, attempts, refunds, timeline }: PaymentStory): Happened[] {
  const all: Happened[] = [
    { at: createdAt, text: 'created' },
    ...attempts.map((attempt) => ({ at: attempt.openedAt, text: attemptText(attempt) })),
    ...refunds.map(({ reference, amount, state, requestedAt }) => ({
      at: requestedAt,
      text: `refund       ${reference} of ${amount} is ${state}`,
    })),
    ...timeline.flatMap((item) => itemTexts(item)),
  ];
  return all.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

function attemptText(attempt: StoryAttempt): string {
  const { reference, adapter, amount, currency, outcome, unknown, providerReference, decline, declineText } = attempt;
  return [
    `attempt      ${reference} at ${adapter}: ${moneyText(amount, currency)} by ${wayText(attempt)}`,
    `is ${outcome}${attempt.isAuthorised ? ' and authorised' : ''}${unknown ? ', its answer unknown' : ''}`,
    ...(providerReference === null ? [] : [`there it is ${providerReference}`]),
    ...(decline === null ? [] : [`declined with ${decline}${declineText === null ? '' : ` (${declineText})`}`]),
    ...(attempt.needsReview ? ['nobody asks about it any more'] : []),
  ].join(', ');
}

function itemTexts(item: TimelineItem): Happened[] {
  const of = (text: string, at = item.at): Happened => ({ at, text });
  const member = (name: string): string => textOf(item[name]);
  switch (item.kind) {
    case 'request':
      return []; // Its answer names it.
    case 'answer': {
      const result = item['status'] === null ? member('failure') : `HTTP ${member('status')}`;
      return [of(`call         ${member('call')} at ${member('adapter')}: ${result} in ${member('ms')} ms`)];
    }
    case 'callback':
      return [of(`callback     ${member('route')} of ${member('adapter')} is ${member('state')}`)];
    case 'event': {
      const code = member('code');
      const refused = item['refused'] === true ? 'refused: ' : '';
      return [of(`event        ${refused}${[code, member('message')].filter(Boolean).join(' ')}`)];
    }
    case 'transition':
      return [of(`status       ${statusWord(item['from'])} to ${statusWord(item['to'])}`)];
    case 'notification': {
      const attempts = (item['attempts'] ?? []) as readonly Readonly<Record<string, unknown>>[];
      return [
        of(`notification ${member('type')} ${member('id')} to ${member('url')} is ${member('state')}`),
        ...attempts.map(({ at, status, error, ms }) => {
          const result = status === null ? textOf(error) : `HTTP ${textOf(status)}`;
          return of(`delivery     ${member('id')}: ${result} in ${textOf(ms)} ms`, at as Date);
        }),
      ];
    }
  }
}

const statusWords = ['created', 'pending', 'paid', 'failed', 'refunded', 'expired'] as const;

function statusWord(id: unknown): string {
  return statusWords[Number(id)] ?? textOf(id);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '–' : JSON.stringify(value);
}

function moneyLine({ currency, paid, refunded, disputed, fee, net, leftToRefund }: PaymentStory['money']): string {
  if (currency === null) return 'nothing was paid';
  const text = (amount: string): string => moneyText(amount, currency);
  return [
    `paid ${text(paid)}`,
    `refunded ${text(refunded)}`,
    `disputed ${text(disputed)}`,
    `fee ${fee === null ? 'unknown' : text(fee)}`,
    ...(net === null ? [] : [`net ${text(net)}`]),
    `left to refund ${text(leftToRefund)}`,
  ].join(', ');
}

/** With the decimals of its currency. */
export function moneyText(amount: string, currency: string): string {
  return `${formatAmount({ amount, currency })} ${currency}`;
}

function wayText({ method, cardBin, cardLastDigits }: StoryAttempt): string {
  return cardLastDigits === null ? method : `${method} ${cardBin ?? ''}…${cardLastDigits}`;
}
