import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import mollie from '../index.ts';
import createSandbox from '../sandbox/index.ts';

describeAdapter(mollie, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  // A ping names only a payment, and no option names the profile of an answer: the key decides.
  otherAccount: null,
  // The answer to a release has no body.
  answersAreNameless: ['void'],
  answersNameNoMoney: ['void'],
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'paid'),
    reserved: { options: () => ({ captureMode: 'manual' }), payer: (action) => visitPage(action, 'authorized') },
  },
});
