/** Settings needed to call Stripe. */
import { baseUrl, described, oneOrMore, secretOf, v, type AdapterContext } from '@paywright/contract';

const secretKey = secretOf(
  v.pipe(v.string(), v.regex(/^[sr]k_(test|live)_\S{8,}$/, 'sk_test_…, sk_live_…, rk_test_… or rk_live_…')),
);
/** Methods of Checkout by Stripe's names. The way can name them to payers in advance. */
export const shownMethods = [
  'card',
  'apple_pay',
  'google_pay',
  'link',
  'paypal',
  'klarna',
  'ideal',
  'bancontact',
  'eps',
  'p24',
  'blik',
  'twint',
  'mobilepay',
  'amazon_pay',
  'revolut_pay',
] as const;

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
  pageMethods: described(
    v.optional(v.picklist(['account', 'card']), 'account'),
    'account: Checkout offers what is on at Stripe Dashboard, Settings, Payment methods. card: only cards, which include Apple Pay and Google Pay.',
  ),
  pageShows: described(
    v.optional(v.pipe(v.array(v.picklist(shownMethods)), v.nonEmpty('must name at least one')), ['card']),
    'The methods that the payer’s page names for Checkout. Choose among those that the account offers; paywright doctor compares.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/** Whether this is a test mode key. */
export function isTestKey({ secretKey }: Pick<Options, 'secretKey'>): boolean {
  return secretKey.slice(3).startsWith('test_');
}
