/** What the tests of this adapter share: options, callbacks as the switch signs them, calls that are answered by script. */
import {
  v,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import {
  playCallback,
  reply,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@paywright/contract/testing';
import { callback } from '../callbacks/upi.ts';
import upi from '../index.ts';
import { Options } from '../options.ts';
import { toBlob, toCheck } from '../wire.ts';

export const options: Options = v.parse(Options, {
  baseUrl: 'https://switch.upi.example',
  sandboxBaseUrl: 'https://sandbox.switch.upi.example',
  merchantId: 'MID1',
  salts: { '1': 'salt-older', '7': 'salt-nëwer', '999': 'salt-highest' },
  saltIndex: '7',
});

export const now = new Date('2026-03-02T09:15:30.250Z');

const { card: _card, input: _input, ...cardless } = sampleSubmission;
const inr = { money: { amount: '25.9', currency: 'INR' }, unit: 'INR' };
export const submission: Submission<'upi'> = { input: 'upi', ...cardless, ...inr, upiId: 'asha@okbank' };
export const stored: StoredPayment = { ...sampleStored('U001', now), ...inr, method: 'upi_collect' };

/** A transaction as an answer shows it, about `submission` and `stored`. */
export function shown(state: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const about = { u_txn: 'U001', gw_ref: 'GW-10042-1', mid: 'MID1', mode: 'COLLECT', paise: 2590 };
  return { ...about, state, vpa: null, rrn: null, why: null, link: null, qr: null, lapses: now.getTime(), ...more };
}

/** Makes a call that the given answer answers. */
export function answered<T>(answer: HttpReply, call: (ctx: AdapterContext<Options>) => Promise<T>): Promise<T> {
  return call(scriptedProvider({ options, now, http: scriptedHttp([answer]) }));
}

export function submit(answer: HttpReply, payment: Submission<'upi'> = submission): Promise<Outcome> {
  return answered(answer, (ctx) => upi.submit(payment, ctx));
}

/** `stored` before the switch's number is known. */
const { providerReference: _number, ...rest } = stored;
export const nameless: StoredPayment = rest;

/** A good answer that shows a transaction. */
export function taken(data: unknown): HttpReply {
  return reply(200, { ok: true, code: 'TAKEN', data });
}

/** An error answer; its text is nobody's to repeat. */
export function refusal(status: number, code: string): HttpReply {
  return reply(status, { ok: false, code, text: 'asha@okbank' });
}

export interface Sent {
  /** The message in the blob, or the blob itself. */
  readonly message?: Readonly<Record<string, unknown>>;
  readonly blob?: string;
  readonly index?: string;
  readonly salt?: string;
  /** Makes `X-U-Check` of the right one; more than one value: the header repeats. */
  readonly check?: (right: string) => readonly string[];
  /** Makes the body of the blob. */
  readonly body?: (blob: string) => string | Uint8Array;
}

export const good = {
  mid: 'MID1',
  u_txn: 'U001',
  gw_ref: 'GW-10042-1',
  paise: 2590,
  state: 'COMPLETED',
  at: 1772442930250,
};
/** Of a refund and of a dispute. */
export const numbers = { r_txn: 'R1', d_no: 'D1' };

/** Delivers a callback; `coreSays` is what core decides once it is read. */
export function deliver(
  sent: Sent,
  coreSays: CoreSays = 'accepted',
  given: Options = options,
): Promise<PlayedCallback> {
  const { index = '1', message = good } = sent;
  const { blob = toBlob(message), salt = options.salts[index] ?? '' } = sent;
  const right = toCheck(blob, index, salt);
  const raw = {
    method: 'POST',
    path: '/callbacks/upi',
    query: '',
    headers: (sent.check?.(right) ?? [right]).map((value) => ['X-U-Check', value] as const),
    body: Buffer.from(sent.body?.(blob) ?? JSON.stringify({ blob })),
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(upi, callback, raw, scriptedProvider({ options: given, now }), coreSays);
}
