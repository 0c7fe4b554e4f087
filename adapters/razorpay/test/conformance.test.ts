import { describeAdapter, describePublished, fixtureText, visitPage } from '@paywright/contract/testing';
import razorpay from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(razorpay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { accountId: 'acc_Someone1' },
  // A payment link expires some minutes after it is made.
  freshMembers: ['expire_by'],
  routes: { 'POST razorpay': { sign: signCallback } },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pay'),
  },
});

describePublished(razorpay, fixtureText(import.meta.url, 'published.json'), { sign: signCallback });
