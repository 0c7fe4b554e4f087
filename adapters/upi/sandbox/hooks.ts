/** The switch's callbacks: one blob for all deliveries of an event, with a new event id each time. */
import { JsonNumber, readAs, readJsonObject, v, type CallbackReply, type SandboxSetup } from '@paywright/contract';
import { newId, wrongSecret, type Message } from '@paywright/contract/sandbox';
import { toBlob, toCheck } from '../wire.ts';
import type { Options } from '../options.ts';

/** The members of a callback. `late`, `r_txn` and `d_no` may be absent. */
export interface Notice {
  readonly u_txn: string;
  readonly gw_ref: string;
  readonly paise: string;
  readonly mode: string | null;
  readonly vpa: string | null;
  readonly rrn: string | null;
  readonly state: string;
  readonly why: string | null;
  readonly late?: true;
  readonly r_txn?: string;
  readonly d_no?: string;
}

export interface Sent {
  /** The address of the callback. */
  readonly url: string;
  /** Sandbox delays from now. */
  readonly after: number;
  /** The change at the switch at the moment of the first sending. */
  readonly happens?: () => void;
}

export interface Hooks {
  /** `notice` returns the report at the first delivery. */
  notify(state: string, notice: () => Notice, sent: Sent): Message;
}

const Ack = v.object({ status: v.literal('SUCCESS') });

/** The switch repeats until 200 with `status` `SUCCESS`. */
export function isTaken({ status, body }: CallbackReply): boolean {
  return status === 200 && readAs(Ack, readJsonObject(body)) !== undefined;
}

export function createHooks({ options, delayMs }: SandboxSetup<Options>): Hooks {
  const { merchantId: mid, salts, saltIndex } = options;
  const salt = salts[saltIndex]!;
  return {
    notify(state, notice, { url, after, happens }) {
      // In the order of the events, not of the reports.
      const at = Date.now() + after * delayMs;
      let blob: string | undefined;
      return {
        name: state,
        after,
        request({ number, forged }) {
          if (number === 1) happens?.();
          blob ??= toBlob(write(notice(), mid, at));
          const check = toCheck(blob, saltIndex, forged ? wrongSecret(salt) : salt);
          const headers = { 'Content-Type': 'application/json', 'X-U-Event': newId('E', 16), 'X-U-Check': check };
          return { method: 'POST', url, headers, body: JSON.stringify({ blob }) };
        },
      };
    },
  };
}

function write({ paise, ...notice }: Notice, mid: string, at: number): unknown {
  // They report that the switch worked, and never that anyone paid.
  const [ok, code] = [true, notice.state === 'FAILED' ? 'PAYMENT_ERROR' : 'PAYMENT_OK'];
  return { ok, code, mid, paise: new JsonNumber(paise), ...notice, at };
}
