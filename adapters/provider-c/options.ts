/** The options that an operator sets for C. */
import { baseUrl, described, isCurrency, oneToThree, secretOf, v, type AdapterContext } from '@paywright/contract';

const sharedText = secretOf(
  v.pipe(v.string(), v.regex(/^[\x20-\x7b}~]{16,64}$/, '16 to 64 printable ASCII characters without |')),
);

const account = {
  key: described(
    v.pipe(v.string(), v.regex(/^[A-Za-z0-9]{4,32}$/, '4 to 32 letters and digits')),
    "C's name for the account, in every message. C console, Accounts, Key.",
  ),
  currency: described(
    v.pipe(v.string(), v.check(isCurrency, 'an ISO 4217 code in capitals')),
    'The one currency of the account. C console, Accounts, Currency.',
  ),
  salts: described(
    oneToThree(sharedText, 'texts'),
    'Hash of what we send, of answers and server callbacks. C console, Accounts, Salt: the first signs, every one is accepted in what C sends.',
  ),
  pageSecrets: described(
    oneToThree(sharedText, 'texts'),
    'Proof of the return from the hosted page. C console, Accounts, Page secret: every one is accepted; never a salt.',
  ),
};
const Account = v.strictObject(account);
export type Account = v.InferOutput<typeof Account>;

const noSalt = 'no page secret that is a salt';

const Accounts = v.pipe(
  v.array(Account),
  v.minLength(1, 'at least one account'),
  v.check((accounts) => areDistinct(accounts.map(({ key }) => key)), 'no key twice'),
  v.check((accounts) => areDistinct(accounts.map(({ currency }) => currency)), 'no currency twice'),
  v.check((accounts) => {
    const salts = new Set(accounts.flatMap((account) => account.salts));
    return !accounts.some(({ pageSecrets }) => pageSecrets.some((secret) => salts.has(secret)));
  }, noSalt),
);

function areDistinct(values: readonly string[]): boolean {
  return new Set(values).size === values.length;
}

const single = v.partial(Account).entries;

const Given = v.strictObject({
  baseUrl: described(baseUrl, 'Live address; may hold a path. C console, Integration, Addresses.'),
  sandboxBaseUrl: described(baseUrl, 'Sandbox address; may hold a path. C console, Integration, Addresses.'),
  cardEntry: described(
    v.optional(v.picklist(['server', 'page'], 'server or page'), 'server'),
    'server: we send the card; page: the payer types it at C, and the card in a request is not sent. Our choice.',
  ),
  ...single,
  accounts: described(
    v.optional(Accounts),
    'Options of earlier versions: several accounts of C, one per currency. C console, Accounts.',
  ),
});

/**
 * One account of C: `key`, `currency`, `salts`, `pageSecrets`. Options of earlier versions have `accounts` instead, a
 * list with one account per currency. Both are read as a list.
 */
export const Options = v.pipe(
  Given,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { value } = dataset;
    const report = (key: keyof typeof value, message: string, input: unknown = value): void => {
      addIssue({ message, input, path: [{ type: 'object', origin: 'value', input: value, key, value: value[key] }] });
    };
    const names = Object.keys(account) as (keyof typeof account)[];
    const given = names.filter((name) => value[name] !== undefined);
    if (value.accounts) {
      for (const name of given) report(name, 'is not allowed together with accounts');
    } else if (given.length === 0) {
      report('accounts', `is missing, and so are ${names.join(', ')}: set those four`);
    } else {
      for (const name of names) if (!given.includes(name)) report(name, 'is missing', undefined);
    }
    if (value.pageSecrets?.some((secret) => value.salts?.includes(secret))) report('pageSecrets', noSalt);
  }),
  v.transform(({ key, currency, salts, pageSecrets, accounts, ...shared }) => ({
    ...shared,
    // The check above demands them.
    accounts: accounts ?? [{ key: key!, currency: currency!, salts: salts!, pageSecrets: pageSecrets! }],
  })),
);
export type Options = v.InferOutput<typeof Options>;
export type Context = AdapterContext<Options>;

/** The account of C with the currency of a payment. */
export function accountIn(currency: string, { accounts }: Options): Account | undefined {
  return accounts.find((account) => account.currency === currency);
}

/** The account that a message names. */
export function accountNamed(key: string | undefined, { accounts }: Options): Account | undefined {
  return accounts.find((account) => account.key === key);
}
