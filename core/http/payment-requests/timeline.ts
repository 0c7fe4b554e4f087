/** The timeline of a payment request: its JSON Schema, and an example. */
import type { TimelineItem } from '../../engine/payments/types/listing.ts';
import { notificationExample, notificationMembers } from '../notifications/view.ts';
import { exampleAt } from '../openapi/examples.ts';
import { flag, instant, listOf, nullable, object, oneOf, schemaRef, text, whole } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { enumRef } from './enums.ts';
import { paidExample } from './view.ts';

const attempt = whole('The attempt, from 1; 0: none.', 0);
const adapter = text('The name of the provider’s adapter.');
const call = text('What was called: `submit`, `complete`, `fetchStatus`, `refund` …');

const items: Readonly<Record<TimelineItem['kind'], Readonly<Record<string, JsonSchema>>>> = {
  request: { adapter, attempt, call, method: text('The HTTP method.'), path: text('The path at the provider.') },
  answer: {
    adapter,
    attempt,
    call,
    status: nullable({
      type: 'integer',
      minimum: 100,
      maximum: 599,
      description: 'The HTTP status of the provider’s answer; null: no answer arrived.',
    }),
    failure: nullable(text('`not_sent` or `no_answer`.')),
    ms: { type: 'integer', minimum: 0, description: 'Milliseconds.' },
  },
  callback: {
    adapter,
    route: text('Below `/callbacks/`.'),
    requestId: text('Of the callback.'),
    state: oneOf('The state of the callback.', ['waiting', 'done', 'aside', 'malformed']),
  },
  event: {
    attempt,
    code: text('As in the log.'),
    message: text('As in the log.'),
    refused: flag('The event had no effect.'),
    refund: schemaRef('RefundEntry'),
    transactionId: text('The provider’s reference.'),
    details: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'What the provider adds: references of banks, reason and deadline of a dispute, where a refund is claimed; `{}`: nothing.',
    },
    received: nullable(text('For a payment in coins: the received amount, as decimal text.')),
    threeDs: {
      type: ['string', 'null'],
      enum: ['authenticated', 'attempted', 'none', null],
      description: 'What the event reports about 3D Secure. null: nothing.',
    },
  },
  transition: {
    from: enumRef('PaymentRequestStatus', 'The earlier status.'),
    to: enumRef('PaymentRequestStatus', 'The new status.'),
    cause: text('Why.'),
  },
  notification: notificationMembers,
};

const kinds = Object.keys(items) as TimelineItem['kind'][];
const nameOf = (kind: string): string => `Timeline${kind[0]!.toUpperCase()}${kind.slice(1)}`;
const schemaOf = (kind: TimelineItem['kind']): JsonSchema =>
  object(
    { at: instant('When.'), kind: { type: 'string', const: kind }, ...items[kind] },
    // Only events about a refund have it: the refund as it is now.
    { optional: ['refund'] },
  );

export const timelineSchemas: Readonly<Record<string, JsonSchema>> = {
  Timeline: object({
    items: listOf(schemaRef('TimelineItem'), 'All entries, oldest first.'),
  }),
  TimelineItem: {
    oneOf: kinds.map((kind) => schemaRef(nameOf(kind))),
    discriminator: {
      propertyName: 'kind',
      mapping: Object.fromEntries(kinds.map((kind) => [kind, `#/components/schemas/${nameOf(kind)}`])),
    },
  },
  ...Object.fromEntries(kinds.map((kind) => [nameOf(kind), schemaOf(kind)])),
};

export function timelineExample(publicUrl: string) {
  const at = exampleAt;
  const { createdAt, ...notification } = notificationExample(publicUrl);
  const exchange = { adapter: 'acquirer', attempt: 1, call: 'submit' };
  const { message, transactionId } = paidExample(publicUrl).lastLog;
  return {
    items: [
      { at, kind: 'transition', from: 0, to: 1, cause: 'submitted' },
      { at, kind: 'request', ...exchange, method: 'POST', path: '/v1/charges' },
      { at, kind: 'answer', ...exchange, status: 200, failure: null, ms: 83 },
      {
        at,
        kind: 'event',
        attempt: 1,
        code: '',
        message,
        refused: false,
        transactionId,
        details: {},
        received: null,
        threeDs: null,
      },
      { at, kind: 'transition', from: 1, to: 2, cause: message },
      { at: createdAt, kind: 'notification', ...notification },
    ],
  };
}
