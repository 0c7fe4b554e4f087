import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import providerD from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerD, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  signedAnswers: { fetchStatus: {}, refund: {}, close: {} },
  otherAccount: { shop: '004217391' },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pay'),
  },
});
