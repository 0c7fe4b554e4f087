/** Describes the calls about payment requests. */
import type { ErrorKind } from '../../base/errors.ts';
import type { HttpConfig } from '../deps.ts';
import { toBodySchemas } from '../openapi/body-schema.ts';
import { listOf, nullable, object, schemaRef, text, whole } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import {
  acknowledgement,
  emptyBody,
  jsonBody,
  merchantCall,
  pathId,
  queryParameters,
} from '../openapi/merchant-call.ts';
import type { Example, MediaType, Paths } from '../openapi/model.ts';
import { anyProblem } from '../openapi/problems.ts';
import { warnings } from '../payments/actions.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';
import { batchExamples, captureExamples, newRequestExamples, refundExamples } from './examples.ts';
import { captureFields, paymentRequestFields, refundFields } from './fields.ts';
import { batchSize, createQuery, listQuery } from './schema.ts';
import { timelineExample, timelineSchemas } from './timeline.ts';
import { stateExamples } from './state-examples.ts';
import { createdExample, paidExample, viewSchemas } from './view.ts';

const tag = 'Payment requests';
const about = ['X-Payment-Request-Id', 'Location'] as const;
const form: readonly ErrorKind[] = ['VALIDATION_ERROR', 'INVALID_FORMAT'];

/** Failures of a single entry of a batch. */
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
        items: schemaRef('NewPaymentRequest'),
        description: 'Each entry is created or refused independently: the result of an entry names its errors.',
      },
    },
    required: ['paymentRequests'],
  },
  BatchAnswer: object({
    results: listOf(schemaRef('BatchResult'), 'One result per entry, in the same order.'),
  }),
  BatchResult: { oneOf: [schemaRef('BatchSuccess'), schemaRef('BatchFailure')] },
  BatchSuccess: object(
    { index: whole('Index of the entry, from 0.', 0), id: whole('The payment request.'), warnings },
    { optional: ['warnings'] },
  ),
  BatchFailure: object({ index: whole('Index of the entry, from 0.', 0), error: anyProblem(entryKinds) }),
};

/** All calls about payment requests, except those that pay. */
export function paymentRequestsSection({ config }: DocumentFacts): Section {
  const { publicUrl } = config;
  return {
    paths: paymentRequestPaths(config),
    schemas: {
      ...viewSchemas,
      ...timelineSchemas,
      ...batchSchemas,
      ...toBodySchemas(
        'NewPaymentRequest',
        paymentRequestFields,
        'The service sets every other member of the payment request. Such members are ignored here.',
      ),
      ...toBodySchemas('Capture', captureFields),
      ...toBodySchemas('Refund', refundFields),
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
    created: { summary: 'Created', value: answerOf(createdExample(publicUrl)) },
    captured: { summary: 'Captured', value: answerOf(paidExample(publicUrl)) },
    refunded: {
      summary: 'Refunded in full',
      value: answerOf(stateExamples(publicUrl)['payment.refunded'].paymentRequest),
    },
    cancelled: {
      summary: 'Cancelled',
      value: answerOf({ ...createdExample(publicUrl), paymentRequestStatusId: 5 }),
    },
  };
}

function paymentRequestPaths({ publicUrl, refuseCardNumbers }: HttpConfig): Paths {
  const payCalls = refuseCardNumbers ? ['upi'] : ['creditCard', 'upi'];
  const pay = payCalls.map((name) => `\`POST /payments/${name}/{id}\``).join(' or ');
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
        summary: 'Create a payment request',
        description: `The payment request sets the amount. Send the payer its \`link\`, or pay it with ${pay}. It expires if it is not paid.`,
        scope: 'requests:write',
        parameters: queryParameters(createQuery, {
          send: 'true mails the link to the client. Without a client’s email address: VAL001 `clientEmail`. Without a configured mail server: SYS001, and nothing is created.',
          accountType: 'Sets `targetAccountTypeId`, and takes precedence over the body.',
          applicantId: 'Your own id of an identity check. It is stored, and returned as `kycApplicantId`.',
        }),
        body: jsonBody(schemaRef('NewPaymentRequest'), newRequestExamples),
        kinds: form,
        isWriting: true,
        success: {
          description: 'Created.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['created']),
          links: {
            read: { $ref: '#/components/links/read' },
            timeline: { $ref: '#/components/links/timeline' },
            cancel: { $ref: '#/components/links/cancel' },
            ...(!refuseCardNumbers && { payByCard: { $ref: '#/components/links/payByCard' } }),
            payByUpi: { $ref: '#/components/links/payByUpi' },
          },
        },
      }),
      get: merchantCall({
        operationId: 'listPaymentRequests',
        tag,
        summary: 'List payment requests',
        description: 'Newest first. Payment requests that are created while you page do not shift the pages.',
        scope: 'requests:read',
        parameters: queryParameters(listQuery, {
          status: '`paymentRequestStatusId`.',
          referenceId: 'Yours, exactly.',
          clientId: 'The client.',
          providerId: 'Provider code of the latest attempt. 0: none.',
          providerAccount: 'Account of the latest attempt: `<adapter>/<account>`.',
          methodId: 'Method code of the latest attempt. 0: none.',
          createdFrom: 'Created at or after this day or time: ISO 8601, UTC unless it has an offset.',
          createdTo: 'Created before this day or time, in the same format.',
          limit: 'Maximum number of items per page.',
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
        summary: `Create up to ${batchSize} payment requests`,
        description: 'Each entry has its own result, in the same order. Failed entries do not make the batch fail.',
        scope: 'requests:write',
        body: jsonBody(schemaRef('Batch'), batchExamples),
        kinds: form,
        isWriting: true,
        success: {
          description: 'All results.',
          content: json('BatchAnswer', { results: [0, 1].map((index) => ({ index, id: view.id + index })) }),
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
        success: {
          description: 'The payment request in its present state.',
          headers: about,
          content: json('PaymentRequest', view),
        },
      }),
    },
    '/payment-requests/{id}/timeline': {
      get: merchantCall({
        operationId: 'getTimeline',
        tag,
        summary: 'Read the timeline of a payment request',
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
        summary: 'Refund a payment',
        description:
          'Refunds in full or in part, if the provider supports it. If the provider does not answer, the refund stays pending and its status is fetched.',
        scope: 'payments:write',
        parameters: [id],
        body: jsonBody(schemaRef('Refund'), refundExamples, { required: false }),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description: 'Requested; completed, or pending.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['refunded']),
        },
      }),
    },
    '/payment-requests/{id}/capture': {
      post: merchantCall({
        operationId: 'capture',
        tag,
        summary: 'Capture an authorised payment',
        description:
          'Captures in full or in part, once, if the provider supports it. If the provider does not answer, the capture stays pending and its status is fetched.',
        scope: 'payments:write',
        parameters: [id],
        body: jsonBody(schemaRef('Capture'), captureExamples, { required: false }),
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description: 'Requested; completed, or pending.',
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
          'Cancels a payment request that is created or failed, one that waits for a step of its payer that can be replaced, or one that is authorised if the provider can release the money. If the provider can close the unpaid order, it is closed first: without its confirmation the answer is PAY004. No further attempt is possible.',
        scope: 'requests:write',
        parameters: [id],
        body: emptyBody,
        kinds: ['INVALID_FORMAT', 'NOT_FOUND', 'PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'],
        isWriting: true,
        success: {
          description:
            'Cancelled. The cancellation stays pending until the provider confirms that the money is released.',
          headers: about,
          content: acknowledgement('PaymentAnswer', ['cancelled']),
        },
      }),
    },
  };
}
