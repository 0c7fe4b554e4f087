import { sendRequest } from '@paywright/contract/sandbox';
import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerD from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerD, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  signedAnswers: { fetchStatus: {}, refund: {} },
  otherAccount: { shop: '004217391' },
  sandbox: {
    create: createSandbox,
    async payer(action) {
      const url = action.type === 'redirect' ? action.url : '';
      await sendRequest({ method: 'POST', url, body: 'choice=pay' }, 2000);
    },
  },
});
