/** Acme for an operator with several shops: its options, its callbacks and its status answers name the shop. */
import { noInformation, readAs, readJson, utf8, v, type ProviderAdapter, type RawCallback } from '../../index.ts';
import { createAcme, toEvent, type AcmeOptions } from './adapter.ts';
import type { Broken } from './broken.ts';
import { Notice, type Options } from './protocol.ts';

const Named = v.looseObject({ shop: v.string() });
const shopOf = (raw: RawCallback): string | undefined => readAs(Named, readJson(utf8(raw.body)))?.shop;

const fetchOwn: NonNullable<ProviderAdapter<Options>['fetchStatus']> = async ({ reference }, { http, options }) => {
  const reply = await http.send({ method: 'GET', path: `/charges/${reference}`, headers: { 'X-Key': options.apiKey } });
  const notice = readAs(Notice, readJson(utf8(reply.body)));
  return notice?.shop === options.shop
    ? { result: 'events', events: [toEvent(notice)] }
    : noInformation('unreadable, or about another shop');
};

interface Parts {
  readonly key?: ((options: Options) => string | readonly string[]) | undefined;
  readonly hint?: unknown;
  readonly fetchStatus?: typeof fetchOwn;
}

export function createAccountsAcme(parts: Parts = {}): ProviderAdapter<Options> {
  const { key = ({ shop }) => shop, hint = shopOf, fetchStatus = fetchOwn } = parts;
  const accountHint = hint as NonNullable<NonNullable<AcmeOptions['route']>['accountHint']>;
  const manifest = 'key' in parts && parts.key === undefined ? {} : { accountKey: key };
  return createAcme({ manifest, route: { accountHint }, adapter: { fetchStatus } });
}

/** Faults of the members that tell accounts apart. */
export const brokenAccounts: readonly Broken[] = [
  {
    fault: 'names its account by a secret',
    rule: 'account',
    says: 'contains a secret',
    adapter: createAccountsAcme({ key: ({ apiKey }) => apiKey }),
  },
  {
    fault: 'has the same key for every account',
    rule: 'account',
    says: 'the same for the options with `otherAccount`',
    adapter: createAccountsAcme({ key: () => 'acme' }),
  },
  {
    fault: 'has a key of another account next to its own',
    rule: 'account',
    says: 'the same for the options with `otherAccount`',
    adapter: createAccountsAcme({ key: ({ shop }) => [shop, 'acme'] }),
  },
  {
    fault: 'has an empty list of keys',
    rule: 'account',
    says: 'or returns none',
    adapter: createAccountsAcme({ key: () => [] }),
  },
  {
    fault: 'has no key that its hint could be compared with',
    rule: 'account',
    says: 'no `accountKey` to compare',
    adapter: createAccountsAcme({ key: undefined }),
  },
  {
    fault: 'names another account in its hint',
    rule: 'account',
    says: 'does not name the account of the vectors',
    adapter: createAccountsAcme({ hint: () => 'shop-8' }),
  },
  {
    fault: 'names every account in its hint',
    rule: 'account',
    says: 'names `otherAccount`',
    adapter: createAccountsAcme({ hint: () => ['shop-7', 'shop-8'] }),
  },
  {
    fault: 'throws in its hint',
    rule: 'account',
    says: 'did not end well',
    adapter: createAccountsAcme({
      hint: ({ body }: RawCallback) => (JSON.parse(Buffer.from(body).toString()) as { readonly shop: string }).shop,
    }),
  },
  {
    fault: 'gives its hint later',
    rule: 'account',
    says: 'something else than a text',
    adapter: createAccountsAcme({ hint: async (raw: RawCallback) => shopOf(raw) }),
  },
  {
    fault: 'believes the status of another account',
    rule: 'fetchStatus',
    says: 'was believed by another one',
    adapter: createAccountsAcme({ fetchStatus: async (payment, ctx) => createAcme().fetchStatus!(payment, ctx) }),
  },
];
