import { describeAdapter, describePublished, fixtureText } from '@paywright/contract/testing';
import btcpay from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(btcpay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { storeId: 'SomeoneElse1' },
  routes: { 'POST btcpay': { sign: signCallback } },
  sandbox: { create: createSandbox },
});

describePublished(btcpay, fixtureText(import.meta.url, 'published.json'), { sign: signCallback });
