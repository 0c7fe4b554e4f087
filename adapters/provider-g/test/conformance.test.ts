import { v, type HttpRequest, type RawCallback } from '@gateway/contract';
import { describeAdapter, fixture, fixtureText } from '@gateway/contract/testing';
import { openBox } from '../box.ts';
import providerG, { vectorCalls } from '../index.ts';
import { readSignature, messageText, signedHeaders } from '../signature.ts';
import createSandbox from '../sandbox/index.ts';
import { Options } from '../options.ts';

const { options, providerSide } = fixture(import.meta.url, 'vectors.json') as {
  readonly options: unknown;
  readonly providerSide: { readonly keys: readonly [{ readonly serial: string; readonly privateKey: string }] };
};
const ours = v.parse(Options, options);

/** Signs a changed body anew, under the time and nonce that it came with. */
function sign(raw: RawCallback): RawCallback {
  const signature = readSignature(raw)!;
  const headers = signedHeaders(providerSide.keys[0], signature, messageText(signature, raw.body));
  return { ...raw, headers: Object.entries(headers) };
}

describeAdapter(providerG, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true, calls: vectorCalls },
  otherAccount: { merchantId: 'M1000428' },
  routes: { 'POST providerG': { sign } },
  readable: ({ body = '' }: HttpRequest) => {
    const { box } = JSON.parse(Buffer.from(body as string).toString() || '{}') as { readonly box?: unknown };
    return JSON.stringify(openBox(ours, box)?.message ?? {});
  },
  sandbox: { create: createSandbox },
});
