import { describeAdapter, fixtureText, packageText, pressButton } from '@paywright/contract/testing';
import paypal from '../index.ts';
import createSandbox from '../sandbox/index.ts';
import { readKeys, signerOf } from '../sandbox/webhooks.ts';
import { providerSide } from './messages.ts';

describeAdapter(paypal, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  readme: packageText(import.meta.url, 'README.md'),
  // A webhook names no account. Its signature covers the id of the webhook, which belongs to one app.
  otherAccount: { webhookIds: ['9XX4291016473214C'] },
  routes: { 'POST paypal': { sign: signerOf(readKeys(providerSide)), signedByKeyPair: true } },
  sandbox: {
    create: createSandbox,
    async payer(action) {
      await pressButton(action, { choice: 'pay' });
    },
  },
});
