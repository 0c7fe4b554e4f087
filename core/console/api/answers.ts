/** The JSON of answers, by name: a schema and an example of each. */
import { exampleAt } from '../../http/openapi/examples.ts';
import {
  flag,
  instant,
  listOf,
  nullable,
  object,
  oneOf,
  schemaRef,
  text,
  whole,
  type JsonSchema,
} from '../../http/openapi/json-schema.ts';

export interface AnswerType {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example: object;
}

const at = (description: string): JsonSchema => nullable(instant(description));
const maybe = (description: string): JsonSchema => nullable(text(description));
const cursor = maybe('The `cursor` of the next page. Null: this was the last page.');
const names = (description: string): JsonSchema => listOf({ type: 'string' }, description);

const logo = object(
  { hash: text('The hash of the bytes.'), type: text('The content type.') },
  { description: 'The logo. Null: none.' },
);
const owner = {
  id: whole('The number of the merchant.'),
  name: text('The exact name.'),
  notifyUrls: object(
    { test: maybe('Of test notifications.'), live: maybe('Of live notifications.') },
    { description: 'The default addresses.' },
  ),
  email: maybe('The address for notices.'),
  reportingCurrency: maybe('The currency of totals. Null: that of the config.'),
  notificationTypes: nullable(names('The payment notification types to send. Null: all.')),
  brand: object(
    {
      displayName: maybe('The name that payers see.'),
      logo: nullable(logo),
      colour: maybe('The colour: `#rrggbb`.'),
      support: maybe('Where payers find help.'),
      terms: maybe('The terms that payers agree to.'),
    },
    { description: 'What payers see.' },
  ),
  ownAccountsOnly: flag('The merchant uses only accounts that are assigned to it.'),
  listeningUntil: at('Until then a listener of the event stream is expected.'),
  createdAt: instant('When it was created.'),
};
const changed = {
  warnings: names('What will not work as you may expect, in whole sentences.'),
  isNew: flag('The call created it.'),
};
const ownerExample = {
  id: 7,
  name: 'Ribeira Books',
  notifyUrls: { test: 'https://shop.example/payments', live: null },
  email: 'ana@shop.example',
  reportingCurrency: 'EUR',
  notificationTypes: null,
  brand: { displayName: 'Ribeira', logo: null, colour: null, support: null, terms: null },
  ownAccountsOnly: false,
  listeningUntil: null,
  createdAt: exampleAt,
};
const summary = {
  activeKeys: whole('The number of active keys.', 0),
  lastPaymentAt: at('When the latest payment request was created.'),
  failingEndpoints: whole('Addresses at which every attempt fails.', 0),
  disabledEndpoints: whole('Disabled addresses.', 0),
};

const key = {
  keyId: text('The id of the key.'),
  ownerId: whole('The number of the merchant.'),
  ownerName: text('The name of the merchant.'),
  environment: oneOf('A test key or a live key.', ['sandbox', 'production']),
  state: oneOf('Only an active key is accepted.', ['active', 'expired', 'revoked']),
  scopes: names('The permissions.'),
  limit: whole('Requests per minute.'),
  createdAt: instant('When it was created.'),
  expiresAt: at('When it expires. Null: never.'),
  revokedAt: at('When it was revoked.'),
  lastUsedAt: at('The last use, accurate to a minute.'),
};
const keyExample = {
  keyId: 'key_0123456789abcdef',
  ownerId: 7,
  ownerName: 'Ribeira Books',
  environment: 'sandbox',
  state: 'active',
  scopes: ['payments:write', 'requests:write', 'requests:read', 'notifications:write'],
  limit: 600,
  createdAt: exampleAt,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};
const created = {
  key: text('The key. It is shown only now.'),
  keyId: text('The id of the key.'),
  ownerId: whole('The number of the merchant.'),
  webhookSecret: text('The webhook secret of the merchant for events of this environment.'),
};
const createdExample = {
  key: 'gk_test_…',
  keyId: 'key_0123456789abcdef',
  ownerId: 7,
  webhookSecret: 'whsec_…',
};

const mode = oneOf('The mode of the events.', ['test', 'live']);
const origin = text('Scheme, host and port.');

const link = {
  id: text('The id of the link.'),
  ownerId: whole('The number of the merchant.'),
  environment: mode,
  allowsRotation: flag('The link allows changes.'),
  expiresAt: instant('When it ends.'),
};
const linkExample = {
  id: 'plink_0123456789abcdef',
  ownerId: 7,
  environment: 'test',
  allowsRotation: false,
  expiresAt: exampleAt,
};

const state = oneOf('The present state.', ['on', 'draining', 'off']);
const fee = object(
  {
    percent: text('Decimal text.'),
    fixed: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'The fixed part by currency, as decimal text.',
    },
  },
  { description: 'The fee. Null: that of the adapter.' },
);
const listedAccount = {
  ref: text('`<adapter>` for `main`, otherwise `<adapter>/<account>`.'),
  adapter: text('The name of the adapter.'),
  account: text('The name of the account.'),
  source: oneOf('Accounts of the database can be changed here.', ['config', 'database']),
  state,
  fee: nullable(fee),
  currencies: nullable(names('The currencies that it accepts. Null: those of the adapter.')),
  merchants: nullable(names('The merchants that may use it. Null: every merchant.')),
};
const options: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'The options. A secret is `[hidden]`.',
};
const account = {
  ...listedAccount,
  options,
  sandboxOptions: nullable({ ...options, description: 'The same for test payments. Null: none of its own.' }),
  created: nullable(
    object(
      {
        by: text('The operator.'),
        at: instant('When it was created.'),
        changedAt: instant('When it was changed last.'),
      },
      { description: 'Null: the account is in the config.' },
    ),
  ),
};
const listedAccountExample = {
  ref: 'acme/ribeira',
  adapter: 'acme',
  account: 'ribeira',
  source: 'database',
  state: 'on',
  fee: { percent: '1.4', fixed: { EUR: '0.25' } },
  currencies: ['EUR'],
  merchants: ['Ribeira Books'],
};
const accountExample = {
  ...listedAccountExample,
  options: { login: 'ribeira', secretWord: '[hidden]' },
  sandboxOptions: null,
  created: { by: 'Ada Lovelace (op_0123456789abcdef)', at: exampleAt, changedAt: exampleAt },
};
const followed = {
  version: whole('The version of all states and accounts.', 0),
  processes: whole('The number of running processes.', 0),
  behind: listOf(
    object({
      process: text('The name of the process.'),
      problem: maybe('Why it could not load the version. Null: it did not load it within 15 s.'),
    }),
    'The processes that do not follow yet. The change is stored.',
  ),
};
const followedExample = { version: 4, processes: 3, behind: [] };

const page = (item: string, about: string): JsonSchema =>
  object({ items: listOf(schemaRef(item), about), nextCursor: cursor });
const pageExample = (item: object): object => ({ items: [item], nextCursor: null });

/** Schemas of items of lists. */
export const itemSchemas: Readonly<Record<string, JsonSchema>> = {
  MerchantSummary: object({ ...owner, ...summary }),
  FailingEndpoint: object({
    ownerId: whole('The number of the merchant.'),
    environment: mode,
    origin,
    receiver: text('Host and port.'),
    failingSince: instant('Every attempt since then failed.'),
    disabledAt: at('Null: notifications are still sent.'),
    owner: text('The name of the merchant.'),
  }),
  ListedAccount: object(listedAccount),
  PortalLink: object({
    ...link,
    state: oneOf('Only an active link opens the portal.', ['active', 'expired', 'revoked']),
    madeBy: text('The operator.'),
    createdAt: instant('When it was created.'),
    revokedAt: at('When it was revoked.'),
    lastUsedAt: at('The last use, accurate to a minute.'),
    owner: text('The name of the merchant.'),
  }),
};

const answer = (description: string, schema: JsonSchema, example: object): AnswerType => ({
  description,
  schema,
  example,
});

export const answers: Readonly<Record<string, AnswerType>> = {
  Merchant: answer('The merchant.', object(owner), ownerExample),
  MerchantList: answer(
    'A page of merchants.',
    page('MerchantSummary', 'The merchants.'),
    pageExample({ ...ownerExample, activeKeys: 1, lastPaymentAt: null, failingEndpoints: 0, disabledEndpoints: 0 }),
  ),
  ChangedMerchant: answer('The merchant as it is now.', object({ ...owner, ...changed }), {
    ...ownerExample,
    warnings: [],
    isNew: false,
  }),
  RemovedMerchant: answer('The merchant is removed.', object({ id: owner.id, name: owner.name }), {
    id: 7,
    name: 'Ribeira Books',
  }),
  RotatedSecret: answer(
    'The new secret.',
    object({
      ownerId: created.ownerId,
      webhookSecret: text('The new secret.'),
      previousValidUntil: instant('Until then the old secret signs too.'),
    }),
    { ownerId: 7, webhookSecret: 'whsec_…', previousValidUntil: exampleAt },
  ),
  Key: answer('The key, without its secret.', object(key), keyExample),
  KeyList: answer('A page of keys.', page('Key', 'The keys.'), pageExample(keyExample)),
  CreatedKey: answer('The new key.', object({ ...created, warnings: changed.warnings }), {
    ...createdExample,
    warnings: [],
  }),
  RotatedKey: answer('The new key.', object({ ...created, previousValidUntil: instant('When the old key expires.') }), {
    ...createdExample,
    previousValidUntil: exampleAt,
  }),
  EndpointList: answer(
    'A page of addresses that fail.',
    page('FailingEndpoint', 'The addresses.'),
    pageExample({
      ownerId: 7,
      environment: 'test',
      origin: 'https://shop.example',
      receiver: 'shop.example',
      failingSince: exampleAt,
      disabledAt: null,
      owner: 'Ribeira Books',
    }),
  ),
  EnabledEndpoint: answer(
    'The address is enabled.',
    object({ origin, environment: mode, sentAgain: whole('Kept notifications that are sent again.', 0) }),
    { origin: 'https://shop.example', environment: 'test', sentAgain: 3 },
  ),
  DisabledEndpoint: answer(
    'The address is disabled.',
    object({ origin, environment: mode, isDone: flag('False: it was disabled before.') }),
    { origin: 'https://shop.example', environment: 'test', isDone: true },
  ),
  TestedEndpoint: answer(
    'What the receiver answered.',
    object({
      url: text('The address.'),
      isDelivered: flag('The receiver answered 2xx.'),
      attempt: nullable(
        object(
          {
            at: instant('When it was sent.'),
            ms: nullable(whole('How long it took.', 0)),
            status: nullable(whole('The HTTP status. Null: no answer.', 100)),
            code: text('WH002: it did not answer in time.'),
            error: maybe('Why there is no complete answer.'),
            answer: text('The beginning of the answer, with secrets hidden.'),
          },
          { optional: ['code', 'answer'], description: 'Null: no worker has sent the event yet.' },
        ),
      ),
    }),
    {
      url: 'https://shop.example/payments',
      isDelivered: true,
      attempt: { at: exampleAt, ms: 41, status: 200, error: null },
    },
  ),
  PortalLinkList: answer(
    'A page of portal links.',
    page('PortalLink', 'The links.'),
    pageExample({
      ...linkExample,
      state: 'active',
      madeBy: 'api Ada Lovelace (op_0123456789abcdef)',
      createdAt: exampleAt,
      revokedAt: null,
      lastUsedAt: null,
      owner: 'Ribeira Books',
    }),
  ),
  CreatedPortalLink: answer('The link.', object({ ...link, url: text('The link. It is shown only now.') }), {
    ...linkExample,
    url: 'https://pay.example/portal/open?link=plink_…',
  }),
  RevokedPortalLink: answer('The link is revoked.', object({ id: link.id }), { id: linkExample.id }),
  Account: answer('The account.', object(account), accountExample),
  AccountList: answer('A page of accounts.', page('ListedAccount', 'The accounts.'), pageExample(listedAccountExample)),
  ChangedAccount: answer(
    'The account as it is now, and who follows.',
    object({ ...account, isNew: changed.isNew, ...followed }),
    { ...accountExample, isNew: true, ...followedExample },
  ),
  RemovedAccount: answer('The account is removed.', object({ account: listedAccount.ref, ...followed }), {
    account: 'acme/ribeira',
    ...followedExample,
  }),
  AccountCheck: answer(
    'What the provider says.',
    object({
      account: listedAccount.ref,
      findings: listOf(
        object({
          state: oneOf('`unchecked`: the check is not possible.', ['ok', 'warn', 'wrong', 'unchecked']),
          part: text('What the finding is about.'),
          text: text('The finding.'),
        }),
        'One or more per mode.',
      ),
    }),
    {
      account: 'acme/ribeira',
      findings: [{ state: 'ok', part: 'credentials', text: 'acme/ribeira (test): the credentials are accepted' }],
    },
  ),
  TurnedAccount: answer('The new state, and who follows.', object({ account: listedAccount.ref, state, ...followed }), {
    account: 'acme/ribeira',
    state: 'draining',
    ...followedExample,
  }),
  TurnedAdapter: answer(
    'The new state, and who follows.',
    object({ adapter: text('The adapter.'), state, ...followed }),
    {
      adapter: 'acme',
      state: 'draining',
      ...followedExample,
    },
  ),
  Adapters: answer(
    'The adapters of the config.',
    object({
      version: followed.version,
      adapters: listOf(
        object({
          name: text('The name.'),
          package: text('The package.'),
          state,
          pending: whole('Open payments.', 0),
          recentlyPaid: whole('Payments in the chargeback window.', 0),
        }),
        'In the order of the config.',
      ),
      running: listOf(
        object({
          process: text('The name of the process.'),
          version: followed.version,
          problem: text('Why it could not load a newer version. Empty: it could.'),
          refused: nullable(whole('The version that it could not load.', 0)),
          at: instant('Its latest report.'),
        }),
        'The running processes.',
      ),
      changes: listOf(
        object({
          at: instant('When.'),
          version: followed.version,
          adapter: text('The adapter or account.'),
          from: nullable(state),
          to: state,
          by: oneOf('What changed it.', ['file', 'command']),
          reason: text('The reason.'),
        }),
        'The latest 10 changes, newest first.',
      ),
    }),
    {
      version: 4,
      adapters: [{ name: 'acme', package: '@paywright/acme', state: 'on', pending: 0, recentlyPaid: 2 }],
      running: [{ process: 'worker-1', version: 4, problem: '', refused: null, at: exampleAt }],
      changes: [{ at: exampleAt, version: 4, adapter: 'acme', from: 'off', to: 'on', by: 'command', reason: 'tested' }],
    },
  ),
  Routes: answer(
    'The route rules.',
    object({
      rules: listOf(
        object({
          id: whole('The number of the rule.'),
          when: { type: 'object', additionalProperties: true, description: 'The conditions. Empty: every payment.' },
          use: names('Adapters and accounts, the preferred one first.'),
          fallback: flag('If certainly nothing was charged, the next entry is tried.'),
        }),
        'In the order in which they apply.',
      ),
    }),
    { rules: [{ id: 1, when: { currency: ['EUR'] }, use: ['acme', 'acme'], fallback: true }] },
  ),
  ExplainedRoute: answer(
    'The route.',
    object({
      merchant: nullable(
        object(
          { name: text('The name.'), ownAccountsOnly: flag('It uses only accounts that are assigned to it.') },
          { description: 'The merchant. Null: none was named.' },
        ),
      ),
      ruleId: nullable(whole('The rule. Null: none, or the merchant named the account.')),
      candidates: listOf(
        object({
          adapter: text('The account.'),
          methodId: whole('The number of the payment method.'),
          money: object(
            { amount: text('Decimal text.'), currency: text('The currency.') },
            { description: 'What the provider would get.' },
          ),
        }),
        'The first account gets the payment. Empty: the payment would be refused.',
      ),
      skipped: listOf(
        object({
          ruleId: nullable(whole('The rule.')),
          adapter: text('The account or adapter.'),
          why: text('Why it is not used.'),
        }),
        'What does not apply.',
      ),
      open: listOf(
        object({
          adapter: text('An adapter of the rules.'),
          accounts: names('The accounts that the merchant may use, in the order in which they are tried.'),
          isAssigned: flag('The merchant is assigned to one of them.'),
        }),
        'Which accounts the merchant may use.',
      ),
    }),
    {
      merchant: { name: 'Ribeira Books', ownAccountsOnly: false },
      ruleId: 1,
      candidates: [{ adapter: 'acme', methodId: 1, money: { amount: '25.90', currency: 'EUR' } }],
      skipped: [],
      open: [{ adapter: 'acme', accounts: ['acme'], isAssigned: false }],
    },
  ),
};
