/** What we must know to speak with Mollie. Test and live have one address: the key decides. */
import { baseUrl, described, secretOf, v, type AdapterContext } from '@paywright/contract';

const apiKey = secretOf(
  v.pipe(v.string(), v.regex(/^(test|live)_\w{20,}$/, 'test_ or live_, and 20 or more letters and digits')),
);

/** Methods that Mollie's page can take without order lines or an address of the payer. */
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
  sandboxBaseUrl: described(baseUrl, 'The same: https://api.mollie.com; the key decides the mode.'),
  apiKey: described(
    apiKey,
    'Key of one website profile: live_… for live payments, test_… in sandboxOptions. Mollie Web app, Developers, API access tokens.',
  ),
  methods: described(
    v.optional(v.pipe(v.array(v.picklist(pageMethods)), v.minLength(1, 'one or more methods'))),
    'The methods that the page offers; left out: all that are enabled. Ours to choose, among those under Payment methods in the Mollie Web app.',
  ),
  captureMode: described(
    v.optional(v.picklist(['automatic', 'manual']), 'automatic'),
    'automatic: a payment is charged at once; manual: its money is reserved until it is captured or released. Ours to choose.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/** The side that a key is of, as Mollie names it in every answer. */
export function modeOf({ apiKey }: Pick<Options, 'apiKey'>): 'live' | 'test' {
  return apiKey.startsWith('test_') ? 'test' : 'live';
}
