import { createPrivateKey } from 'node:crypto';
import type { RawCallback } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { describeAdapter, fixture, fixtureText, packageText } from '@paywright/contract/testing';
import wechatPay, { vectorCalls } from '../index.ts';
import { serialOf } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { readSignature, signedHeaders } from '../signing.ts';

const { providerSide } = fixture(import.meta.url, 'vectors.json') as {
  readonly providerSide: { readonly keys: readonly [{ readonly certificate: string; readonly privateKey: string }] };
};
const [{ certificate, privateKey: pem }] = providerSide.keys;
const serial = serialOf(certificate)!;
/** Read once: that takes longer than signing. */
const privateKey = createPrivateKey(pem);

/** Signs a changed body anew, under the time and nonce that it came with. */
function sign(raw: RawCallback): RawCallback {
  const headers = signedHeaders({ serial, privateKey }, readSignature(raw)!, raw.body);
  return { ...raw, headers: Object.entries(headers) };
}

describeAdapter(wechatPay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true, calls: vectorCalls },
  readme: packageText(import.meta.url, 'README.md'),
  otherAccount: { mchid: '1230000110' },
  // The answer to an order holds an address or a code, and nothing of the order.
  answersAreNameless: ['submit'],
  answersNameNoMoney: true,
  // `signedAnswers` is for secrets alone, and WeChat Pay signs with a key pair: answers.test.ts.
  routes: { 'POST wechatPay': { sign } },
  sandbox: {
    create: createSandbox,
    async payer(action) {
      if (action.type === 'redirect') await sendRequest({ method: 'POST', url: action.url, body: 'choice=pay' }, 2000);
    },
  },
});
