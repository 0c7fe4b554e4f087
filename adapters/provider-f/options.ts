/** Settings needed to call F. */
import { baseUrl, described, secret, secretOf, v, type AdapterContext } from '@paywright/contract';

export const Options = v.pipe(
  v.strictObject({
    baseUrl: described(baseUrl, 'Live address. F console, Developers, Addresses.'),
    sandboxBaseUrl: described(baseUrl, 'Sandbox address. F console, Developers, Addresses.'),
    shopId: described(
      v.pipe(v.string(), v.regex(/^[a-z0-9-]{3,40}$/, '3 to 40 lower case letters, digits and dashes')),
      'Our shop. F names it in every deal. F console, Shop.',
    ),
    apiToken: described(secret(20), 'Bearer token of every request to F. F console, Developers, Tokens.'),
    pingSecrets: described(
      v.pipe(v.array(secretOf(v.string())), v.maxLength(3, 'at most three secrets')),
      'Secrets that may sign pings, current first; an empty list if F does not sign pings. F console, Pings, Secrets.',
    ),
    requireSignedPing: described(
      v.optional(v.boolean(), false),
      'True refuses a ping without a signature. Signing must then be enabled in the F console, Pings.',
    ),
  }),
  v.forward(
    v.check(
      ({ requireSignedPing, pingSecrets }) => !requireSignedPing || pingSecrets.some((one) => one !== ''),
      'with requireSignedPing, pingSecrets must contain a secret that is not empty',
    ),
    ['requireSignedPing'],
  ),
);
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
