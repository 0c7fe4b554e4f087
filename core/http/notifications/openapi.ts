/** What merchants were told, and telling them again. */
import { notificationQuery, resendQuery } from '../schemas/payment-requests.ts';
import { notificationExample } from '../openapi/answer-examples.ts';
import { bodyExamples } from '../openapi/body-examples.ts';
import type { DocumentFacts } from '../openapi/facts.ts';
import { schemaRef } from '../openapi/json-schema.ts';
import { acknowledgement, jsonBody, merchantCall, queryParameters } from '../openapi/merchant-call.ts';
import type { Paths } from '../openapi/merchant-call.ts';

const tag = 'Notifications';

export function notificationPaths({ publicUrl, now, hasNotifications }: DocumentFacts): Paths {
  if (!hasNotifications) return {};
  const notification = notificationExample(publicUrl);
  return {
    '/notifications': {
      get: merchantCall({
        operationId: 'listNotifications',
        tag,
        summary: 'List notifications with their attempts',
        scope: 'requests:read',
        parameters: queryParameters(notificationQuery, {
          paymentRequestId: 'The payment request.',
          state: 'Where they stand.',
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
          'Those that are exhausted: what is delivered or still waits stays as it is. The span stands in the body or in the query; the body beats the query.',
        scope: 'notifications:write',
        parameters: queryParameters(resendQuery, {
          from: 'From when on they were made; absent: from the beginning.',
          to: 'Before when they were made; absent: now.',
        }),
        body: jsonBody(schemaRef('ResendSpan'), bodyExamples(now).ResendSpan, { required: false }),
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
