/** B's callbacks. Each sending has a new check. */
import { fromMinor, utf8, writeForm, type CallbackReply } from '@paywright/contract';
import { wrongSecret, type Message } from '@paywright/contract/sandbox';
import { controlOf } from '../wire.ts';
import type { Options } from '../options.ts';

/** The subject of a callback, and its address. */
export interface About {
  readonly ref: string;
  readonly txn: string;
  readonly cur: string;
  readonly last4: string;
  readonly hook: string;
}

export interface Operation {
  /** The operation: `sale`, `reversal` or `dispute`. */
  readonly op: string;
  /** The operation's number, 0 for the sale. */
  readonly number: number;
  readonly outcome: string;
  /** Minor units. */
  readonly minor: string | bigint;
  /** The reason for a declined or filtered operation. */
  readonly code?: string;
  readonly note?: string;
}

export interface Timing {
  /** Sandbox delays from now. */
  readonly after: number;
  /** The change at B at the moment of the first report. */
  readonly happens?: () => void;
}

export type ToMessage = (about: About, operation: Operation, timing: Timing) => Message;

export function createMessages({ endpoint, controlKeys }: Options): ToMessage {
  return (about, { op, number, outcome, minor, code, note }, { after, happens }) => ({
    name: `${op}/${outcome}`,
    after,
    request(sending) {
      if (sending.number === 1) happens?.();
      const key = sending.forged ? wrongSecret(controlKeys[0]!) : controlKeys[0]!;
      const query = writeForm({
        outcome,
        b_txn: about.txn,
        gw_ref: about.ref,
        endpoint,
        op,
        op_no: String(number),
        total: fromMinor(minor, about.cur),
        cur: about.cur,
        last4: about.last4,
        code: code || undefined,
        note: note ?? 'merci à vous',
        check: controlOf(key, outcome, about.txn, about.ref).toString('hex'),
      });
      const url = `${about.hook}${about.hook.includes('?') ? '&' : '?'}${query}`;
      return { method: 'GET', url, headers: { 'User-Agent': 'provider-b/2', Accept: 'text/plain' } };
    },
  });
}

export function isAcknowledged({ status, body }: CallbackReply): boolean {
  return status === 200 && utf8(body) === 'OK';
}
