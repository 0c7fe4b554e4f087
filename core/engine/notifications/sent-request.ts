/** The request of a notification as its receiver gets it, for people to read. */
import type { Environment } from '../../base/environment.ts';

export interface SentRequest {
  readonly url: string;
  /** The signatures are left out, because each attempt has its own. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

const perAttempt = '(different for each attempt)';

export function sentRequest({
  id,
  url,
  body,
  environment,
}: {
  readonly id: string;
  readonly url: string;
  readonly body: string;
  readonly environment: Environment;
}): SentRequest {
  const headers = [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'Paywright'],
    ['X-Webhook-Mode', environment],
    ['webhook-id', id],
    ['webhook-timestamp', perAttempt],
    ['webhook-signature', perAttempt],
    ['X-Webhook-Signature', perAttempt],
  ] as const;
  return { url, headers, body };
}
