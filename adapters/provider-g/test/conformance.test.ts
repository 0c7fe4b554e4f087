import { createPrivateKey } from 'node:crypto';
import { v, type HttpRequest, type RawCallback } from '@paywright/contract';
import { describeAdapter, fixture, fixtureText } from '@paywright/contract/testing';
import { openBox } from '../box.ts';
import providerG, { vectorCalls } from '../index.ts';
import { readSignature, signedText, signedHeaders } from '../signing.ts';
import createSandbox from '../sandbox/index.ts';
import { Options } from '../options.ts';

const { options, providerSide } = fixture(import.meta.url, 'vectors.json') as {
  readonly options: unknown;
  readonly providerSide: { readonly keys: readonly [{ readonly serial: string; readonly privateKey: string }] };
};
const ours = v.parse(Options, options);
const [{ serial, privateKey: pem }] = providerSide.keys;
/** Parsed once, because parsing takes longer than signing. */
const privateKey = createPrivateKey(pem);

/** Signs a changed body again, with its original time and nonce. */
function sign(raw: RawCallback): RawCallback {
  const signature = readSignature(raw)!;
  const text = signedText([signature.time, signature.nonce], raw.body);
  const headers = signedHeaders({ serial, privateKey }, signature, text);
  return { ...raw, headers: Object.entries(headers) };
}

describeAdapter(providerG, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true, calls: vectorCalls },
  signedAnswers: { submit: {}, complete: {}, fetchStatus: {}, refund: {} },
  otherAccount: { merchantId: 'M1000428' },
  routes: { 'POST providerG': { sign } },
  readable: ({ body = '' }: HttpRequest) => {
    const { box } = JSON.parse(Buffer.from(body as string).toString() || '{}') as { readonly box?: unknown };
    return JSON.stringify(openBox(ours, box)?.message ?? {});
  },
  sandbox: { create: createSandbox },
});
