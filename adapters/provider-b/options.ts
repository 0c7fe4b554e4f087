/** The options that an operator sets for B. */
import { baseUrl, described, oneToThree, secretOf, v } from '@paywright/contract';

const controlKey = secretOf(
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{16,}$/, '16 or more letters, digits and dashes')),
);

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. B console, Integration, Hosts.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. B console, Integration, Hosts.'),
  endpoint: described(
    v.pipe(v.string(), v.regex(/^[0-9]{1,10}$/, '1 to 10 digits, in quotes')),
    'Merchant endpoint, in the path of every call and in every callback. B console, Integration, Endpoints.',
  ),
  login: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9._-]{1,50}$/, '1 to 50 letters, digits, dots, underscores and dashes')),
    'Merchant login. B console, Integration, Endpoints.',
  ),
  controlKeys: described(
    oneToThree(controlKey),
    'Control keys. B console, Integration, Control key: the current key first, it signs our requests; then up to two previous ones, for B repeats old callbacks with the check of their first sending.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
