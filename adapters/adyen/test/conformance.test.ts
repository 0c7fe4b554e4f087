import { describeAdapter, fixtureText, visitPage } from '@paywright/contract/testing';
import adyen from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(adyen, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  otherAccount: { merchantAccount: 'SomeoneElse' },
  // The answer that sends the payer to 3D Secure names no payment.
  answersAreNameless: ['submit'],
  // The answer to a cancel names only the payment.
  answersNameNoMoney: ['void'],
  ownDecimals: { CLP: 2, CVE: 0, IDR: 0, ISK: 2 },
  routes: { 'POST adyen': { sign: signCallback } },
  sandbox: { create: createSandbox, payer: (action) => visitPage(action, 'pass') },
});
