import { describeAdapter, fixtureText, packageText, visitPage } from '@paywright/contract/testing';
import paypal from '../index.ts';
import createSandbox, { signCallback } from '../sandbox/index.ts';

describeAdapter(paypal, {
  vectors: fixtureText(import.meta.url, 'vectors.json'),
  readme: packageText(import.meta.url, 'README.md'),
  // A webhook names no account. Its signature covers the id of the webhook, which belongs to one app.
  otherAccount: { webhookIds: ['9XX4291016473214C'] },
  ownDecimals: { HUF: 0, TWD: 0 },
  routes: { 'POST paypal': { sign: signCallback, signedByKeyPair: true } },
  sandbox: {
    create: createSandbox,
    payer: (action) => visitPage(action, 'pay'),
    reserved: { options: () => ({ intent: 'authorize' }) },
  },
});
