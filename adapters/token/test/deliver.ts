/** A callback of the vault, signed and delivered, as its tests vary it. */
import { playCallback, scriptedProvider, type CoreSays, type PlayedCallback } from '@gateway/contract/testing';
import { callback } from '../callbacks/token.ts';
import { hookMac } from '../signing.ts';
import token from '../index.ts';
import { hookKey, type Options } from '../options.ts';
import { now, options as usual } from './helpers.ts';

export type Headers = readonly (readonly [string, string])[];

export interface Sent {
  readonly body: string | Uint8Array;
  readonly id?: string;
  /** Unix seconds; now by default. */
  readonly time?: string;
  readonly secret?: string;
  readonly address?: string;
  /** The receiver's clock. */
  readonly now?: Date;
  /** Makes `tk-sign` of the right base64. */
  readonly sign?: (mac: string) => string;
  readonly headers?: (headers: Headers) => Headers;
}

/** The receiver's clock in Unix seconds. */
export const seconds = now.getTime() / 1000;
export const charge = { id: 'ch_1', ref: 'GW-10042-1', state: 'succeeded', minor: 2590, cur: 'EUR', why: null };
export const card = { handle: 'th_1', state: 'active', brand: 'visa', last4: '1111', expires: '2029-12' };

/** An event of ours as JSON. */
export function event(name: string, members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ event: name, mid: 'V-1', seq: 3, at: '2026-03-02T09:15:29Z', ...members });
}

/** Delivers a callback; `coreSays` is what core decides once it is read. */
export function deliver(
  sent: Sent,
  options: Options = usual,
  coreSays: CoreSays = 'accepted',
): Promise<PlayedCallback> {
  const { id = 'ev_1', time = String(seconds), secret = usual.hookSecrets[0]!, address = usual.callbackUrl } = sent;
  const body = Buffer.from(sent.body);
  const mac = hookMac(hookKey(secret), address, id, time, body).toString('base64');
  const headers: Headers = [
    ['tk-id', id],
    ['tk-time', time],
    ['tk-sign', sent.sign?.(mac) ?? `v1,${mac}`],
  ];
  const raw = {
    method: 'POST',
    path: '/callbacks/token',
    query: '',
    headers: sent.headers?.(headers) ?? headers,
    body,
    remoteAddress: '127.0.0.1',
    receivedAt: now,
  };
  return playCallback(token, callback, raw, scriptedProvider({ options, now: sent.now ?? now }), coreSays);
}
