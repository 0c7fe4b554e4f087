/** The vault's callbacks: one body for all deliveries of an event, signed anew for each with every hook secret. */
import { stringifyExact, utf8, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import { BoundedMap, newId, type Message, type Sending } from '@paywright/contract/sandbox';
import { hookMac, signedBody, type AckVerdict } from '../signing.ts';
import { hookKey, type Options } from '../options.ts';

/** When a callback goes out, and what changes at the vault the moment that it first does. */
export interface Timing {
  /** Sandbox delays from now. */
  readonly after: number;
  readonly happens?: () => void;
}

export interface Hooks {
  /**
   * A callback about `subject`, an id by which its `seq` is counted. `members` gives what comes beside the event's
   * name, as of its first delivery.
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

  /** The registered address is signed; what is called is the gateway's own, wherever it runs. */
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

/** 200 with a right signed `accept`, or 422 with a right signed `reject`. */
function isContent({ status, body }: CallbackReply, expected: (verdict: AckVerdict) => string): boolean {
  const verdict = status === 200 ? 'accept' : status === 422 ? 'reject' : undefined;
  return verdict !== undefined && utf8(body) === expected(verdict);
}

/** A key that is none of ours: the first byte is another. */
function wrongKey(key: Uint8Array): Uint8Array {
  return Uint8Array.from(key, (byte, at) => (at === 0 ? byte ^ 1 : byte));
}
