import { describeAdapter, describePublished, fixtureText, visitPage } from '@paywright/contract/testing';
import btcpay from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(btcpay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { storeId: 'SomeoneElse1' },
  routes: { 'POST btcpay': { sign: signCallback } },
  sandbox: {
    create: createSandbox,
    // Only an invoice at the checkout page is closed.
    open: { options: () => ({ flow: 'page' }), payer: (action) => visitPage(action, 'pay') },
  },
});

describePublished(btcpay, fixtureText(import.meta.url, 'published.json'), { sign: signCallback });
