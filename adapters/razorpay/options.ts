/** What we must know to speak with Razorpay. Test and live have one address: the key decides. */
import { baseUrl, described, oneOrMore, secret, v, wholeBetween, type AdapterContext } from '@paywright/contract';

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'https://api.razorpay.com'),
  sandboxBaseUrl: described(baseUrl, 'The same: https://api.razorpay.com; the key decides the mode.'),
  accountId: described(
    v.pipe(v.string(), v.regex(/^acc_[A-Za-z0-9]+$/, 'acc_ and letters or digits')),
    '`acc_` and the merchant id; every webhook names it. Dashboard, top right corner.',
  ),
  keyId: described(
    v.pipe(v.string(), v.regex(/^rzp_(test|live)_[A-Za-z0-9]+$/, 'rzp_test_ or rzp_live_, and letters or digits')),
    'Id of the API key; its beginning says the mode. Dashboard, Account & Settings, API Keys.',
  ),
  keySecret: described(secret(), 'Secret of the API key. Shown once, when the key is generated.'),
  webhookSecrets: described(
    oneOrMore(secret(), 'secrets'),
    'Verify webhooks, newest first. Ours to choose: Dashboard, Account & Settings, Webhooks.',
  ),
  pageMinutes: described(
    v.optional(wholeBetween(20, 10_080, 'minutes'), 60),
    'How long the payer may take at the page, in minutes: 20 to 10080. Ours to choose.',
  ),
  captureMinutes: described(
    v.optional(wholeBetween(12, 7200, 'minutes'), 12),
    'UPI that the bank confirms later than this is given back instead of captured: 12 to 7200. Ours to choose.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
