/** What we must know to speak with a BTCPay Server. */
import {
  baseUrl,
  described,
  filled,
  oneOrMore,
  secret,
  v,
  wholeBetween,
  type AdapterContext,
} from '@paywright/contract';

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address: where our BTCPay Server runs, on mainnet.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address: where a BTCPay Server on regtest, testnet or signet runs.'),
  storeId: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9]+$/, 'letters and digits')),
    'Our store; every message names it. Store, Settings, General.',
  ),
  apiKey: described(secret(), 'Token of every request of ours. Account, Manage account, API keys.'),
  webhookSecrets: described(oneOrMore(secret()), 'Verify webhooks, newest first. Store, Settings, Webhooks.'),
  flow: described(
    v.optional(v.picklist(['page', 'address'], 'page or address'), 'page'),
    'What the payer gets: the checkout page of the invoice, or an address to pay to. Ours to choose.',
  ),
  paymentMethod: described(
    v.optional(filled, 'BTC-CHAIN'),
    'With flow address: what the payer pays in, as BTCPay Server names it. Store, Wallets.',
  ),
  network: described(
    v.optional(filled, 'bitcoin'),
    'With flow address: what the payer’s wallet calls the network of paymentMethod. Ours to choose.',
  ),
  minutes: described(
    v.optional(wholeBetween(1, 1440, 'minutes'), 15),
    'How long the price holds, in minutes: 1 to 1440. Ours to choose.',
  ),
  sendEmail: described(
    v.optional(v.boolean(), false),
    'Whether an invoice names the payer’s e-mail address, so that BTCPay Server can write to it. Ours to choose.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
