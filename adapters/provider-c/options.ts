/** The options that an operator sets for C. */
import { baseUrl, described, isCurrency, oneToThree, secretOf, v, type AdapterContext } from '@paywright/contract';

const sharedText = secretOf(
  v.pipe(v.string(), v.regex(/^[\x20-\x7b}~]{16,64}$/, '16 to 64 printable ASCII characters without |')),
);

const Account = v.strictObject({
  key: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{4,32}$/, '4 to 32 letters and digits')),
    "C's name for the account, in every message. C console, Accounts, Key.",
  ),
  currency: described(
    v.pipe(v.string(), v.check(isCurrency, 'an ISO 4217 code in capitals')),
    'The one currency of the account: a payment goes to the account of its currency. C console, Accounts, Currency.',
  ),
  salts: described(
    oneToThree(sharedText, 'texts'),
    'Hash of what we send, of answers and server callbacks. C console, Accounts, Salt: the first signs, every one is accepted in what C sends.',
  ),
  pageSecrets: described(
    oneToThree(sharedText, 'texts'),
    'Proof of the return from the hosted page. C console, Accounts, Page secret: every one is accepted; never a salt.',
  ),
});
export type Account = v.InferOutput<typeof Account>;

const Accounts = v.pipe(
  v.array(Account),
  v.minLength(1, 'at least one account'),
  v.check((accounts) => areDistinct(accounts.map(({ key }) => key)), 'no key twice'),
  v.check((accounts) => areDistinct(accounts.map(({ currency }) => currency)), 'no currency twice'),
  v.check((accounts) => {
    const salts = new Set(accounts.flatMap((account) => account.salts));
    return !accounts.some(({ pageSecrets }) => pageSecrets.some((secret) => salts.has(secret)));
  }, 'no page secret that is a salt'),
);

function areDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

export const Options = v.strictObject({
  baseUrl: described(baseUrl, 'Live address; may hold a path. C console, Integration, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address; may hold a path. C console, Integration, Addresses.'),
  cardEntry: described(
    v.optional(v.picklist(['server', 'page'], 'server or page'), 'server'),
    'server: we send the card; page: the payer types it at C, and the card in a request is not sent. Our choice.',
  ),
  accounts: described(Accounts, 'One account per currency. C console, Accounts.'),
});
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/** The account of a payment: the one with its currency. */
export function accountIn(currency: string, { accounts }: Options): Account | undefined {
  return accounts.find((account) => account.currency === currency);
}

/** The account that a message names. */
export function accountNamed(key: string | undefined, { accounts }: Options): Account | undefined {
  return accounts.find((account) => account.key === key);
}
