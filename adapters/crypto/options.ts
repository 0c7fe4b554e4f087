/** The options that an operator sets for the coin server. */
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
  baseUrl: described(baseUrl, 'Live address: where the server runs.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address: where the server for tests runs.'),
  storeId: described(
    v.pipe(v.string(), v.regex(/^st_[A-Za-z0-9]+$/, 'st_ and letters or digits')),
    'Our store; every message names it. Server, Stores, General.',
  ),
  apiToken: described(secret(), 'Token of every request of ours. Server, Account, API tokens.'),
  hookSecrets: described(oneOrMore(secret()), 'Verify callbacks, newest first. Server, Stores, Webhooks.'),
  coin: described(v.optional(filled, 'BTC'), 'What the payer pays in. Server, Stores, Coins.'),
  minutes: described(
    v.optional(wholeBetween(1, 1440, 'minutes'), 15),
    'How long the price holds, in minutes: 1 to 1440. Ours to choose.',
  ),
  flow: described(
    v.optional(v.picklist(['address', 'page'], 'address or page'), 'address'),
    'What the payer gets: an address to pay to, or the page of the invoice. Ours to choose.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
