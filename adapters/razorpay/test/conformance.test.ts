import { describeAdapter, fixtureText, pressButton } from '@paywright/contract/testing';
import razorpay from '../index.ts';
import createSandbox from '../sandbox/index.ts';
import { signatureOf } from '../wire.ts';

describeAdapter(razorpay, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  vectorOptions: { exact: true },
  otherAccount: { accountId: 'acc_Someone1' },
  answersAreNameless: ['submit'],
  answersNameNoMoney: true,
  routes: {
    'POST razorpay': {
      sign(raw, { webhookSecrets }) {
        const signature = signatureOf(webhookSecrets[0] ?? '', raw.body).toString('hex');
        return { ...raw, headers: [['X-Razorpay-Signature', signature]] };
      },
    },
  },
  sandbox: {
    create: createSandbox,
    async payer(action) {
      await pressButton(action, { act: 'pay' });
    },
  },
});
