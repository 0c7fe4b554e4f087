import { v, type HttpRequest } from '@paywright/contract';
import { describeAdapter, fixture, fixtureText, visitPage } from '@paywright/contract/testing';
import { openBox } from '../box.ts';
import providerG, { vectorCalls } from '../index.ts';
import createSandbox, { signAnswer, signCallback } from '../sandbox/index.ts';
import { Options } from '../options.ts';

const { options } = fixture(import.meta.url, 'vectors.json') as { readonly options: unknown };
const ours = v.parse(Options, options);

describeAdapter(providerG, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true, calls: vectorCalls },
  signedAnswers: { submit: {}, complete: {}, fetchStatus: {}, refund: {} },
  signAnswer,
  otherAccount: { merchantId: 'M1000428' },
  freshHeaders: ['G-Time', 'G-Nonce', 'G-Sign'],
  routes: { 'POST providerG': { sign: signCallback } },
  readable: ({ body = '' }: HttpRequest) => {
    const { box } = JSON.parse(Buffer.from(body as string).toString() || '{}') as { readonly box?: unknown };
    return JSON.stringify(openBox(ours, box)?.message ?? {});
  },
  sandbox: { create: createSandbox, payer: (action) => visitPage(action, 'pass') },
});
