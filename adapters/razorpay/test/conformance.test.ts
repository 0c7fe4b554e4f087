import { describeAdapter, describePublished, fixtureText, pressButton } from '@paywright/contract/testing';
import razorpay from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(razorpay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { accountId: 'acc_Someone1' },
  answersAreNameless: ['submit'],
  answersNameNoMoney: true,
  routes: { 'POST razorpay': { sign: signCallback } },
  sandbox: {
    create: createSandbox,
    async payer(action) {
      await pressButton(action, { act: 'pay' });
    },
  },
});

describePublished(razorpay, fixtureText(import.meta.url, 'published.json'), { sign: signCallback });
