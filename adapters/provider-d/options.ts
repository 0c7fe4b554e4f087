/** The options that an operator sets for D. */
import { baseUrl, described, oneToThree, readBase64, secretOf, v } from '@paywright/contract';

const key = secretOf(
  v.pipe(
    v.string(),
    v.check((text) => readBase64(text)?.length === 32, 'standard base64 of exactly 32 bytes'),
  ),
);

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address; may hold a path. D console, Integration, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address; may hold a path. D console, Integration, Addresses.'),
  shop: described(
    v.pipe(v.string(), v.regex(/^\d{9}$/, 'text of exactly 9 digits, leading zeros kept')),
    'Our account; D names it in every message. D console, Shop.',
  ),
  terminal: described(
    v.pipe(v.string(), v.regex(/^\d{1,3}$/, 'text of 1 to 3 digits')),
    "The account's terminal. D console, Shop, Terminals.",
  ),
  keys: described(
    oneToThree(key),
    'Every order has a key derived from one of these. D console, Integration, Keys: the first signs what we send, every one is accepted in what D sends.',
  ),
});
export type Options = v.InferOutput<typeof Options>;

/** One shop may have several terminals, and each message names both. */
export function accountKey({ shop, terminal }: Pick<Options, 'shop' | 'terminal'>): string {
  return `${shop}/${terminal}`;
}
