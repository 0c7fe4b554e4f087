/**
 * Stripe's events. All deliveries of an event have the same body; each delivery is signed again with every secret of
 * the webhook.
 */
import { onlyHeader, stringifyExact, type RawCallback, type SandboxSetup } from '@paywright/contract';
import { newId, wrongSecret, type Message, type Sending } from '@paywright/contract/sandbox';
import { isTestKey, type Options } from '../options.ts';
import { eventMac, readSignature } from '../signing.ts';
import { API_VERSION } from '../wire.ts';

/** When an event is sent, and what changes at Stripe at its first delivery. */
export interface Timing {
  /** Delay from now, in sandbox delays. */
  readonly after: number;
  readonly happens?: () => void;
}

export interface Events {
  /** `object` returns the subject of the event in its state at the first delivery. */
  event(type: string, object: () => Readonly<Record<string, unknown>>, timing: Timing): Message;
}

export function createEvents({ options, publicUrl }: SandboxSetup<Options>): Events {
  const livemode = !isTestKey(options);

  function headers(body: Uint8Array, { forged }: Sending): Readonly<Record<string, string>> {
    const time = String(Math.floor(Date.now() / 1000));
    const secrets = forged ? options.webhookSecrets.map(wrongSecret) : options.webhookSecrets;
    const macs = secrets.map((secret) => `v1=${eventMac(secret, time, body).toString('hex')}`);
    return { 'Content-Type': 'application/json; charset=utf-8', 'Stripe-Signature': [`t=${time}`, ...macs].join(',') };
  }

  return {
    event(type, object, { after, happens }) {
      const id = newId('evt_', 24);
      let body: Buffer | undefined;
      return {
        name: type,
        after,
        request(sending) {
          if (sending.number === 1) happens?.();
          const created = Math.floor(Date.now() / 1000);
          const head = { id, object: 'event', api_version: API_VERSION, created, livemode, pending_webhooks: 1 };
          body ??= Buffer.from(stringifyExact({ ...head, request: null, type, data: { object: object() } }));
          return { method: 'POST', url: `${publicUrl}/callbacks/stripe`, headers: headers(body, sending), body };
        },
      };
    },
  };
}

/** Signs a changed body again, with its original time. A body without a signature is signed as just sent. */
export function signCallback(raw: RawCallback, { webhookSecrets: [secret = ''] }: Options): RawCallback {
  const now = String(Math.floor(raw.receivedAt.getTime() / 1000));
  const { time = now } = readSignature(onlyHeader(raw, 'stripe-signature') ?? '') ?? {};
  const others = raw.headers.filter(([name]) => name.toLowerCase() !== 'stripe-signature');
  const mac = eventMac(secret, time, raw.body).toString('hex');
  return { ...raw, headers: [...others, ['Stripe-Signature', `t=${time},v1=${mac}`]] };
}
