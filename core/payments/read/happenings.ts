/** What happened to a payment, as lines that an operator reads, in order. */
import { formatAmount } from '@gateway/contract';
import type { TimelineItem } from '../service.ts';
import { statusWords } from './state-word.ts';
import type { PaymentStory, StoryAttempt } from './story.ts';

export interface Happening {
  readonly at: Date;
  readonly kind:
    'created' | 'attempt' | 'refund' | 'call' | 'callback' | 'event' | 'status' | 'notification' | 'delivery';
  readonly text: string;
}

export function happeningsOf({ createdAt, attempts, refunds, timeline }: PaymentStory): readonly Happening[] {
  const all: Happening[] = [
    { at: createdAt, kind: 'created', text: 'the payment request was made' },
    ...attempts.map((one): Happening => ({ at: one.openedAt, kind: 'attempt', text: attemptText(one) })),
    ...refunds.map(({ reference, amount, state, requestedAt }): Happening => {
      return { at: requestedAt, kind: 'refund', text: `${reference} of ${amount} is ${state}` };
    }),
    ...timeline.flatMap(ofItem),
  ];
  return all.toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

/** With the decimals of its currency. */
export function moneyText(amount: string, currency: string): string {
  return `${formatAmount({ amount, currency })} ${currency}`;
}

/** How somebody tried to pay. */
export function wayText({ method, cardBin, cardLastDigits }: StoryAttempt): string {
  return cardLastDigits === null ? method : `${method} ${cardBin ?? ''}…${cardLastDigits}`;
}

function attemptText(attempt: StoryAttempt): string {
  const { reference, adapter, amount, currency, outcome, unknown, providerReference, decline, declineText } = attempt;
  return [
    `${reference} at ${adapter}: ${moneyText(amount, currency)} by ${wayText(attempt)}`,
    `is ${outcome}${attempt.isAuthorised ? ' and authorised' : ''}${unknown ? ', its answer unknown' : ''}`,
    ...(providerReference === null ? [] : [`there it is ${providerReference}`]),
    ...(decline === null ? [] : [`declined with ${decline}${declineText === null ? '' : ` (${declineText})`}`]),
    ...(attempt.needsReview ? ['nobody asks about it any more'] : []),
  ].join(', ');
}

function ofItem(item: TimelineItem): Happening[] {
  const { at } = item;
  const member = (name: string): string => textOf(item[name]);
  switch (item.kind) {
    case 'request':
      return []; // Its answer names it.
    case 'answer': {
      const result = item['status'] === null ? member('failure') : `HTTP ${member('status')}`;
      return [{ at, kind: 'call', text: `${member('call')} at ${member('adapter')}: ${result} in ${member('ms')} ms` }];
    }
    case 'callback':
      return [{ at, kind: 'callback', text: `${member('route')} of ${member('adapter')} is ${member('state')}` }];
    case 'event': {
      const refused = item['refused'] === true ? 'refused: ' : '';
      return [
        { at, kind: 'event', text: `${refused}${[member('code'), member('message')].filter(Boolean).join(' ')}` },
      ];
    }
    case 'transition':
      return [{ at, kind: 'status', text: `${statusWord(item['from'])} to ${statusWord(item['to'])}` }];
    case 'notification': {
      const attempts = (item['attempts'] ?? []) as readonly Readonly<Record<string, unknown>>[];
      return [
        {
          at,
          kind: 'notification',
          text: `${member('type')} ${member('id')} to ${member('url')} is ${member('state')}`,
        },
        ...attempts.map((one): Happening => {
          const result = one['status'] === null ? textOf(one['error']) : `HTTP ${textOf(one['status'])}`;
          return {
            at: one['at'] as Date,
            kind: 'delivery',
            text: `${member('id')}: ${result} in ${textOf(one['ms'])} ms`,
          };
        }),
      ];
    }
  }
}

function statusWord(id: unknown): string {
  return statusWords[Number(id)] ?? textOf(id);
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '–' : JSON.stringify(value);
}
