/** Settings needed to call H. */
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
  baseUrl: described(baseUrl, 'Live address. H console, Developers, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. H console, Developers, Addresses.'),
  merchantNo: described(
    v.pipe(v.string(), v.regex(/^M-\d{7}$/, 'M- and 7 digits')),
    'Our account; `shop` in every message. H console, Account.',
  ),
  apiKey: described(secret(), 'Identifies us in every request. H console, Developers, Keys.'),
  apiSecret: described(
    secret(),
    'Signs every request to H, and never verifies a callback. H console, Developers, Keys.',
  ),
  ipnSecrets: described(
    oneOrMore(secret()),
    'Secrets that verify callbacks, newest first. H console, Notifications, Secrets.',
  ),
  coin: described(v.optional(filled, 'BTC'), 'The coin that the payer pays. H console, Coins.'),
  chain: described(v.optional(filled, 'bitcoin'), 'The network of the coin. H console, Coins.'),
  ttlSeconds: described(
    v.optional(wholeBetween(60, 86_400, 'seconds'), 900),
    'How long the price is valid, in seconds: 60 to 86400. Your choice.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
