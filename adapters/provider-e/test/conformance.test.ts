import { describeAdapter, fixtureText } from '@paywright/contract/testing';
import providerE from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(providerE, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { account: 'SOMEONE' },
  // Only the password authenticates a notice: core compares its content with the payment.
  routes: { 'POST providerE': { notCovered: 'all' } },
  sandbox: {
    create: createSandbox,
    // Only its h2h interface asks for a member code.
    step: { payment: { isH2h: true, number: '4000000000003246' } },
    code: '246810',
  },
});
