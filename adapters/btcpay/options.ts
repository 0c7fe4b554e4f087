/** Settings needed to call a BTCPay Server. */
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
  baseUrl: described(baseUrl, 'Live address: the BTCPay Server on mainnet.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address: a BTCPay Server on regtest, testnet or signet.'),
  storeId: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9]+$/, 'letters and digits')),
    'Our store. Every message names it. Store, Settings, General.',
  ),
  apiKey: described(secret(), 'Token of every request to the server. Account, Manage account, API keys.'),
  webhookSecrets: described(
    oneOrMore(secret()),
    'Secrets that verify webhooks, newest first. Store, Settings, Webhooks.',
  ),
  flow: described(
    v.optional(v.picklist(['page', 'address'], 'page or address'), 'page'),
    'page: the payer is sent to the checkout page of the invoice. address: the payer gets an address to pay to. Your choice.',
  ),
  paymentMethod: described(
    v.optional(filled, 'BTC-CHAIN'),
    'With flow address: the payment method that the payer uses, in the spelling of BTCPay Server. Store, Wallets.',
  ),
  network: described(
    v.optional(filled, 'bitcoin'),
    'With flow address: the name of paymentMethod’s network in payers’ wallets. Your choice.',
  ),
  minutes: described(
    v.optional(wholeBetween(1, 1440, 'minutes'), 15),
    'How long the price is valid, in minutes: 1 to 1440. Your choice.',
  ),
  sendEmail: described(
    v.optional(v.boolean(), false),
    'Whether an invoice names the payer’s e-mail address, so that BTCPay Server can send mails to it. Your choice.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
