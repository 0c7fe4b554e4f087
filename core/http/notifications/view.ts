/** A notification as lists and timelines show it: its JSON Schema, and an example. */
import { exampleAt } from '../openapi/examples.ts';
import { instant, listOf, nullable, object, schemaRef, text, whole } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { warnings } from '../payments/actions.ts';
import { paidExample } from '../payment-requests/view.ts';
import { notificationQuery } from './schema.ts';

export const notificationMembers: Readonly<Record<string, JsonSchema>> = {
  id: text('`<payment request>-<sequence>`; sent as `webhook-id`.'),
  type: text('The event’s type.'),
  paymentRequestId: nullable(whole('The payment request; null for an event about the owner.')),
  sequence: nullable(whole('Counts the events of a payment request.')),
  url: text('The address that receives the notification.'),
  state: {
    ...notificationQuery.state.schema,
    description: '`gone`: the address answered 410. `exhausted`: all attempts failed.',
  },
  nextAttemptAt: nullable(instant('Time of the next attempt. null if none is planned, or one is in progress.')),
  attempts: listOf(schemaRef('DeliveryAttempt'), 'The latest attempts, oldest first.'),
};

export const notificationSchemas: Readonly<Record<string, JsonSchema>> = {
  Notification: object({ ...notificationMembers, createdAt: instant('When the event happened.') }),
  DeliveryAttempt: object(
    {
      at: instant('When.'),
      ms: nullable({ type: 'integer', minimum: 0, description: 'Milliseconds.' }),
      status: nullable({
        type: 'integer',
        minimum: 100,
        maximum: 599,
        description: 'The HTTP status of your answer; null: no answer arrived.',
      }),
      code: { type: 'string', const: 'WH002', description: 'The attempt ended without a complete answer.' },
      error: nullable(text('What went wrong.')),
      answer: text('The beginning of the text of your answer: at most 500 characters, without card numbers and keys.'),
    },
    { optional: ['code', 'answer'] },
  ),
  NotificationList: object({
    items: listOf(schemaRef('Notification'), 'Newest first.'),
    nextCursor: nullable(text('The `cursor` of the next page; null: this was the last.')),
  }),
  ResendAnswer: object(
    { result: { type: 'string', const: 'OK' }, notification: schemaRef('Notification'), warnings },
    { optional: ['warnings'] },
  ),
  ResendSpanAnswer: object({
    result: { type: 'string', const: 'OK' },
    resent: whole('Number of notifications that are sent again.', 0),
  }),
};

export function notificationExample(publicUrl: string) {
  const { id, notifyUrl: url } = paidExample(publicUrl);
  return {
    id: `${id}-1`,
    type: 'payment.succeeded',
    paymentRequestId: id,
    sequence: 1,
    url,
    state: 'delivered',
    nextAttemptAt: null,
    attempts: [{ at: exampleAt, ms: 42, status: 200, error: null }],
    createdAt: exampleAt,
  };
}
