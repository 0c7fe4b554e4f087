/** Settings needed to call Razorpay. Test and live mode have one address: the key decides. */
import { baseUrl, described, oneOrMore, secret, v, wholeBetween, type AdapterContext } from '@paywright/contract';

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'https://api.razorpay.com'),
  sandboxBaseUrl: described(baseUrl, 'Also https://api.razorpay.com: the key decides the mode.'),
  accountId: described(
    v.pipe(v.string(), v.regex(/^acc_[A-Za-z0-9]+$/, 'acc_ and letters or digits')),
    '`acc_` and the merchant id. Every webhook names it. Dashboard, top right corner.',
  ),
  keyId: described(
    v.pipe(v.string(), v.regex(/^rzp_(test|live)_[A-Za-z0-9]+$/, 'rzp_test_ or rzp_live_, and letters or digits')),
    'Id of the API key; its beginning shows the mode. Dashboard, Account & Settings, API Keys.',
  ),
  keySecret: described(secret(), 'Secret of the API key. Shown once, when the key is generated.'),
  webhookSecrets: described(
    oneOrMore(secret(), 'secrets'),
    'Secrets that verify webhooks, newest first. Your choice: Dashboard, Account & Settings, Webhooks.',
  ),
  pageMinutes: described(
    v.optional(wholeBetween(20, 10_080, 'minutes'), 60),
    'Time limit for the payer at the page, in minutes: 20 to 10080. Your choice.',
  ),
  captureMinutes: described(
    v.optional(wholeBetween(12, 7200, 'minutes'), 12),
    'UPI that the bank confirms later than this many minutes is refunded instead of captured: 12 to 7200. Your choice.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
