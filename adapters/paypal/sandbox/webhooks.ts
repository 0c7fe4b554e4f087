/** PayPal's webhooks, signed with PayPal's private key, which only a sandbox has. */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import {
  filled,
  readAs,
  v,
  writeRfc3339,
  type ProviderSide,
  type RawCallback,
  type SandboxSetup,
} from '@paywright/contract';
import { newId, wrongSecret, type Message } from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { headersOf, readTransmission, signedText } from '../signing.ts';

/** `sandbox.options` of the config: a private key, and its certificate with those of its issuers. */
const ProviderSide = v.object({ privateKey: filled, certificate: filled });

export const CERTIFICATE = 'CERT-SANDBOX-1';

export interface Keys {
  readonly privateKey: KeyObject;
  readonly certificate: string;
}

export function readKeys(providerSide: ProviderSide): Keys {
  const side = readAs(ProviderSide, providerSide);
  if (!side) throw new TypeError('sandbox.options lacks privateKey or certificate: both are PEM text');
  return { privateKey: createPrivateKey(side.privateKey), certificate: side.certificate };
}

function signatureOf(privateKey: KeyObject, text: string): string {
  return sign('sha256', Buffer.from(text), privateKey).toString('base64');
}

/** Signs a recorded webhook again as PayPal does, with the time and the id that it came with. */
export function signCallback(
  raw: RawCallback,
  { webhookIds: [webhookId = ''] }: Options,
  providerSide: ProviderSide,
): RawCallback {
  const transmission = readTransmission(raw);
  if (!transmission) return raw;
  const { privateKey } = readKeys(providerSide);
  const signature = signatureOf(privateKey, signedText(transmission, webhookId, raw.body));
  const others = raw.headers.filter(([name]) => !name.toLowerCase().startsWith('paypal-'));
  return { ...raw, headers: [...others, ...headersOf({ ...transmission, signature })] };
}

/** The content of a webhook. */
export interface News {
  readonly type: string;
  readonly resourceType: string;
  readonly resource: object;
}

/** `after` counts sandbox delays. `happens` runs when the webhook is first sent, before `news` is called. */
export type Notify = (name: string, news: () => News, after: number, happens?: () => void) => Message;

export function createNotify({ options, providerSide, baseUrl, publicUrl }: SandboxSetup<Options>): Notify {
  const { privateKey } = readKeys(providerSide);
  const [webhookId = ''] = options.webhookIds;
  return (name, news, after, happens) => {
    let body: string | undefined;
    return {
      name,
      after,
      request({ forged }) {
        if (body === undefined) {
          happens?.();
          const { type, resourceType, resource } = news();
          const head = { id: newId('WH-', 17), event_version: '1.0', create_time: writeRfc3339(new Date()) };
          body = JSON.stringify({
            ...head,
            resource_type: resourceType,
            resource_version: '2.0',
            event_type: type,
            resource,
          });
        }
        const transmission = {
          id: crypto.randomUUID(),
          time: writeRfc3339(new Date()),
          certUrl: `${baseUrl}/v1/notifications/certs/${CERTIFICATE}`,
        };
        const text = signedText(transmission, forged ? wrongSecret(webhookId) : webhookId, Buffer.from(body));
        const headers = headersOf({ ...transmission, signature: signatureOf(privateKey, text) });
        return {
          method: 'POST',
          url: `${publicUrl}/callbacks/paypal`,
          headers: { 'Content-Type': 'application/json', ...Object.fromEntries(headers) },
          body,
        };
      },
    };
  };
}
