/** Settings needed to call Adyen. */
import { baseUrl, described, oneToThree, secret, secretOf, v } from '@paywright/contract';

// Colons are not allowed: a user name of basic authentication cannot contain one, and Adyen joins signed values with
// colons.
const plainName = v.pipe(v.string(), v.regex(/^[A-Za-z0-9_.-]{1,80}$/, '1 to 80 letters, digits, dots, hyphens'));
const hmacKey = secretOf(v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{64}$/, '64 hex digits')));

export const Options = v.strictObject({
  baseUrl: described(
    baseUrl,
    'Live address with its version, https://PREFIX-checkout-live.adyenpayments.com/checkout/v72. Live Customer Area, Developers, API URLs, Prefix.',
  ),
  sandboxBaseUrl: described(baseUrl, 'Test address with its version: https://checkout-test.adyen.com/v72.'),
  merchantAccount: described(
    plainName,
    'Merchant account. Adyen names it in every message. Customer Area, the account chosen at the top.',
  ),
  apiKey: described(
    secret(16),
    'Sent as X-API-Key. Test and live have separate keys. Customer Area, Developers, API credentials.',
  ),
  hmacKeys: described(
    oneToThree(hmacKey),
    'HMAC keys of the webhook: the current one first, the others for rotation. Customer Area, Developers, Webhooks, Security.',
  ),
  webhookUser: described(
    plainName,
    'User name that Adyen sends with webhooks. Customer Area, Developers, Webhooks, Security.',
  ),
  webhookPasswords: described(
    oneToThree(secret(8), 'passwords'),
    'Passwords that Adyen may send with webhooks: the current one first. Customer Area, Developers, Webhooks, Security.',
  ),
  managementBaseUrl: described(
    v.optional(baseUrl),
    'Only for paywright doctor: https://management-live.adyen.com/v3. If it is left out, account and webhook are not checked.',
  ),
  sandboxManagementBaseUrl: described(
    v.optional(baseUrl),
    'The same for the test account: https://management-test.adyen.com/v3.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
