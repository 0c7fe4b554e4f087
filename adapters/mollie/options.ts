/** Settings needed to call Mollie. Test and live mode have one address: the key decides. */
import { baseUrl, described, secretOf, v, type AdapterContext } from '@paywright/contract';

const apiKey = secretOf(
  v.pipe(v.string(), v.regex(/^(test|live)_\w{20,}$/, 'test_ or live_, and 20 or more letters and digits')),
);

/** Methods that Mollie's page can accept without order lines and without the payer's address. */
export const pageMethods = [
  'applepay',
  'bacs',
  'bancomatpay',
  'bancontact',
  'banktransfer',
  'belfius',
  'bizum',
  'blik',
  'creditcard',
  'eps',
  'giftcard',
  'ideal',
  'kbc',
  'mbway',
  'mobilepay',
  'multibanco',
  'mybank',
  'paybybank',
  'paypal',
  'paysafecard',
  'przelewy24',
  'satispay',
  'swish',
  'trustly',
  'twint',
  'vipps',
] as const;

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'https://api.mollie.com'),
  sandboxBaseUrl: described(baseUrl, 'Also https://api.mollie.com: the key decides the mode.'),
  apiKey: described(
    apiKey,
    'Key of one website profile: live_… for live payments, test_… in sandboxOptions. Mollie Web app, Developers, API access tokens.',
  ),
  methods: described(
    v.optional(v.pipe(v.array(v.picklist(pageMethods)), v.minLength(1, 'one or more methods'))),
    'The methods that the page offers. If left out: all enabled methods. Choose among those under Payment methods in the Mollie Web app.',
  ),
  captureMode: described(
    v.optional(v.picklist(['automatic', 'manual']), 'automatic'),
    'automatic: a payment is charged immediately. manual: its money is reserved until it is captured or released. Your choice.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/** The mode of a key, in the spelling of Mollie's answers. */
export function modeOf({ apiKey }: Pick<Options, 'apiKey'>): 'live' | 'test' {
  return apiKey.startsWith('test_') ? 'test' : 'live';
}
