/** The options that an operator sets for the vault. */
import {
  baseUrl,
  described,
  filled,
  oneOrMore,
  readBase64,
  secret,
  secretOf,
  v,
  webAddress,
} from '@paywright/contract';

const prefix = 'tks_';
const hookSecret = secretOf(
  v.pipe(v.string(), v.check(isHookSecret, 'tks_ and the standard base64 of 24 to 64 bytes')),
);

function isHookSecret(text: string): boolean {
  const { length } = hookKey(text);
  return text.startsWith(prefix) && length >= 24 && length <= 64;
}

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. Vault console, Developers, Endpoints.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. Vault console, Developers, Endpoints.'),
  merchantId: described(filled, 'Merchant account; `mid` in every message. Vault console, Account.'),
  apiKey: described(secret(), 'Sent as a bearer token. Vault console, Developers, API keys.'),
  hookSecrets: described(
    oneOrMore(hookSecret, 'secrets'),
    'Secrets of the hook, newest first: any may sign a callback, the first signs our acknowledgements. Vault console, Hooks, Secrets.',
  ),
  callbackUrl: described(
    webAddress,
    'The address of /callbacks/token exactly as the vault has it registered, for it is signed: host, port, path and a final slash count. Vault console, Hooks, Address.',
  ),
});
export type Options = v.InferOutput<typeof Options>;

/** The key of a hook secret: the bytes after its prefix. Empty if they are not base64. */
export function hookKey(hookSecret: string): Uint8Array {
  return readBase64(hookSecret.slice(prefix.length)) ?? new Uint8Array();
}
