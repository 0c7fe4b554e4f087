/** Describes notifications to merchants: one webhook per type. */
import { groupBy } from '../../base/group-by.ts';
import type { NotificationType } from '../../engine/payments/service.ts';
import { currentVersion } from '../middleware/versions.ts';
import { refundTypes, stateExamples } from '../payment-requests/state-examples.ts';
import type { DeliveryConfig, HttpConfig } from '../deps.ts';
import { formatSeconds } from '../openapi/durations.ts';
import { exampleAt } from '../openapi/examples.ts';
import { instant, object, schemaRef, text, whole } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { Operation, Parameter, PathItem } from '../openapi/model.ts';

const paymentTypes: Readonly<Record<NotificationType, string>> = {
  'payment.pending': 'A submission ended with the payment pending.',
  'payment.authorised':
    'The bank reserved the money. Capture the payment to collect it, unless the provider captures automatically.',
  'payment.capture_failed':
    'The capture failed. The payment stays authorised and can be captured or cancelled; if it was already shown as paid, the money will not arrive.',
  'payment.cancel_failed': 'The cancellation failed. The payment stays authorised.',
  'payment.succeeded': 'The payment is paid.',
  'payment.failed': 'The attempt failed. Another attempt can be made.',
  'payment.amount_raised':
    'More money arrived for a paid payment: a later capture at the provider raised `grossAmount`, or more coins raised `receivedAmount` after a full refund.',
  'payment.double_charged': 'A second attempt was charged too: the payer paid twice.',
  'payment.underpaid': 'Coins were received, but fewer than requested: see `receivedAmount`. Sent once per amount.',
  'payment.refunded': 'The payment is refunded in full. `data.refund` is the refund that completed it.',
  'payment.partially_refunded': 'The payment is refunded in part, and stays paid. `data.refund` is the refund.',
  'payment.refund_needs_merchant':
    'The provider cannot send the money of a refund, for example because the payer’s card is closed. Send the money by other means. Sent once per refund.',
  'payment.refund_failed': 'A refund failed before it succeeded. Its amount can be refunded again.',
  'payment.refund_reversed':
    'The money of a refund came back after the refund had succeeded. Its amount can be refunded again.',
  'payment.charged_back': '`chargedBack` became true.',
  'payment.chargeback_reversed': '`chargedBack` became false.',
  'payment.expired': 'The payment request was not paid in time, or was cancelled.',
};
const versionType = 'api.version.deprecated';
const disabledType = 'endpoint.disabled';
const testType = 'webhook.test';

/** The types of all notifications, with what each reports. */
export const notificationTypes: Readonly<Record<string, string>> = {
  ...paymentTypes,
  [versionType]: 'An expired API version was requested. Sent at most once a day.',
  [disabledType]: 'Another of your endpoints failed for days and is disabled. Nothing is sent to it any more.',
  [testType]:
    'Sent on request, by you or the operator. It shows that your receiver works, and enables a disabled endpoint.',
};

/** The schemas of the bodies. Types whose `data` has the same members share one. */
type BodyName =
  | 'PaymentNotification'
  | 'RefundNotification'
  | 'ChargebackNotification'
  | 'VersionNotification'
  | 'EndpointNotification'
  | 'TestNotification';

function bodyOf(type: string): BodyName {
  if (type === versionType) return 'VersionNotification';
  if (type === disabledType) return 'EndpointNotification';
  if (type === testType) return 'TestNotification';
  if (type === 'payment.charged_back') return 'ChargebackNotification';
  return (refundTypes as readonly string[]).includes(type) ? 'RefundNotification' : 'PaymentNotification';
}

const dataOf: Readonly<Record<BodyName, JsonSchema>> = {
  PaymentNotification: object({ paymentRequest: schemaRef('PaymentRequest') }),
  RefundNotification: object(
    { paymentRequest: schemaRef('PaymentRequest'), refund: schemaRef('RefundEntry') },
    // An earlier version's notification of a refund does not have it, and is sent again without it.
    { optional: ['refund'] },
  ),
  ChargebackNotification: object({
    paymentRequest: schemaRef('PaymentRequest'),
    dispute: schemaRef('Dispute'),
  }),
  VersionNotification: object({
    version: text('The version that was requested.'),
    supportEnded: { type: 'string', format: 'date', description: 'When its support ended.' },
    successor: text('The version to use.'),
    documentation: text('The documentation of versions.', { format: 'uri' }),
  }),
  EndpointNotification: object({
    endpoint: object({
      origin: text('Scheme, host and port of the disabled endpoint.'),
      failingSince: instant('Time since which every attempt has failed.'),
    }),
  }),
  TestNotification: object({ message: text('For people.') }),
};

const envelope = (types: readonly string[], data: JsonSchema): JsonSchema =>
  object({
    id: text('The same on every attempt. Use it to deduplicate.'),
    type: { type: 'string', enum: types, description: 'What happened.' },
    mode: schemaRef('Mode'),
    apiVersion: text(`The version of this body, such as ${currentVersion}.`, { pattern: '^\\d+\\.\\d+$' }),
    createdAt: instant('Time of the event.'),
    sequence: whole('Counts the events of one payment request from 1. Notifications may arrive in another order.'),
    data,
  });

const dispute = object({
  case: { type: ['string', 'null'], description: 'The provider’s number of the case; null if it gave none.' },
  amount: {
    type: 'number',
    format: 'double',
    description: 'The disputed amount as the provider reports it. It may exceed the payment’s amount.',
  },
  currency: text('Currency of `amount` (ISO 4217). It may differ from `transactionCurrency`.'),
});

export const webhookSchemas: Readonly<Record<string, JsonSchema>> = {
  Dispute: dispute,
  Mode: { type: 'string', enum: ['test', 'live'], description: '`live` if real money moved.' },
  ...Object.fromEntries(
    Array.from(
      groupBy(Object.keys(notificationTypes), bodyOf),
      ([name, types]) => [name, envelope(types, dataOf[name])] as const,
    ),
  ),
};

const header = (name: string, description: string, isAlways = true): Parameter => {
  return { name, in: 'header', description, schema: { type: 'string' }, ...(isAlways && { required: true as const }) };
};
const headers: readonly Parameter[] = [
  header('X-Webhook-Mode', '`test` or `live`, as in the body.'),
  header(
    'X-Webhook-Signature',
    'HMAC-SHA512 of the raw body, lower hex. The key is the whole secret of the mode as text, `whsec_` included.',
  ),
  header(
    'X-Webhook-Signature-Previous',
    'The signature under the previous secret, while it is still valid after a rotation.',
    false,
  ),
  header('webhook-id', 'The `id` of the body (Standard Webhooks).'),
  header('webhook-timestamp', 'Time of this attempt in Unix seconds (Standard Webhooks).'),
  header('webhook-signature', '`v1,` and base64; several, one space apart, during a rotation (Standard Webhooks).'),
];

export function webhooks({ publicUrl, delivery }: HttpConfig): Readonly<Record<string, PathItem>> {
  const rule = describeDelivery(delivery);
  const examples = notificationExamples(publicUrl);
  return Object.fromEntries(Object.entries(examples).map(([type, example]) => [type, hook(type, rule, example)]));
}

/** The body of a notification of each type. Its payment request is in the situation that the type reports. */
export function notificationExamples(publicUrl: string): Readonly<Record<string, object>> {
  const payments = Object.entries(stateExamples(publicUrl)).map(([type, { paymentRequest, ...about }]) => {
    const data = { paymentRequest: { ...paymentRequest, isSandbox: false }, ...about };
    return [type, exampleOf(type, '1790000010042-1', data)] as const;
  });
  const version = {
    version: '2.0',
    supportEnded: '2024-06-30',
    successor: currentVersion,
    documentation: `${publicUrl}/docs#versions`,
  };
  const endpoint = { origin: 'https://old.shop.example', failingSince: '2026-11-16T12:00:00.000Z' };
  return {
    ...Object.fromEntries(payments),
    [versionType]: exampleOf(versionType, '7-version-2026-11-21', version),
    [disabledType]: exampleOf(disabledType, '7-endpoint-1763726400000', { endpoint }),
    [testType]: exampleOf(testType, '7-test-1763726400000', { message: 'This is a test event for your receiver.' }),
  };
}

function exampleOf(type: string, id: string, data: object): object {
  return { id, type, mode: 'live', apiVersion: currentVersion, createdAt: exampleAt, sequence: 1, data };
}

/** When a delivery counts as successful, and how often and how long it is attempted. */
export function describeDelivery({ timeoutMs, attemptDelaysSeconds }: DeliveryConfig): string {
  const total = attemptDelaysSeconds.reduce((sum, delay) => sum + delay, 0);
  return (
    `Anything but a 2xx within ${formatSeconds(timeoutMs / 1000)} is retried, ` +
    `${attemptDelaysSeconds.length} attempts in about ${formatSeconds(total)}`
  );
}

function hook(type: string, rule: string, example: object): PathItem {
  const operation: Operation = {
    operationId: type.replaceAll('.', '_'),
    tags: ['Webhooks'],
    summary: type,
    description:
      `${notificationTypes[type] ?? ''} Posted to \`notifyUrl\` of the payment request, else to the owner’s default address of the mode. ` +
      `${rule}; 410 stops the retries. Redirects are not followed.`,
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema: schemaRef(bodyOf(type)), example } } },
    responses: { '2XX': { description: 'Delivered.' }, '410': { description: 'Do not send this notification again.' } },
  };
  return { post: operation };
}
