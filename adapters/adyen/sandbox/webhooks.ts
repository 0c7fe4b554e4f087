/**
 * Adyen's webhooks: one item each, signed with the current key, sent with the user name and password of the webhook.
 */
import { basicAuthorization, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import { newId, wrongSecret, type Message } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { itemSignature } from '../signing.ts';
import type { Amount } from '../wire.ts';

export interface Said {
  /** The payment's reference in AUTHORISATION; the reference of the request or dispute in all later items. */
  readonly pspReference: string;
  /** The payment's reference, in later items. */
  readonly originalReference?: string;
  readonly merchantReference: string;
  readonly amount: Amount;
  readonly eventCode: string;
  readonly success: boolean;
  readonly reason?: string;
  readonly additionalData?: Readonly<Record<string, string>>;
}

/** When a message is sent, and what changes at Adyen at that moment. */
export interface Timing {
  /** Delay from now, in sandbox delays. */
  readonly after: number;
  readonly happens?: () => void;
}

export type ToMessage = (said: Said, timing: Timing) => Message;

export function isAccepted({ status }: CallbackReply): boolean {
  return status >= 200 && status < 300;
}

/** 16 capital letters and digits, like Adyen's references. */
export function newPspReference(): string {
  return newId('', 16);
}

export function createWebhooks({ options, publicUrl }: SandboxSetup<Options>): ToMessage {
  const [hmacKey = ''] = options.hmacKeys;
  const [password = ''] = options.webhookPasswords;
  return (said, { after, happens }) => {
    const { additionalData = {}, amount, success, reason = '', ...names } = said;
    const eventDate = new Date().toISOString().replace(/\.\d+Z$/, '+00:00');
    const signed = { ...names, amount, success: String(success), merchantAccountCode: options.merchantAccount };
    return {
      name: `${said.eventCode}:${success}`,
      after,
      request({ number, forged }) {
        if (number === 1) happens?.();
        const key = forged ? wrongSecret(hmacKey) : hmacKey;
        const item = {
          ...signed,
          additionalData: { ...additionalData, hmacSignature: itemSignature(key, signed).toString('base64') },
          amount: toJson(amount),
          eventDate,
          paymentMethod: 'visa',
          reason,
        };
        return {
          method: 'POST',
          url: `${publicUrl}/callbacks/adyen`,
          headers: {
            'Content-Type': 'application/json; charset=utf-8',
            Authorization: basicAuthorization(options.webhookUser, password),
          },
          body: JSON.stringify({ live: 'false', notificationItems: [{ NotificationRequestItem: item }] }),
        };
      },
    };
  };
}

/** The value has at most 15 digits, so a double can hold it. */
export function toJson({ value, currency }: Amount): { value: number; currency: string } {
  return { value: Number(value), currency };
}
