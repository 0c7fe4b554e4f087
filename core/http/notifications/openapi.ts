/** Notifications: lists of them, and sending them again. */
import { toBodySchema } from '../openapi/body-schema.ts';
import { schemaRef } from '../openapi/json-schema.ts';
import { acknowledgement, jsonBody, merchantCall, queryParameters } from '../openapi/merchant-call.ts';
import type { Example, Paths } from '../openapi/model.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';
import { notificationQuery, resendQuery, spanFields } from './schema.ts';
import { notificationExample, notificationSchemas } from './view.ts';

const tag = 'Notifications';

const spanExamples: Readonly<Record<string, Example>> = {
  day: { summary: 'A day', value: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' } },
};

/** The schemas are in the document also where the addresses are not served: the timeline shows notifications. */
export function notificationsSection({ config: { publicUrl }, hasNotifications }: DocumentFacts): Section {
  const notification = notificationExample(publicUrl);
  return {
    paths: hasNotifications ? notificationPaths(notification) : {},
    schemas: { ...notificationSchemas, ResendSpan: toBodySchema(spanFields) },
    examples: {
      resent: {
        summary: 'It is sent now',
        value: { result: 'OK', notification: { ...notification, state: 'waiting' } },
      },
      resentSpan: { summary: 'Three of them are sent now', value: { result: 'OK', resent: 3 } },
    },
  };
}

function notificationPaths(notification: ReturnType<typeof notificationExample>): Paths {
  return {
    '/notifications': {
      get: merchantCall({
        operationId: 'listNotifications',
        tag,
        summary: 'List notifications with their attempts',
        scope: 'requests:read',
        parameters: queryParameters(notificationQuery, {
          paymentRequestId: 'The payment request.',
          state: 'How far their delivery is.',
          type: 'The event’s type.',
          limit: 'How many at once.',
          cursor: 'The `nextCursor` of the page before.',
        }),
        kinds: ['INVALID_FORMAT'],
        isWriting: false,
        success: {
          description: 'A page, newest first.',
          content: {
            'application/json': {
              schema: schemaRef('NotificationList'),
              example: { items: [notification], nextCursor: null },
            },
          },
        },
      }),
    },
    '/notifications/stream': {
      get: merchantCall({
        operationId: 'streamNotifications',
        tag,
        summary: 'Test events as they happen',
        description:
          'Server-sent events, for test keys: every notification as it is made, and events that have no address, which are kept for a day from the first listening on. `data` is JSON: `id`, `type`, `createdAt`, the `body` that is signed, and the `headers` that prove it. `Last-Event-ID` goes on where a connection ended; what was sent just before may come again.',
        scope: 'requests:read',
        parameters: [
          {
            name: 'Last-Event-ID',
            in: 'header',
            description: 'The `id` of the last event that arrived; absent: from now on.',
            schema: { type: 'string' },
            example: '1763726400000.10042-1',
          },
        ],
        kinds: [],
        isWriting: false,
        success: {
          description: 'It goes on until one side ends it.',
          content: {
            'text/event-stream': {
              schema: { type: 'string' },
              example: 'id: 1763726400000.10042-1\nevent: payment.succeeded\ndata: {"id":"10042-1"}\n\n',
            },
          },
        },
      }),
    },
    '/notifications/{id}/resend': {
      post: merchantCall({
        operationId: 'resendNotification',
        tag,
        summary: 'Send a notification again',
        description: 'Starts a new round of attempts, whatever became of the earlier ones. The bytes are the same.',
        scope: 'notifications:write',
        parameters: [
          {
            name: 'id',
            in: 'path',
            required: true,
            description: 'The notification.',
            schema: { type: 'string', minLength: 1 },
            example: notification.id,
          },
        ],
        body: jsonBody(
          { type: 'object' },
          { nothing: { summary: 'An empty object, or no body at all', value: {} } },
          { required: false },
        ),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND'],
        isWriting: true,
        success: {
          description: 'It is sent now.',
          content: acknowledgement('ResendAnswer', ['resent']),
        },
      }),
    },
    '/notifications/resend': {
      post: merchantCall({
        operationId: 'resendNotifications',
        tag,
        summary: 'Send the exhausted notifications of a span of time again',
        description:
          'Those that are exhausted: what is delivered or still waits stays as it is. The span is named in the body or in the query; the body beats the query.',
        scope: 'notifications:write',
        parameters: queryParameters(resendQuery, {
          from: spanFields.from.note,
          to: spanFields.to.note,
        }),
        body: jsonBody(schemaRef('ResendSpan'), spanExamples, { required: false }),
        kinds: ['INVALID_FORMAT'],
        isWriting: true,
        success: {
          description: 'They are sent now.',
          content: acknowledgement('ResendSpanAnswer', ['resentSpan']),
        },
      }),
    },
  };
}
