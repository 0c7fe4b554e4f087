import { sendRequest } from '@paywright/contract/sandbox';
import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerF from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerF, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { shopId: 'shop-78' },
  // A ping names only a deal; the fetched deal names the shop.
  routes: { 'POST providerF': { namesNoAccount: true } },
  sandbox: {
    create: createSandbox,
    async payer(action) {
      const url = action.type === 'redirect' ? action.url : '';
      await sendRequest({ method: 'POST', url, body: 'choice=pass' }, 2000);
    },
  },
});
