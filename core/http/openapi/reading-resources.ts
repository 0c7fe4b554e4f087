/** What timelines, batches, notifications, reports and the service's own addresses show. */
import type { TimelineItem } from '../../payments/service.ts';
import { batchSize, methodCodes, notificationQuery, providerCodes } from '../schemas/payment-requests.ts';
import { flag, instant, listOf, nullable, object, oneOf, schemaRef, text, whole } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';
import { anyProblem } from './problems.ts';
import type { ErrorKind } from '../../errors.ts';

const at = instant('When.');
const attempt = whole('The attempt, from 1; 0: none.', 0);
const adapter = text('The name of the provider’s adapter.');
const call = text('What was called: `submit`, `complete`, `fetchStatus`, `refund` …');
const status = { type: 'integer', minimum: 100, maximum: 599 } as const;
const milliseconds = { type: 'integer', minimum: 0, description: 'Milliseconds.' } as const;

const notification = {
  id: text('`<payment request>-<sequence>`; sent as `webhook-id`.'),
  type: text('The event’s type.'),
  paymentRequestId: nullable(whole('The payment request; null for an event about the owner.')),
  sequence: nullable(whole('Counts the events of a payment request.')),
  url: text('Where it goes.'),
  state: {
    ...notificationQuery.state.schema,
    description: '`gone`: the address answered 410. `exhausted`: all attempts failed.',
  },
  nextAttemptAt: nullable(instant('When it is tried next; null where nothing is planned, or one is under way.')),
  attempts: listOf(schemaRef('DeliveryAttempt'), 'The latest ones, oldest first.'),
};

const timeline: Readonly<Record<TimelineItem['kind'], Readonly<Record<string, JsonSchema>>>> = {
  request: { adapter, attempt, call, method: text('The HTTP method.'), path: text('The path at the provider.') },
  answer: {
    adapter,
    attempt,
    call,
    status: nullable({ ...status, description: 'The provider’s; null: none came.' }),
    failure: nullable(text('`not_sent` or `no_answer`.')),
    ms: milliseconds,
  },
  callback: {
    adapter,
    route: text('Below `/callbacks/`.'),
    requestId: text('Of the callback.'),
    state: oneOf('What became of it.', ['waiting', 'done', 'aside', 'malformed']),
  },
  event: {
    attempt,
    code: text('As in the log.'),
    message: text('As in the log.'),
    refused: flag('It changed nothing.'),
    transactionId: text('The provider’s reference.'),
  },
  transition: {
    from: { type: 'integer', minimum: 0, maximum: 5, description: 'The earlier `paymentRequestStatusId`.' },
    to: { type: 'integer', minimum: 0, maximum: 5, description: 'The later one.' },
    cause: text('Why.'),
  },
  notification,
};
const timelineName = (kind: string): string => `Timeline${kind[0]!.toUpperCase()}${kind.slice(1)}`;
const timelineKinds = Object.keys(timeline) as TimelineItem['kind'][];

/** Kinds of failure of one entry of a batch. */
const entryKinds: readonly ErrorKind[] = [
  'VALIDATION_ERROR',
  'INVALID_FORMAT',
  'IDEMPOTENCY_CONFLICT',
  'INTERNAL_ERROR',
];

export const readingResources: Readonly<Record<string, JsonSchema>> = {
  Timeline: object({
    items: listOf(
      {
        oneOf: timelineKinds.map((kind) => schemaRef(timelineName(kind))),
        discriminator: {
          propertyName: 'kind',
          mapping: Object.fromEntries(
            timelineKinds.map((kind) => [kind, `#/components/schemas/${timelineName(kind)}`]),
          ),
        },
      },
      'Everything that happened, oldest first.',
    ),
  }),
  ...Object.fromEntries(
    timelineKinds.map((kind) => [
      timelineName(kind),
      object({ at, kind: { type: 'string', const: kind }, ...timeline[kind] }),
    ]),
  ),

  Notification: object({ ...notification, createdAt: instant('When the event happened.') }),
  DeliveryAttempt: object(
    {
      at,
      ms: nullable(milliseconds),
      status: nullable({ ...status, description: 'Your answer’s; null: none came.' }),
      code: { type: 'string', const: 'WH002', description: 'It ended for want of a complete answer.' },
      error: nullable(text('What went wrong.')),
    },
    { optional: ['code'] },
  ),
  NotificationList: object({
    items: listOf(schemaRef('Notification'), 'Newest first.'),
    nextCursor: nullable(text('The `cursor` of the next page; null: this was the last.')),
  }),
  ResendAnswer: object({ result: { type: 'string', const: 'OK' }, notification: schemaRef('Notification') }),
  ResendSpanAnswer: object({
    result: { type: 'string', const: 'OK' },
    resent: whole('How many are sent again.', 0),
  }),

  Batch: {
    type: 'object',
    properties: {
      paymentRequests: {
        type: 'array',
        maxItems: batchSize,
        items: {
          anyOf: [
            schemaRef('NewPaymentRequest'),
            { description: 'Anything else is no failure of the batch: its own result says what is wrong.' },
          ],
        },
        description: 'Each is made, or refused, by itself.',
      },
    },
    required: ['paymentRequests'],
  },
  BatchAnswer: object({
    results: listOf(
      { oneOf: [schemaRef('BatchSuccess'), schemaRef('BatchFailure')] },
      'One for each entry, in its place.',
    ),
  }),
  BatchSuccess: object({ index: whole('The entry, from 0.', 0), id: whole('The payment request.') }),
  BatchFailure: object({ index: whole('The entry, from 0.', 0), error: anyProblem(entryKinds) }),

  Report: object({ items: listOf(schemaRef('ReportRow'), 'Rising by day.') }),
  ReportRow: object({
    day: { type: 'string', format: 'date', description: 'Of the payment request, UTC.' },
    providerId: { ...providerCodes.schema, description: 'Provider of the latest attempt; 0: none.' },
    methodId: { ...methodCodes.schema, description: 'Method of the latest attempt; 0: none.' },
    currency: text('What was charged, else the unit as sent.'),
    status: { type: 'integer', minimum: 0, maximum: 5, description: '`paymentRequestStatusId`.' },
    count: whole('How many payment requests.'),
    amount: text('Their sum, decimal text.', { pattern: '^\\d+(\\.\\d+)?$' }),
  }),

  Health: object({ status: { type: 'string', const: 'ok' } }),
  Readiness: object({
    status: oneOf('Whether it can work.', ['ready', 'not ready']),
    parts: { type: 'object', additionalProperties: true, description: 'One word per part that must work.' },
  }),
  Received: object(
    {
      received: { description: 'What was received, secrets hidden.' },
      signatureValid: flag('Only where a key named an owner and a signature was sent.'),
    },
    { optional: ['signatureValid'] },
  ),
};
