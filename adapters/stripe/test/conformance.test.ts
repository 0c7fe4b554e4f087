import { describeAdapter, describePublished, fixtureText, visitPage } from '@paywright/contract/testing';
import stripe from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(stripe, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  // An event names an account only if that account is connected to ours.
  otherAccount: null,
  ownDecimals: { ISK: 2, UGX: 2, MGA: 0 },
  routes: { 'POST stripe': { sign: signCallback } },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pass'),
    reserved: { options: () => ({ captureMethod: 'manual' }) },
  },
});

describePublished(stripe, fixtureText(import.meta.url, 'published.json'), { sign: signCallback });
