/** Endpoint 8, and what else is done with payment requests. */
import type { ErrorKind } from '../../errors.ts';
import { createQuery, listQuery, reportQuery } from '../schemas/payment-requests.ts';
import { paymentRequestExample, reportExample, timelineExample } from '../openapi/answer-examples.ts';
import { batchExample, bodyExamples } from '../openapi/body-examples.ts';
import type { DocumentFacts } from '../openapi/facts.ts';
import { schemaRef } from '../openapi/json-schema.ts';
import { acknowledgement, jsonBody, merchantCall, pathId, queryParameters } from '../openapi/merchant-call.ts';
import type { MediaType, Paths } from '../openapi/merchant-call.ts';

const tag = 'Payment requests';
const about = ['X-Payment-Request-Id', 'Location'] as const;
const form: readonly ErrorKind[] = ['VALIDATION_ERROR', 'INVALID_FORMAT'];

export function requestPaths(facts: DocumentFacts): Paths {
  const view = paymentRequestExample(facts.publicUrl);
  const bodies = bodyExamples(facts.now);
  const id = pathId('The payment request.');
  const json = (schemaName: string, example: unknown): Record<string, MediaType> => {
    return { 'application/json': { schema: schemaRef(schemaName), example } };
  };

  return {
    '/payment-requests': {
      post: merchantCall({
        operationId: 'createPaymentRequest',
        tag,
        summary: '8. Make a payment request',
        description:
          'It fixes the amount. Pay it by the endpoints 1 and 7, or give the payer its `link`. It expires when nobody pays.',
        scope: 'requests:write',
        parameters: queryParameters(createQuery, {
          send: 'true mails the link to the client; without a client e-mail: VAL001 `clientEmail`.',
          accountType: 'Sets `targetAccountTypeId`; beats the body.',
          applicantId: 'Sets `kycApplicantId`.',
        }),
        body: jsonBody(schemaRef('NewPaymentRequest'), bodies.NewPaymentRequest),
        kinds: form,
        isWriting: true,
        success: {
          description: 'Made.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['created']),
          links: {
            read: { $ref: '#/components/links/read' },
            timeline: { $ref: '#/components/links/timeline' },
            cancel: { $ref: '#/components/links/cancel' },
            payByCard: { $ref: '#/components/links/payByCard' },
          },
        },
      }),
      get: merchantCall({
        operationId: 'listPaymentRequests',
        tag,
        summary: 'List payment requests',
        description: 'Newest first. What is made while you page neither shifts nor hides anything.',
        scope: 'requests:read',
        parameters: queryParameters(listQuery, {
          status: '`paymentRequestStatusId`.',
          referenceId: 'Yours, exactly.',
          clientId: 'The client.',
          providerId: 'Provider code of the latest attempt; 0: none.',
          methodId: 'Method code of the latest attempt; 0: none.',
          createdFrom: 'From when on they were made: a day or time of ISO 8601, UTC unless it says otherwise.',
          createdTo: 'Until when they were made, in the same forms.',
          limit: 'How many at once.',
          cursor: 'The `nextCursor` of the page before.',
        }),
        kinds: ['INVALID_FORMAT'],
        isWriting: false,
        success: {
          description: 'A page.',
          content: json('PaymentRequestList', { items: [view], nextCursor: null }),
        },
      }),
    },
    '/payment-requests/batch': {
      post: merchantCall({
        operationId: 'createPaymentRequests',
        tag,
        summary: 'Make up to 500 payment requests',
        description: 'Each entry has its own result, in its place; that some failed is no failure of the batch.',
        scope: 'requests:write',
        body: jsonBody(schemaRef('Batch'), batchExample),
        kinds: form,
        isWriting: true,
        success: {
          description: 'All results.',
          content: json('BatchAnswer', { results: [{ index: 0, id: view.id }] }),
        },
      }),
    },
    '/payment-requests/{id}': {
      get: merchantCall({
        operationId: 'getPaymentRequest',
        tag,
        summary: 'Read a payment request',
        scope: 'requests:read',
        parameters: [id],
        kinds: ['NOT_FOUND'],
        isWriting: false,
        success: { description: 'As it stands.', headers: about, content: json('PaymentRequest', view) },
      }),
    },
    '/payment-requests/{id}/timeline': {
      get: merchantCall({
        operationId: 'getTimeline',
        tag,
        summary: 'Read what happened to a payment request',
        description: 'Requests to providers and their answers, callbacks, events, transitions, notifications.',
        scope: 'requests:read',
        parameters: [id],
        kinds: ['NOT_FOUND'],
        isWriting: false,
        success: {
          description: 'Everything, oldest first.',
          headers: about,
          content: json('Timeline', timelineExample(facts.publicUrl)),
        },
      }),
    },
    '/payment-requests/{id}/refund': {
      post: merchantCall({
        operationId: 'refund',
        tag,
        summary: 'Give money back',
        description:
          'In full or in part, where the provider can. A provider that did not answer leaves the refund pending: it is asked.',
        scope: 'payments:write',
        parameters: [id],
        body: jsonBody(schemaRef('Refund'), bodies.Refund, { required: false }),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description: 'Asked for; done, or pending.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['refunded']),
        },
      }),
    },
    '/payment-requests/{id}/cancel': {
      post: merchantCall({
        operationId: 'cancel',
        tag,
        summary: 'Cancel a payment request',
        description: 'That is created or failed. No attempt can be made any more.',
        scope: 'requests:write',
        parameters: [id],
        body: jsonBody(
          { type: 'object' },
          { nothing: { summary: 'An empty object, or no body at all', value: {} } },
          { required: false },
        ),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE'],
        isWriting: true,
        success: {
          description: 'Cancelled.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['cancelled']),
        },
      }),
    },
    ...(facts.hasReports && { '/reports/payments': { get: report() } }),
  };
}

function report() {
  return merchantCall({
    operationId: 'reportPayments',
    tag: 'Reports',
    summary: 'Sums of payment requests',
    description: 'By day, provider, method, currency and status. CSV for `Accept: text/csv`, with the same columns.',
    scope: 'requests:read',
    parameters: queryParameters(reportQuery, {
      from: 'The first day, UTC; absent: 29 days before the last.',
      to: 'The last day, UTC; absent: today.',
    }),
    kinds: ['INVALID_FORMAT'],
    isWriting: false,
    success: {
      description: 'The sums.',
      content: {
        'application/json': { schema: schemaRef('Report'), example: reportExample },
        'text/csv': { schema: { type: 'string' }, example: 'day,providerId,methodId,currency,status,count,amount\r\n' },
      },
    },
  });
}
