/**
 * BTCPay Server, which a merchant operates: an invoice is paid in coins at its checkout page, or to an address. Signed
 * webhooks report that something happened, but no amount, so the invoice is fetched. Protocol: README.md; signed
 * samples: fixtures/vectors.json.
 */
import { brands, defineAdapter } from '@paywright/contract';
import { callback } from './callbacks/btcpay.ts';
import { checkAccount } from './check-account.ts';
import { close } from './close.ts';
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
      {
        method: 'hosted_page',
        title: 'Bitcoin, at the checkout page',
        threeDs: 'by_other_means',
        payerFields: [],
        unfinishedStep: 'close',
        stepMinutes: 1440,
      },
      { method: 'crypto', title: 'Bitcoin', threeDs: 'by_other_means', payerFields: [], unfinishedStep: 'may_charge' },
    ],
    currencies: 'any',
    cryptocurrencies: ['BTC'],
    // The part before the dash: `BTC-CHAIN`, `BTC-LN`.
    coin: ({ paymentMethod }) => paymentMethod.split('-', 1)[0]!,
    brands: { crypto: [brands.bitcoin], hosted_page: [brands.bitcoin] },
    options: Options,
    accountKey: ({ storeId }) => storeId,
    declines,
    reconcile: {
      // A price is valid for 15 minutes unless `minutes` differs. The server watches the address for one more day.
      stepsSeconds: [30, 120, 300, 600, 1200, 3600, 7200],
      thenEverySeconds: 21_600,
      giveUpAfterSeconds: 259_200,
    },
    refundNeeds: 'providerReference',
    repeatRefund: 'never',
    idempotency:
      'BTCPay Server has no key that makes a repetition safe. An invoice is requested once, and found by its orderId if the answer was lost. A refund is found by the name of its pull payment.',
    console: [
      'Account, Manage account, API keys, Generate Key: for this store only, with btcpay.store.cancreateinvoice, btcpay.store.canmodifyinvoices (to close unpaid invoices), btcpay.store.cancreatenonapprovedpullpayments, btcpay.store.canviewstoresettings and btcpay.store.webhooks.canmodifywebhooks.',
      `Store, Settings, Webhooks: {publicUrl}/callbacks/btcpay as Payload URL, Automatic redelivery, Enabled, and these events: ${events.join(', ')}; from version 2.4.1 also Invoice - Refund Created (InvoiceRefund).`,
    ],
  },
  methodOf,
  submit,
  fetchStatus,
  refund,
  close,
  checkAccount,
  callbacks: [callback],
  mapStatus,
});
