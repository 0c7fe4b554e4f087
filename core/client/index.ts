/** The public surface of the merchant's client. */
export { createClient } from './create-client.ts';
export { CallError, GatewayError, NoAnswerError } from './errors.ts';
export type * from './generated/types.ts';
export { listAll } from './list-all.ts';
export type { CallOptions, ClientOptions, WriteOptions } from './options.ts';
export { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';
export type { VerifyOptions, WebhookHeaders } from './verify-webhook.ts';
