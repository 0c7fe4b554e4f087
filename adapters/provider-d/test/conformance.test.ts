import { readJsonBody, v, type HttpReply } from '@paywright/contract';
import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import providerD from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { sign } from '../signing.ts';

const Triple = v.object({ d_ver: v.string(), d_data: v.string(), d_sig: v.string() });
const Data = v.object({ D_Order: v.string() });

/** D does not sign errors. */
function signAnswer(reply: HttpReply, { keys }: Options): HttpReply {
  const triple = readJsonBody(Triple, reply);
  const order = triple && readJsonBody(Data, { body: Buffer.from(triple.d_data, 'base64') })?.D_Order;
  if (!triple || order === undefined) return reply;
  const d_sig = sign(keys[0]!, order, triple.d_data).toString('base64');
  return { ...reply, body: Buffer.from(JSON.stringify({ ...triple, d_sig })) };
}

describeAdapter(providerD, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  signedAnswers: { fetchStatus: {}, refund: {}, close: {} },
  signAnswer,
  otherAccount: { shop: '004217391' },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pay'),
  },
});
