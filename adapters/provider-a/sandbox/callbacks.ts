/** A's callbacks. Each sending is signed again with the current keys. */
import { readJsonObject, utf8, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import { newId, wrongSecret, type Message, type Sending } from '@paywright/contract/sandbox';
import { canonicalEntry, entryMac } from '../callbacks/provider-a.ts';
import { seal } from '../callbacks/provider-a-chargeback.ts';
import { canonicalMessage, refundSeal } from '../callbacks/provider-a-refund.ts';
import type { Options } from '../options.ts';
import type { Sum } from '../wire.ts';

/** The members that every callback about a payment repeats. */
export interface About {
  readonly txn: string;
  readonly ref: string;
  readonly mode: 'live' | 'test';
}

/** One operation of a batch. */
export interface Operation {
  readonly txn: string;
  readonly parent: string | null;
  readonly sum: Sum;
  readonly what: string;
  readonly good: boolean;
  readonly why: string | null;
}

export interface RefundFacts {
  readonly id: string;
  readonly refundRef: string | null;
  readonly sum: Sum;
}

/** The time of a message, and the change at A at that moment. */
export interface Timing {
  /** Sandbox delays from now. */
  readonly after: number;
  readonly happens?: () => void;
}

export interface Callbacks {
  batch(about: About, operations: readonly Operation[], timing: Timing): Message;
  chargeback(about: About, sum: Sum, caseId: string, stage: string, timing: Timing): Message;
  refund(about: About, refund: RefundFacts, state: string, timing: Timing): Message;
}

// Batch numbers exceed 2^53, so that a reader that converts them to doubles fails visibly.
const FIRST_BATCH = 2n ** 53n + 1n;

export function createCallbacks({ options, publicUrl }: SandboxSetup<Options>): Callbacks {
  const { account: acct } = options;
  let batchNo = FIRST_BATCH;
  const current = (keys: readonly string[], { forged }: Sending): string => (forged ? wrongSecret(keys[0]!) : keys[0]!);

  function message(
    name: string,
    route: string,
    { after, happens }: Timing,
    acknowledged: (reply: CallbackReply) => boolean,
    write: (sending: Sending) => { readonly body: string; readonly headers?: Readonly<Record<string, string>> },
  ): Message {
    return {
      name,
      after,
      acknowledged,
      request(sending) {
        if (sending.number === 1) happens?.();
        const { body, headers } = write(sending);
        return {
          method: 'POST',
          url: `${publicUrl}/callbacks/${route}`,
          headers: { 'Content-Type': 'application/json', ...headers },
          body,
        };
      },
    };
  }

  return {
    batch({ ref, mode }, operations, timing) {
      const at = new Date().toISOString();
      const number = batchNo++;
      const write = (sending: Sending) => {
        const entries = operations.map(({ good, sum, ...operation }) => {
          const entry = { ...operation, acct, ref, sum, good: String(good), at };
          const mac = entryMac(current(options.itemKeys, sending), canonicalEntry(entry)).toString('base64');
          return { entry: { ...entry, sum: toJson(sum), mac } };
        });
        return { body: `{"mode":"${mode}","batchNo":${number},"entries":${JSON.stringify(entries)}}` };
      };
      const name = operations.map(({ what, good }) => `${what}:${good}`).join(' ');
      return message(
        name,
        'providerA',
        timing,
        ({ status, body }) => status === 200 && utf8(body) === '[taken]',
        write,
      );
    },

    chargeback({ txn, ref, mode }, sum, caseId, stage, timing) {
      const body = JSON.stringify({
        eventId: newId('CBE-'),
        caseId,
        acct,
        txn,
        ref,
        mode,
        stage,
        sum: toJson(sum),
        reasonCode: '10.4',
        dueAt: null,
      });
      const write = (sending: Sending) => {
        const time = String(Math.floor(Date.now() / 1000));
        const s1 = seal(current(options.sealKeys, sending), time, Buffer.from(body)).toString('hex');
        return { body, headers: { 'X-A-Seal': `t=${time},s1=${s1}` } };
      };
      return message(stage, 'providerA-chargeback', timing, ({ status }) => status === 204, write);
    },

    refund({ txn, ref, mode }, { id, refundRef, sum }, state, timing) {
      const final = state !== 'queued';
      const refund = { id, txn, refundRef, state, sum: toJson(sum), final, note: null };
      const legs = [{ via: 'card', minor: Number(sum.minor) }];
      const sentAt = new Date().toISOString();
      const write = (sending: Sending) => {
        const unsigned = { acct, mode, ref, refund, legs, sentAt };
        const canonical = canonicalMessage(readJsonObject(Buffer.from(JSON.stringify(unsigned)))!)!;
        const mac = refundSeal(current(options.refundKeys, sending), canonical).toString('base64');
        return { body: JSON.stringify({ ...unsigned, seal: mac }) };
      };
      const taken = ({ status, body }: CallbackReply): boolean => status === 200 && utf8(body) === '{"result":"ok"}';
      return message(state, 'providerA-refund', timing, taken, write);
    },
  };
}

/** Minor units have at most 15 digits, so a double holds them exactly. */
export function toJson({ minor, cur }: Sum): { minor: number; cur: string } {
  return { minor: Number(minor), cur };
}
