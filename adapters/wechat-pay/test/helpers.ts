import type { AdapterContext, HttpReply, Submission } from '@paywright/contract';
import { v } from '@paywright/contract';
import {
  fixture,
  reply,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  startRoundTrip,
  type RoundTrip,
  type ScriptedHttp,
} from '@paywright/contract/testing';
import wechatPay from '../index.ts';
import { Options, serialOf } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { signedHeaders } from '../signing.ts';

const file = fixture(import.meta.url, 'vectors.json') as {
  readonly options: Readonly<Record<string, unknown>>;
  readonly providerSide: {
    readonly keys: readonly [Readonly<Record<'certificate' | 'privateKey', string>>, Readonly<Record<'certificate' | 'privateKey', string>>];
  };
};
export const { providerSide } = file;
export const given = file.options;
export const options = v.parse(Options, given);
export const now = new Date('2026-12-02T10:00:10Z');

/** What WeChat Pay answers: signed by the key of this place in `providerSide`. */
export function signedReply(status: number, value: unknown, { at = 0, time = now }: { at?: 0 | 1; time?: Date } = {}): HttpReply {
  const body = Buffer.from(value === undefined ? '' : JSON.stringify(value));
  const { certificate, privateKey } = providerSide.keys[at];
  const head = { time: String(Math.floor(time.getTime() / 1000)), nonce: 'c5ac7061fccab6bf3e254dcf98995b8c' };
  return reply(status, body, Object.entries(signedHeaders({ serial: serialOf(certificate)!, privateKey }, head, body)));
}

export function context(
  answers: readonly (HttpReply | null)[],
  more: Partial<Options> = {},
): AdapterContext<Options> & { readonly http: ScriptedHttp } {
  const http = scriptedHttp(answers);
  return { ...scriptedProvider({ options: { ...options, ...more }, http, now }), http };
}

let count = 0;
/** A payment of its own; `phone`: by a browser that H5 is for. */
export function payment(amount = '25.9', phone = false): Submission {
  count += 1;
  const { card: _card, ...sample } = sampleSubmission;
  return {
    ...sample,
    input: 'billing',
    sandbox: true,
    reference: `GW-${10_000 + count}-1`,
    paymentRequestId: String(10_000 + count),
    money: { amount, currency: 'CNY' },
    payer: { ipAddress: '203.0.113.7' },
    browserInfo: { userAgent: `Mozilla/5.0 (${phone ? 'iPhone; CPU iPhone OS 18_0 like Mac OS X' : 'X11; Linux x86_64'})` },
  } as unknown as Submission;
}

export async function startTrip(delayMs?: number, more: Partial<Options> = {}): Promise<RoundTrip<Options>> {
  return startRoundTrip({
    adapter: wechatPay,
    createSandbox,
    options: { ...options, ...more },
    providerSide,
    ...(delayMs !== undefined && { delayMs }),
  });
}
