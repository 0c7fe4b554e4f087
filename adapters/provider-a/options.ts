/** The options that an operator sets for A. */
import { baseUrl, described, oneToThree, secret, secretOf, v } from '@paywright/contract';

/** Describes a list of keys: where to find it and how to rotate it. */
function keys(key: v.GenericSchema<string>, use: string, where: string) {
  return described(
    oneToThree(key),
    `${use}. A console, ${where}: the current key first, then up to two previous ones, for A repeats old messages with the key of their first sending.`,
  );
}

const itemKey = secretOf(v.pipe(v.string(), v.regex(/^[0-9a-fA-F]{64}$/, '64 hex digits')));
const sealKey = secretOf(v.pipe(v.string(), v.regex(/^ask_./s, 'a text that begins with ask_')));

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. A console, API, Endpoints.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. A console, API, Endpoints.'),
  account: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9_]{1,32}$/, '1 to 32 letters, digits and underscores')),
    'Merchant account; A names it in every message. A console, Account, Profile.',
  ),
  apiKey: described(secret(16), 'Sent as X-A-Key. A console, API, Keys.'),
  itemKeys: keys(itemKey, 'MAC of batch entries; the key is the 32 decoded bytes', 'Notifications, Item keys'),
  returnKeys: keys(secret(16), 'Signature of the return from 3D Secure', '3D Secure, Return keys'),
  sealKeys: keys(sealKey, 'Chargeback seal; the key is the text with its prefix', 'Disputes, Seal keys'),
  refundKeys: keys(secret(16), 'Refund seal', 'Refunds, Notice keys'),
});
export type Options = v.InferOutput<typeof Options>;
