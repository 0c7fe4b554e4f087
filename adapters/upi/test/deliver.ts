/** A callback of the switch, sealed and delivered, as its tests vary it. */
import { playCallback, scriptedProvider, type CoreSays, type PlayedCallback } from '@gateway/contract/testing';
import { toBlob, toCheck } from '../wire.ts';
import { hook } from '../hook.ts';
import upi from '../index.ts';
import type { Options } from '../options.ts';
import { now, options as usual } from './helpers.ts';

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
  options: Options = usual,
): Promise<PlayedCallback> {
  const { index = '1', message = good } = sent;
  const { blob = toBlob(message), salt = usual.salts[index] ?? '' } = sent;
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
  return playCallback(upi, hook, raw, scriptedProvider({ options, now }), coreSays);
}
