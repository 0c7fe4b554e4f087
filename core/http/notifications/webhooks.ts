/** Describes notifications to merchants: one webhook per type. */
import type { NotificationType } from '../../engine/payments/service.ts';
import { currentVersion } from '../middleware/versions.ts';
import { refundTypes, stateExamples } from '../payment-requests/state-examples.ts';
import type { DeliveryConfig, HttpConfig } from '../deps.ts';
import { formatSeconds } from '../openapi/durations.ts';
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

const envelope = (type: string, data: JsonSchema): JsonSchema =>
  object({
    id: text('The same on every attempt. Use it to deduplicate.'),
    type: { type: 'string', const: type },
    mode: { type: 'string', enum: ['test', 'live'], description: '`live` if real money moved.' },
    apiVersion: { type: 'string', const: currentVersion, description: 'The version of this body.' },
    createdAt: instant('Time of the event.'),
    sequence: whole('Counts the events of one payment request from 1. Notifications may arrive in another order.'),
    data,
  });

const versionData = object({
  version: text('The version that was requested.'),
  supportEnded: { type: 'string', format: 'date', description: 'When its support ended.' },
  successor: text('The version to use.'),
  documentation: text('The documentation of versions.', { format: 'uri' }),
});

const disabledData = object({
  endpoint: object({
    origin: text('Scheme, host and port of the disabled endpoint.'),
    failingSince: instant('Time since which every attempt has failed.'),
  }),
});

/** Members of `data` next to `paymentRequest`, by type. */
const causes: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>> = {
  'payment.charged_back': {
    dispute: object({
      case: { type: ['string', 'null'], description: 'The provider’s number of the case; null if it gave none.' },
      amount: {
        type: 'number',
        description: 'The disputed amount as the provider reports it. It may exceed the payment’s amount.',
      },
      currency: text('Currency of `amount` (ISO 4217). It may differ from `transactionCurrency`.'),
    }),
  },
  ...Object.fromEntries(refundTypes.map((type) => [type, { refund: schemaRef('RefundEntry') }])),
};

const testData = object({ message: text('For people.') });

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
  const examples = stateExamples(publicUrl);
  const rule = describeDelivery(delivery);
  const frame = (type: string) => {
    const id = '1790000010042-1';
    return { id, type, mode: 'live', apiVersion: currentVersion, createdAt: '2026-11-21T12:00:00.000Z', sequence: 1 };
  };
  const paymentHooks = (Object.keys(paymentTypes) as NotificationType[]).map((type) => {
    const schema = envelope(
      type,
      // Optional: an earlier version's notification of a refund does not have it, and is resent as it was.
      object({ paymentRequest: schemaRef('PaymentRequest'), ...causes[type] }, { optional: ['refund'] }),
    );
    const { paymentRequest, ...about } = examples[type];
    const data = { paymentRequest: { ...paymentRequest, isSandbox: false }, ...about };
    return [type, hook(type, schema, rule, { ...frame(type), data })] as const;
  });
  const documentation = `${publicUrl}/docs#versions`;
  const data = { version: '2.0', supportEnded: '2024-06-30', successor: currentVersion, documentation };
  const versionExample = { ...frame(versionType), id: '7-version-2026-11-21', data };
  const failing = { endpoint: { origin: 'https://old.shop.example', failingSince: '2026-11-16T12:00:00.000Z' } };
  const disabledExample = { ...frame(disabledType), id: '7-endpoint-1763726400000', data: failing };
  const asked = { message: 'This is a test event for your receiver.' };
  const testExample = { ...frame(testType), id: '7-test-1763726400000', data: asked };
  return {
    ...Object.fromEntries(paymentHooks),
    [versionType]: hook(versionType, envelope(versionType, versionData), rule, versionExample),
    [disabledType]: hook(disabledType, envelope(disabledType, disabledData), rule, disabledExample),
    [testType]: hook(testType, envelope(testType, testData), rule, testExample),
  };
}

/** When a delivery counts as successful, and how often and how long it is attempted. */
export function describeDelivery({ timeoutMs, attemptDelaysSeconds }: DeliveryConfig): string {
  const total = attemptDelaysSeconds.reduce((sum, delay) => sum + delay, 0);
  return (
    `Anything but a 2xx within ${formatSeconds(timeoutMs / 1000)} is retried, ` +
    `${attemptDelaysSeconds.length} attempts in about ${formatSeconds(total)}`
  );
}

function hook(type: string, schema: JsonSchema, rule: string, example: unknown): PathItem {
  const operation: Operation = {
    operationId: type.replaceAll('.', '_'),
    tags: ['Webhooks'],
    summary: type,
    description:
      `${notificationTypes[type] ?? ''} Posted to \`notifyUrl\` of the payment request, else to the owner’s default address of the mode. ` +
      `${rule}; 410 stops the retries. Redirects are not followed.`,
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'Delivered.' }, '410': { description: 'Do not send this notification again.' } },
  };
  return { post: operation };
}
