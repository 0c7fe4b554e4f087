/** Endpoint 8, and what else is done with payment requests. */
import type { ErrorKind } from '../../base/errors.ts';
import { toBodySchema } from '../openapi/body-schema.ts';
import { listOf, nullable, object, schemaRef, text, whole } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import { acknowledgement, jsonBody, merchantCall, pathId, queryParameters } from '../openapi/merchant-call.ts';
import type { Example, MediaType, Paths } from '../openapi/model.ts';
import { anyProblem } from '../openapi/problems.ts';
import { warnings } from '../payments/actions.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';
import { batchExamples, captureExamples, newRequestExamples, refundExamples } from './examples.ts';
import { captureFields, paymentRequestFields, refundFields } from './fields.ts';
import { batchSize, createQuery, listQuery } from './schema.ts';
import { timelineExample, timelineSchemas } from './timeline.ts';
import { createdExample, paidExample, viewSchemas } from './view.ts';

const tag = 'Payment requests';
const about = ['X-Payment-Request-Id', 'Location'] as const;
const form: readonly ErrorKind[] = ['VALIDATION_ERROR', 'INVALID_FORMAT'];

/** Kinds of failure of one entry of a batch. */
const entryKinds: readonly ErrorKind[] = [
  'VALIDATION_ERROR',
  'INVALID_FORMAT',
  'IDEMPOTENCY_CONFLICT',
  'UNAVAILABLE',
  'INTERNAL_ERROR',
];

const batchSchemas: Readonly<Record<string, JsonSchema>> = {
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
  BatchSuccess: object(
    { index: whole('The entry, from 0.', 0), id: whole('The payment request.'), warnings },
    { optional: ['warnings'] },
  ),
  BatchFailure: object({ index: whole('The entry, from 0.', 0), error: anyProblem(entryKinds) }),
};

/** What is done with payment requests but paying them. */
export function paymentRequestsSection({ config }: DocumentFacts): Section {
  const { publicUrl } = config;
  return {
    paths: paymentRequestPaths(publicUrl),
    schemas: {
      ...viewSchemas,
      ...timelineSchemas,
      ...batchSchemas,
      NewPaymentRequest: toBodySchema(
        paymentRequestFields,
        'Every other member of the payment request is set by the service, and ignored here.',
      ),
      Capture: toBodySchema(captureFields),
      Refund: toBodySchema(refundFields),
      PaymentRequestList: object({
        items: listOf(schemaRef('PaymentRequest'), 'Newest first.'),
        nextCursor: nullable(text('The `cursor` of the next page; null: this was the last.')),
      }),
    },
    examples: answerExamples(publicUrl),
  };
}

function answerExamples(publicUrl: string): Record<string, Example> {
  const answerOf = (paymentRequest: unknown) => ({ result: 'OK', paymentRequest, action: null });
  return {
    created: { summary: 'Made', value: answerOf(createdExample(publicUrl)) },
    captured: { summary: 'Captured', value: answerOf(paidExample(publicUrl)) },
    refunded: {
      summary: 'Refunded in full',
      value: answerOf({ ...paidExample(publicUrl), paymentRequestStatusId: 4 }),
    },
    cancelled: {
      summary: 'Cancelled',
      value: answerOf({ ...createdExample(publicUrl), paymentRequestStatusId: 5 }),
    },
  };
}

function paymentRequestPaths(publicUrl: string): Paths {
  const view = paidExample(publicUrl);
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
          send: 'true mails the link to the client; without a client e-mail: VAL001 `clientEmail`; where no mail server is configured: SYS001, and nothing is made.',
          accountType: 'Sets `targetAccountTypeId`; beats the body.',
          applicantId: 'Sets `kycApplicantId`.',
        }),
        body: jsonBody(schemaRef('NewPaymentRequest'), newRequestExamples),
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
            payByUpi: { $ref: '#/components/links/payByUpi' },
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
        summary: `Make up to ${batchSize} payment requests`,
        description: 'Each entry has its own result, in its place; that some failed is no failure of the batch.',
        scope: 'requests:write',
        body: jsonBody(schemaRef('Batch'), batchExamples),
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
        success: { description: 'As it is now.', headers: about, content: json('PaymentRequest', view) },
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
          content: json('Timeline', timelineExample(publicUrl)),
        },
      }),
    },
    '/payment-requests/{id}/refund': {
      post: merchantCall({
        operationId: 'refund',
        tag,
        summary: 'Give money back',
        description:
          'In full or in part, where the provider can. A provider that did not answer leaves the refund pending, and its status is fetched.',
        scope: 'payments:write',
        parameters: [id],
        body: jsonBody(schemaRef('Refund'), refundExamples, { required: false }),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description: 'Asked for; done, or pending.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['refunded']),
        },
      }),
    },
    '/payment-requests/{id}/capture': {
      post: merchantCall({
        operationId: 'capture',
        tag,
        summary: 'Collect an authorised payment',
        description:
          'All of it or a part, once, where the provider can. A provider that did not answer leaves it pending, and its status is fetched.',
        scope: 'payments:write',
        parameters: [id],
        body: jsonBody(schemaRef('Capture'), captureExamples, { required: false }),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description: 'Asked for; done, or pending.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['captured']),
        },
      }),
    },
    '/payment-requests/{id}/cancel': {
      post: merchantCall({
        operationId: 'cancel',
        tag,
        summary: 'Cancel a payment request',
        description:
          'That is created or failed, or authorised where the provider can release the money. No attempt can be made any more.',
        scope: 'requests:write',
        parameters: [id],
        body: jsonBody(
          { type: 'object' },
          { nothing: { summary: 'An empty object, or no body at all', value: {} } },
          { required: false },
        ),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description: 'Cancelled; pending while the provider has not answered that the money is released.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['cancelled']),
        },
      }),
    },
  };
}
