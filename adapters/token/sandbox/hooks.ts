/**
 * The vault's callbacks: one body for all deliveries of an event. Each delivery is signed again with every hook secret.
 */
import { stringifyExact, utf8, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import { BoundedMap, newId, type Message, type Sending } from '@paywright/contract/sandbox';
import { hookMac, signedBody, type AckVerdict } from '../signing.ts';
import { hookKey, type Options } from '../options.ts';

/** The time of a callback, and the change at the vault at its first delivery. */
export interface Timing {
  /** Sandbox delays from now. */
  readonly after: number;
  readonly happens?: () => void;
}

export interface Hooks {
  /**
   * A callback about `subject`, the id by which `seq` is counted. `members` returns the other members of the event at
   * its first delivery.
   */
  event(name: string, subject: string, members: () => Readonly<Record<string, unknown>>, timing: Timing): Message;
}

export function createHooks({ options, publicUrl }: SandboxSetup<Options>): Hooks {
  const { merchantId: mid, hookSecrets, callbackUrl } = options;
  const counts = new BoundedMap<string, number>();

  function count(subject: string): number {
    const seq = (counts.get(subject) ?? 0) + 1;
    counts.set(subject, seq);
    return seq;
  }

  /** The signature covers the registered address. The request goes to the gateway's own address. */
  function signatures(id: string, time: string, body: Uint8Array, { forged }: Sending): string {
    const keys = hookSecrets.map(hookKey).map((key) => (forged ? wrongKey(key) : key));
    return keys.map((key) => `v1,${hookMac(key, callbackUrl, id, time, body).toString('base64')}`).join(' ');
  }

  return {
    event(name, subject, members, { after, happens }) {
      const id = newId('ev_', 12);
      const seq = count(subject);
      let body: Buffer | undefined;
      let time = '';
      return {
        name,
        after,
        request(sending) {
          if (sending.number === 1) happens?.();
          body ??= Buffer.from(stringifyExact({ event: name, mid, seq, at: new Date().toISOString(), ...members() }));
          time = String(Math.floor(Date.now() / 1000));
          const sign = signatures(id, time, body, sending);
          return {
            method: 'POST',
            url: `${publicUrl}/callbacks/token`,
            headers: { 'Content-Type': 'application/json', 'tk-id': id, 'tk-time': time, 'tk-sign': sign },
            body,
          };
        },
        acknowledged: (reply) => isContent(reply, (verdict) => signedBody(hookSecrets, id, time, verdict)),
      };
    },
  };
}

/** Accepts 200 with a correctly signed `accept`, or 422 with a correctly signed `reject`. */
function isContent({ status, body }: CallbackReply, expected: (verdict: AckVerdict) => string): boolean {
  const verdict = status === 200 ? 'accept' : status === 422 ? 'reject' : undefined;
  return verdict !== undefined && utf8(body) === expected(verdict);
}

/** A foreign key: the first byte differs. */
function wrongKey(key: Uint8Array): Uint8Array {
  return Uint8Array.from(key, (byte, at) => (at === 0 ? byte ^ 1 : byte));
}
