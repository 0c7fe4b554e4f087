/**
 * Receives notifications safely: verify, store, answer, and only then work. A notification that could not be stored is
 * answered with 500, so the gateway sends it again; one that was stored is never lost, even if the work fails.
 */
import type { WebhookNotification } from '../generated/types.ts';
import { verifyWebhook, WebhookVerificationError, type WebhookHeaders } from '../verify-webhook.ts';

export interface ReceiverOptions {
  /** `whsec_…`; during a rotation both secrets, in any order. */
  readonly secret: string | readonly string[] | undefined;
  /**
   * Stores a genuine notification, for example in a table whose primary key is `notification.id`. Resolve once the
   * write is durable. The same notification may arrive twice: storing it again must change nothing and must not fail.
   */
  readonly store: (notification: WebhookNotification, rawBody: string) => Promise<void> | void;
  /** Starts your work on stored notifications. It runs after the answer, also for a notification that arrives again. */
  readonly onStored?: (notification: WebhookNotification) => Promise<void> | void;
  /** Receives the errors of `store` and `onStored`, and why a message is refused. Default: `console.error`. */
  readonly onError?: (error: unknown) => void;
}

/** The status to answer with: 204 stored, 401 not genuine, 500 not stored. The answer has no body. */
export type ReceivedStatus = 204 | 401 | 500;

export interface Receiver {
  /** Receives one message. `rawBody`: the bytes as received, before any parser. Never rejects. */
  readonly receive: (rawBody: string | Uint8Array, headers: WebhookHeaders) => Promise<ReceivedStatus>;
  readonly onError: (error: unknown) => void;
}

export function createReceiver({ secret, store, onStored, onError = console.error }: ReceiverOptions): Receiver {
  function startWork(notification: WebhookNotification): void {
    // After the answer was sent: slow work must not make the gateway repeat the notification.
    setTimeout(() => {
      void Promise.resolve()
        .then(() => onStored?.(notification))
        .catch(onError);
    }, 0);
  }

  return {
    onError,
    async receive(rawBody, headers) {
      try {
        const notification = await verifyWebhook(rawBody, headers, secret);
        await store(notification, typeof rawBody === 'string' ? rawBody : new TextDecoder().decode(rawBody));
        startWork(notification);
        return 204;
      } catch (error) {
        onError(error);
        return error instanceof WebhookVerificationError ? 401 : 500;
      }
    },
  };
}
