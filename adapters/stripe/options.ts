/** Settings needed to call Stripe. */
import { baseUrl, described, oneOrMore, secretOf, v, type AdapterContext } from '@paywright/contract';

const secretKey = secretOf(
  v.pipe(v.string(), v.regex(/^[sr]k_(test|live)_\S{8,}$/, 'sk_test_…, sk_live_…, rk_test_… or rk_live_…')),
);
const webhookSecret = secretOf(v.pipe(v.string(), v.regex(/^whsec_\S{8,}$/, 'whsec_…')));

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'https://api.stripe.com, for live and test payments.'),
  sandboxBaseUrl: described(baseUrl, 'Also https://api.stripe.com: the key decides between live and test mode.'),
  secretKey: described(
    secretKey,
    'Secret or restricted key of this side: sk_live_… for live payments, sk_test_… in sandboxOptions. Stripe Dashboard, Developers, API keys.',
  ),
  webhookSecrets: described(
    oneOrMore(webhookSecret, 'secrets'),
    'Signing secrets of the webhook, newest first: any of them can verify an event. Stripe Dashboard, Workbench, Webhooks, the destination.',
  ),
  cardEntry: described(
    v.picklist(['server', 'page']),
    'server: card numbers go from this server to Stripe; Stripe’s support must allow that for the account. page: a payer with a card is sent to Stripe Checkout, and the number is not used.',
  ),
  captureMethod: described(
    v.optional(v.picklist(['automatic', 'manual']), 'automatic'),
    'automatic: a payment is charged immediately. manual: its money is reserved until it is captured or released.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/** Whether this is a test mode key. */
export function isTestKey({ secretKey }: Pick<Options, 'secretKey'>): boolean {
  return secretKey.slice(3).startsWith('test_');
}
