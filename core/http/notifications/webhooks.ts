/** Notifications to merchants: one webhook per type. */
import type { NotificationType } from '../../engine/payments/service.ts';
import { currentVersion } from '../middleware/versions.ts';
import { paidExample } from '../payment-requests/view.ts';
import type { DeliveryConfig, HttpConfig } from '../deps.ts';
import { formatSeconds } from '../openapi/durations.ts';
import { instant, object, schemaRef, text, whole } from '../openapi/json-schema.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';
import type { Operation, Parameter, PathItem } from '../openapi/model.ts';

const paymentTypes: Readonly<Record<NotificationType, string>> = {
  'payment.pending': 'A submission ended with the payment pending.',
  'payment.authorised': 'The bank reserved the money; a capture collects it, unless the provider does so by itself.',
  'payment.capture_failed':
    'A capture that was under way failed: it is authorised as before, and may be captured or cancelled. Of a paid one: the money does not come.',
  'payment.cancel_failed': 'A cancel that was under way failed: it is authorised as before.',
  'payment.succeeded': 'It is paid.',
  'payment.failed': 'The attempt failed; another may be made.',
  'payment.double_charged': 'Another attempt was charged too: the payer paid twice.',
  'payment.underpaid': 'Coins came in, and fewer than asked for: `receivedAmount`. Once per amount.',
  'payment.refunded': 'It is refunded in full.',
  'payment.partially_refunded': 'A part of it is refunded; it stays paid.',
  'payment.refund_reversed': 'A refund was taken back.',
  'payment.charged_back': '`chargedBack` became true.',
  'payment.chargeback_reversed': '`chargedBack` became false.',
  'payment.expired': 'Nobody paid in time, or it was cancelled.',
};
const versionType = 'api.version.deprecated';
const disabledType = 'endpoint.disabled';
const testType = 'webhook.test';

/** The types of all notifications, with what each reports. */
export const notificationTypes: Readonly<Record<string, string>> = {
  ...paymentTypes,
  [versionType]: 'A version that is past its support was requested. At most once a day.',
  [disabledType]: 'Another address of yours failed for days, and nothing is sent to it any more.',
  [testType]: 'The operator, or you, asked for it: it shows that your receiver works, and enables a disabled address.',
};

const envelope = (type: string, data: JsonSchema): JsonSchema =>
  object({
    id: text('The same on every attempt: by it a repetition is known.'),
    type: { type: 'string', const: type },
    mode: { type: 'string', enum: ['test', 'live'], description: 'Whether real money moved.' },
    apiVersion: { type: 'string', const: currentVersion, description: 'The version of this body.' },
    createdAt: instant('When it happened.'),
    sequence: whole('Counts the events of one payment request, from 1: notifications may arrive in another order.'),
    data,
  });

const versionData = object({
  version: text('The version that was requested.'),
  supportEnded: { type: 'string', format: 'date', description: 'When its support ended.' },
  successor: text('The version to use.'),
  documentation: text('Where versions are explained.', { format: 'uri' }),
});

const disabledData = object({
  endpoint: object({
    origin: text('Scheme, host and port of the address that is disabled.'),
    failingSince: instant('Since when every attempt failed.'),
  }),
});

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
    'The same under the secret before a rotation, while it is still valid.',
    false,
  ),
  header('webhook-id', 'The `id` of the body (Standard Webhooks).'),
  header('webhook-timestamp', 'When this attempt was made, Unix seconds (Standard Webhooks).'),
  header('webhook-signature', '`v1,` and base64; several, one space apart, during a rotation (Standard Webhooks).'),
];

export function webhooks({ publicUrl, delivery }: HttpConfig): Readonly<Record<string, PathItem>> {
  const paymentRequest = paidExample(publicUrl);
  const rule = describeDelivery(delivery);
  const frame = (type: string) => {
    const id = `${paymentRequest.id}-1`;
    return { id, type, mode: 'live', apiVersion: currentVersion, createdAt: '2026-11-21T12:00:00.000Z', sequence: 1 };
  };
  const paymentHooks = Object.keys(paymentTypes).map((type) => {
    const schema = envelope(type, object({ paymentRequest: schemaRef('PaymentRequest') }));
    return [type, hook(type, schema, rule, { ...frame(type), data: { paymentRequest } })] as const;
  });
  const documentation = `${publicUrl}/docs#versions`;
  const data = { version: '2.0', supportEnded: '2024-06-30', successor: currentVersion, documentation };
  const versionExample = { ...frame(versionType), id: '7-version-2026-11-21', data };
  const failing = { endpoint: { origin: 'https://old.shop.example', failingSince: '2026-11-16T12:00:00.000Z' } };
  const disabledExample = { ...frame(disabledType), id: '7-endpoint-1763726400000', data: failing };
  const asked = { message: 'Your receiver is asked whether it works.' };
  const testExample = { ...frame(testType), id: '7-test-1763726400000', data: asked };
  return {
    ...Object.fromEntries(paymentHooks),
    [versionType]: hook(versionType, envelope(versionType, versionData), rule, versionExample),
    [disabledType]: hook(disabledType, envelope(disabledType, disabledData), rule, disabledExample),
    [testType]: hook(testType, envelope(testType, testData), rule, testExample),
  };
}

/** When a delivery counts, and how often and how long it is tried. */
export function describeDelivery({ timeoutMs, attemptDelaysSeconds }: DeliveryConfig): string {
  const total = attemptDelaysSeconds.reduce((sum, delay) => sum + delay, 0);
  return (
    `Anything but a 2xx within ${formatSeconds(timeoutMs / 1000)} is tried again, ` +
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
      `${rule}; 410 ends it. Redirects are not followed.`,
    security: [],
    parameters: headers,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'Delivered.' }, '410': { description: 'Do not send it any more.' } },
  };
  return { post: operation };
}
