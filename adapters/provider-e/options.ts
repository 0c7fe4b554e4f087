/** Settings needed to call E. */
import {
  baseUrl,
  described,
  filled,
  oneToThree,
  readBase64,
  secret,
  secretOf,
  v,
  type AdapterContext,
} from '@paywright/contract';

const userName = v.pipe(v.string(), v.regex(/^[^:]+$/, 'a text without a colon'));

const h2hSecret = secretOf(
  v.pipe(
    v.string(),
    v.check((text) => (readBase64(text)?.length ?? 0) >= 32, 'base64 of at least 32 bytes'),
  ),
);

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address. E console, Integration, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address. E console, Integration, Addresses.'),
  account: described(
    v.pipe(v.string(), v.regex(/^[A-Z0-9]{3,32}$/, '3 to 32 capitals and digits')),
    'Our account at E, `acct` in every message. E console, Account.',
  ),
  apiUser: described(userName, 'User name of requests to E in XML. E console, Integration, XML orders.'),
  apiPassword: described(secret(), 'Password of requests to E in XML. E console, Integration, XML orders.'),
  noticeUser: described(userName, 'User name that E sends with notices. E console, Notices.'),
  noticePasswords: described(
    oneToThree(secret(), 'passwords'),
    'Passwords that E may send with notices: the current one first, the others for rotation. E console, Notices.',
  ),
  h2hKeys: described(
    v.pipe(
      v.array(v.strictObject({ kid: filled, secret: h2hSecret })),
      v.minLength(1, 'one to four keys'),
      v.maxLength(4, 'one to four keys'),
    ),
    'Keys of host-to-host tokens: the first signs requests to E, each one verifies. E console, Integration, Host to host.',
  ),
  flow: described(
    v.optional(v.picklist(['auto', 'xml', 'jws']), 'auto'),
    'Interface of a payment: `auto` sends payments of h2h endpoints as tokens and all others as XML; `xml` and `jws` always use one interface.',
  ),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;
