import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import providerF from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerF, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { shopId: 'shop-78' },
  // A deal shows what was given back before, and not the refund that is accepted now.
  answersNameNoMoney: ['refund'],
  // A ping names only a deal; the fetched deal names the shop.
  routes: { 'POST providerF': { namesNoAccount: true } },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pass'),
  },
});
