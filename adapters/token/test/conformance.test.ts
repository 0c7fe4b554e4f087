import type { RawCallback } from '@paywright/contract';
import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import { hookMac } from '../signing.ts';
import token from '../index.ts';
import { hookKey, type Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';

/** Signs a changed body again, under its original id and time. */
function sign(raw: RawCallback, { hookSecrets, callbackUrl }: Options): RawCallback {
  const { 'tk-id': id = '', 'tk-time': time = '' } = Object.fromEntries(raw.headers) as Record<string, string>;
  const mac = hookMac(hookKey(hookSecrets[0] ?? ''), callbackUrl, id, time, raw.body).toString('base64');
  const others = raw.headers.filter(([name]) => name !== 'tk-sign');
  return { ...raw, headers: [...others, ['tk-sign', `v1,${mac}`]] };
}

describeAdapter(token, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { merchantId: 'V-9999' },
  routes: { 'POST token': { sign, acknowledgedBy: 'first' } },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pass'),
    step: { payment: { token: 'tok_challenge' } },
  },
});
