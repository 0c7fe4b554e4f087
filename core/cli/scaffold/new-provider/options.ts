/** The options for calls to New Provider. */
import { baseUrl, described, oneToThree, secret, v } from '@paywright/contract';
import { decide, undecided } from './undecided.ts';

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. Console, API, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Address of the test environment. Console, API, Addresses.'),
  account: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,32}$/, '1 to 32 letters, digits and dashes')),
    'Our account; every message names it. Console, Account.',
  ),
  apiKey: described(secret(16), decide(undecided.options, 'Sent as a bearer token. Console, API, Keys.')),
  noticeSecrets: described(
    oneToThree(secret(16), 'secrets'),
    'Sign messages: the current one first, then up to two previous ones. Console, Notices, Secrets.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
