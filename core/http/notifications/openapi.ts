/** Describes notifications: listing them, and sending them again. */
import { toBodySchemas } from '../openapi/body-schema.ts';
import { schemaRef } from '../openapi/json-schema.ts';
import { acknowledgement, emptyBody, jsonBody, merchantCall, queryParameters } from '../openapi/merchant-call.ts';
import type { Example, Paths } from '../openapi/model.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';
import { notificationQuery, resendQuery, spanFields } from './schema.ts';
import { notificationExample, notificationSchemas } from './view.ts';

const tag = 'Notifications';

const spanExamples: Readonly<Record<string, Example>> = {
  day: { summary: 'A day', value: { from: '2026-11-20T00:00:00Z', to: '2026-11-21T00:00:00Z' } },
};

/** The schemas are always in the document, because the timeline shows notifications too. */
export function notificationsSection({ config: { publicUrl }, hasNotifications }: DocumentFacts): Section {
  const notification = notificationExample(publicUrl);
  return {
    paths: hasNotifications ? notificationPaths(notification) : {},
    schemas: { ...notificationSchemas, ...toBodySchemas('ResendSpan', spanFields) },
    examples: {
      resent: {
        summary: 'The notification is sent immediately',
        value: { result: 'OK', notification: { ...notification, state: 'waiting' } },
      },
      resentSpan: { summary: 'Three notifications are sent immediately', value: { result: 'OK', resent: 3 } },
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
          paymentRequestId: 'Only notifications about this payment request.',
          state: 'Only notifications in this delivery state.',
          type: 'The event’s type.',
          limit: 'Maximum number of items per page.',
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
        summary: 'Stream test events',
        description:
          'Server-sent events for test keys: every notification when it is created, and events without a `notifyUrl`. Events without a `notifyUrl` are kept from your first connection until one day after your last. `data` is JSON: `id`, `type`, `createdAt`, the signed `body`, and the `headers` with the signatures. Send `Last-Event-ID` to continue after a closed connection; the latest events may be sent again.',
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
          description: 'The stream stays open until one side closes it.',
          content: {
            'text/event-stream': {
              // OpenAPI 3.1 cannot describe a stream. Tools take the schema for that of one event or of the whole text.
              schema: {},
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
        description:
          'Starts a new round of attempts, whatever the result of the earlier ones. The body is the same, byte for byte.',
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
        body: emptyBody,
        kinds: ['INVALID_FORMAT', 'NOT_FOUND'],
        isWriting: true,
        success: {
          description: 'The notification is sent immediately.',
          content: acknowledgement('ResendAnswer', ['resent']),
        },
      }),
    },
    '/notifications/resend': {
      post: merchantCall({
        operationId: 'resendNotifications',
        tag,
        summary: 'Send the exhausted notifications of a time span again',
        description:
          'Sends only notifications whose attempts are exhausted; delivered and waiting ones do not change. Set the span in the body or in the query; the body takes precedence.',
        scope: 'notifications:write',
        parameters: queryParameters(resendQuery, {
          from: spanFields.from.note,
          to: spanFields.to.note,
        }),
        body: jsonBody(schemaRef('ResendSpan'), spanExamples, { required: false }),
        kinds: ['INVALID_FORMAT'],
        isWriting: true,
        success: {
          description: 'The notifications are sent immediately.',
          content: acknowledgement('ResendSpanAnswer', ['resentSpan']),
        },
      }),
    },
  };
}
