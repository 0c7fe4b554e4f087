/**
 * BTCPay Server, which a merchant runs itself: an invoice is paid in coins at its checkout page, or to an address; signed
 * webhooks say that something happened and never how much, so the invoice is fetched. Protocol: README.md; signed samples:
 * fixtures/vectors.json.
 */
import { defineAdapter } from '@paywright/contract';
import { callback } from './callbacks/btcpay.ts';
import { checkAccount } from './check-account.ts';
import { fetchStatus } from './fetch-status.ts';
import { Options } from './options.ts';
import { refund } from './refund.ts';
import { declines, mapStatus, webhookEvents } from './statuses.ts';
import { methodOf, submit } from './submit.ts';

const events = Object.entries(webhookEvents).map(([type, shown]) => `${shown} (${type})`);

export default defineAdapter({
  manifest: {
    name: 'btcpay',
    title: 'BTCPay Server',
    code: 25,
    contract: '^2.0',
    inputs: ['billing'],
    ways: [
      { method: 'hosted_page', title: 'Bitcoin, at the checkout page', threeDs: 'by_other_means', payerFields: [] },
      { method: 'crypto', title: 'Bitcoin', threeDs: 'by_other_means', payerFields: [] },
    ],
    currencies: 'any',
    cryptocurrencies: ['BTC'],
    // Before the dash: `BTC-CHAIN`, `BTC-LN`.
    coin: ({ paymentMethod }) => paymentMethod.replace(/-.*$/, ''),
    options: Options,
    declines,
    reconcile: {
      // A price holds for 15 minutes unless `minutes` says otherwise, and the server watches its address for a day more.
      stepsSeconds: [30, 120, 300, 600, 1200, 3600, 7200],
      thenEverySeconds: 21_600,
      giveUpAfterSeconds: 259_200,
    },
    refundNeeds: 'providerReference',
    repeatRefund: 'never',
    idempotency:
      'BTCPay Server knows no key that makes a repetition safe: an invoice is asked for once, and found by its orderId where the answer was lost; so is a refund, by the name of its pull payment.',
    console: [
      'Account, Manage account, API keys, Generate Key: for this store alone, with btcpay.store.cancreateinvoice, btcpay.store.cancreatenonapprovedpullpayments, btcpay.store.canviewstoresettings and btcpay.store.webhooks.canmodifywebhooks.',
      `Store, Settings, Webhooks: {publicUrl}/callbacks/btcpay as Payload URL, Automatic redelivery, Enabled, and these events: ${events.join(', ')}; from version 2.4.1 on also Invoice - Refund Created (InvoiceRefund).`,
    ],
  },
  methodOf,
  submit,
  fetchStatus,
  refund,
  checkAccount,
  callbacks: [callback],
  mapStatus,
});
