import { onlyHeader, readJsonObject, type RawCallback } from '@paywright/contract';
import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import { seal } from '../callbacks/provider-a-chargeback.ts';
import { canonicalMessage, refundSeal } from '../callbacks/provider-a-refund.ts';
import providerA from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';

/** Seals a changed notice again, with its original time. */
function signChargeback(raw: RawCallback, { sealKeys }: Options): RawCallback {
  const [, time = ''] = /^t=(\d+),/.exec(onlyHeader(raw, 'X-A-Seal') ?? '') ?? [];
  const hex = seal(sealKeys[0] ?? '', time, raw.body).toString('hex');
  const others = raw.headers.filter(([name]) => name !== 'X-A-Seal');
  return { ...raw, headers: [...others, ['X-A-Seal', `t=${time},s1=${hex}`]] };
}

/** Replaces the seal in the text of a notice, so that the rest keeps its bytes. */
function signRefund(raw: RawCallback, { refundKeys }: Options): RawCallback {
  const canonical = canonicalMessage(readJsonObject(raw.body) ?? {}) ?? '';
  const sealed = refundSeal(refundKeys[0] ?? '', canonical).toString('base64');
  const body = Buffer.from(raw.body).toString();
  return { ...raw, body: Buffer.from(body.replace(/("seal"\s*:\s*)"[^"]*"/, `$1"${sealed}"`)) };
}

describeAdapter(providerA, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { account: 'SomeoneElse' },
  // The query of the return holds only txn, ref, auth and ts. Its key belongs to the account.
  routes: {
    'GET providerA3ds': { namesNoAccount: true },
    'POST providerA-chargeback': { sign: signChargeback },
    'POST providerA-refund': { sign: signRefund },
  },
  sandbox: { create: createSandbox, payer: (action) => visitPage(action, 'pass') },
});
