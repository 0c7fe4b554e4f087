/** The operations on adapters, their accounts and the routes. */
import * as v from 'valibot';
import { isDecimal } from '@paywright/contract';
import { invalidField, notFound } from '../../base/errors.ts';
import { explainedInputs } from '../../engine/payments/submit/explain-route.ts';
import { accountRefOf, mainAccount, parseAccountRef } from '../../engine/providers/index.ts';
import { awaitFollowers } from '../../engine/providers/states/await-followers.ts';
import { choice, fee, flag, list, members, nullable, text } from './input.ts';
import { pageInput, reason } from './merchant-operations.ts';
import { operation } from './operation.ts';
import { pageOf } from './page-of.ts';
import type { ManagementServices } from './services.ts';

const adapter = text('The name of the adapter, as in the config.', { max: 100 });
const account = text('The name of the account. `main`: the account of the adapter itself.', { max: 40 });
const merchantName = text('The exact name of a merchant.', { max: 200 });
const state = choice('`draining`: no new payments; callbacks, reconciliation and refunds continue.', [
  'on',
  'draining',
  'off',
]);
const force = v.optional(flag('Turn it off even if money is open.'));

const terms = {
  options: v.optional(members('The options of the adapter. They are never returned if they are secret.')),
  sandboxOptions: v.optional(members('The same for test payments.')),
  fee: v.optional(nullable(fee)),
  currencies: v.optional(
    nullable(list('The currencies that the account accepts. Null: those of the adapter.', text('A code.', { max: 3 }))),
  ),
};
const merchants = v.optional(
  nullable(list('The merchants that may use the account. Null: every merchant. Absent: none.', merchantName)),
);

const path = '/api/accounts/{adapter}/{account}';
const named = { adapter: 'acme', account: 'ribeira' };
const wanted = {
  options: { login: 'ribeira', secretWord: 'the secret of this account' },
  merchants: ['Ribeira Books'],
  currencies: ['EUR'],
  fee: { percent: '1.4', fixed: { EUR: '0.25' } },
};

/** Waits until every running process has loaded the change. */
async function followed({ adapterStates }: ManagementServices, version?: number) {
  const reached = version ?? (await adapterStates.read()).version;
  const { processes, behind } = await awaitFollowers(adapterStates, reached);
  return {
    version: reached,
    processes,
    behind: behind.map(({ _id: process, problem, refused }) => {
      return { process, problem: refused !== null && refused >= reached ? problem : null };
    }),
  };
}

export const accountOperations = {
  listAccounts: operation({
    method: 'GET',
    path: '/api/accounts',
    tag: 'Accounts',
    summary: 'List the accounts of all adapters or of one',
    input: { adapter: v.optional(adapter), ...pageInput },
    answer: 'AccountList',
    run: async ({ accounts }, _, { adapter: name, ...page }) =>
      pageOf(await accounts.list(name), ({ adapter: of, account: own }) => `${of}/${own}`, page),
  }),

  createAccount: operation({
    method: 'POST',
    path: '/api/accounts',
    tag: 'Accounts',
    summary: 'Add an account to an adapter',
    description: 'Refuses a name that exists. To create or change, put the account instead.',
    input: { adapter, account, ...terms, merchants, reason },
    example: { ...named, ...wanted },
    answer: 'ChangedAccount',
    creates: 'always',
    async run(services, by, { adapter: of, account: name, reason: why, ...given }) {
      const ref = accountRefOf({ adapter: of, account: name });
      await services.accounts.add(by, ref, given, why);
      return { ...(await services.accounts.get(ref)), isNew: true, ...(await followed(services)) };
    },
  }),

  getAccount: operation({
    method: 'GET',
    path,
    tag: 'Accounts',
    summary: 'Read an account: its settings and options, with secrets hidden',
    input: { adapter, account },
    example: named,
    answer: 'Account',
    run: async ({ accounts }, _, { adapter: of, account: name }) =>
      accounts.get(accountRefOf({ adapter: of, account: name })),
  }),

  putAccount: operation({
    method: 'PUT',
    path,
    tag: 'Accounts',
    summary: 'Create an account, or give it exactly these settings',
    description:
      'A setting that is absent gets its default. If nothing changes, nothing is written, and no process loads anything. ' +
      'The identity of an account cannot change while money depends on it. Accounts of the config files are changed there.',
    input: { adapter, account, ...terms, merchants, reason },
    example: { ...named, ...wanted },
    answer: 'ChangedAccount',
    creates: 'maybe',
    mayConflict: true,
    async run(services, by, { adapter: of, account: name, reason: why, ...given }) {
      const ref = accountRefOf({ adapter: of, account: name });
      const { isNew } = await services.accounts.put(by, ref, given, why);
      return { ...(await services.accounts.get(ref)), isNew, ...(await followed(services)) };
    },
  }),

  changeAccount: operation({
    method: 'PATCH',
    path,
    tag: 'Accounts',
    summary: 'Change settings of an account',
    description: 'Changes only the options that are named; null removes one. A setting that is absent stays as it is.',
    input: {
      adapter,
      account,
      ...terms,
      assign: v.optional(list('Merchants that may use the account from now on.', merchantName)),
      unassign: v.optional(list('Merchants that may no longer use it.', merchantName)),
      everybody: v.optional(flag('Every merchant may use the account.')),
      reason,
    },
    example: { ...named, assign: ['Ribeira Books'], reason: 'its own contract' },
    answer: 'ChangedAccount',
    mayConflict: true,
    async run(services, by, { adapter: of, account: name, reason: why, ...given }) {
      const ref = accountRefOf({ adapter: of, account: name });
      await services.accounts.set(by, ref, given, why);
      return { ...(await services.accounts.get(ref)), isNew: false, ...(await followed(services)) };
    },
  }),

  removeAccount: operation({
    method: 'DELETE',
    path,
    tag: 'Accounts',
    summary: 'Remove an account on which no money depends',
    description: 'Its name can never be used again.',
    input: { adapter, account, reason },
    example: named,
    answer: 'RemovedAccount',
    mayConflict: true,
    async run(services, by, { adapter: of, account: name, reason: why }) {
      const ref = accountRefOf({ adapter: of, account: name });
      await services.accounts.remove(by, ref, why);
      return { account: ref, ...(await followed(services)) };
    },
  }),

  checkAccount: operation({
    method: 'POST',
    path: `${path}/check`,
    tag: 'Accounts',
    summary: 'Ask the provider whether an account is ready for payments',
    input: { adapter, account },
    example: named,
    answer: 'AccountCheck',
    async run({ accounts, askProvider, audit }, by, { adapter: of, account: name }) {
      const ref = accountRefOf({ adapter: of, account: name });
      const active = await accounts.load(ref);
      const action = { act: 'adapter.check', subject: { type: 'account', id: ref } } as const;
      const findings = await audit.run(by, action, async () => {
        const value = await askProvider(active);
        return { value, after: value };
      });
      return { account: ref, findings };
    },
  }),

  setAccountState: operation({
    method: 'PUT',
    path: `${path}/state`,
    tag: 'Accounts',
    summary: 'Turn an account on, draining or off',
    description: 'Waits until every process follows. The state of `main` is that of its adapter.',
    input: { adapter, account, state, force, reason },
    example: { ...named, state: 'draining', reason: 'the contract ends' },
    answer: 'TurnedAccount',
    mayConflict: true,
    async run(services, by, { adapter: of, account: name, state: to, force: isForced, reason: why }) {
      const ref = accountRefOf({ adapter: of, account: name });
      if (parseAccountRef(ref).account === mainAccount)
        throw invalidField('account', name, `is the adapter ${of}: its state is that of all its accounts`);
      const before = await services.accounts.get(ref);
      const version =
        before.state === to ? undefined : await services.turn(by, { adapter: ref, to, isForced, reason: why });
      return { account: ref, state: to, ...(await followed(services, version)) };
    },
  }),
};

export const adapterOperations = {
  getAdapters: operation({
    method: 'GET',
    path: '/api/adapters',
    tag: 'Adapters',
    summary: 'List the adapters of the config: state, open payments, the latest changes',
    input: {},
    answer: 'Adapters',
    async run({ adapterStates, config }) {
      const { version, states } = await adapterStates.read();
      const adapters = await Promise.all(
        Object.entries(config.adapters).map(async ([name, { package: packageName, state: own }]) => {
          return { name, package: packageName, state: states[name] ?? own, ...(await adapterStates.openMoney(name)) };
        }),
      );
      const running = (await adapterStates.running()).map(({ _id, ...run }) => ({ process: _id, ...run }));
      const changes = (await adapterStates.changes(10)).map(({ at, version: to, ...change }) => {
        const { adapter: name, from, to: next, by, reason: why } = change;
        return { at, version: to, adapter: name, from, to: next, by, reason: why };
      });
      return { version, adapters, running, changes };
    },
  }),

  setAdapterState: operation({
    method: 'PUT',
    path: '/api/adapters/{adapter}/state',
    tag: 'Adapters',
    summary: 'Turn an adapter on, draining or off',
    description: 'Waits until every process follows. A later edit of the state in a config file overrides this change.',
    input: { adapter, state, force, reason },
    example: { adapter: 'acme', state: 'draining', reason: 'the contract ends' },
    answer: 'TurnedAdapter',
    mayConflict: true,
    async run(services, by, { adapter: name, state: to, force: isForced, reason: why }) {
      const listed = Object.hasOwn(services.config.adapters, name) ? services.config.adapters[name] : undefined;
      if (!listed) throw notFound(`adapter ${name}`);
      if (to !== 'off') await services.demandComplete(name);
      const { states } = await services.adapterStates.read();
      const isSame = (states[name] ?? listed.state) === to;
      const version = isSame ? undefined : await services.turn(by, { adapter: name, to, isForced, reason: why });
      return { adapter: name, state: to, ...(await followed(services, version)) };
    },
  }),
};

export const routeOperations = {
  getRoutes: operation({
    method: 'GET',
    path: '/api/routes',
    tag: 'Routes',
    summary: 'Read the route rules, in the order in which they apply',
    description: 'Route rules are changed in the config files.',
    input: {},
    answer: 'Routes',
    run: async ({ config }) => ({ rules: config.routes }),
  }),

  explainRoute: operation({
    method: 'POST',
    path: '/api/routes/explain',
    tag: 'Routes',
    summary: 'Explain which route rule applies to a payment, and why the others do not',
    description: 'Sends no request to a provider.',
    input: {
      amount: text('A decimal number.', { max: 40 }),
      unit: text('The currency of the amount.', { max: 10 }),
      input: v.optional(choice('What the payer enters. Default: card.', explainedInputs)),
      country: v.optional(text('The country of the payer, two letters. Default: PT.', { min: 2, max: 2 })),
      bin: v.optional(text('The first digits of the card.', { max: 12 })),
      wallet: v.optional(flag('The card comes from a wallet.')),
      is3ds: v.optional(flag('The merchant demands 3D Secure.')),
      live: v.optional(flag('A live payment. Default: a test payment.')),
      merchant: v.optional(merchantName),
      account: v.optional(text('The account that the merchant names: `<adapter>/<account>`.', { max: 150 })),
    },
    example: { amount: '25.90', unit: 'EUR', merchant: 'Ribeira Books' },
    answer: 'ExplainedRoute',
    async run({ owners, explainRoute }, _, { merchant: name, ...question }) {
      if (!isDecimal(question.amount)) throw invalidField('amount', question.amount, 'must be a decimal number');
      if (question.bin !== undefined && !/^\d+$/.test(question.bin))
        throw invalidField('bin', question.bin, 'must contain only digits');
      const owner = name === undefined ? undefined : await owners.find(name);
      if (name !== undefined && !owner) throw notFound(`merchant ${name}`);
      const user = owner && { name: owner.name, ownAccountsOnly: owner.ownAccountsOnly };
      return { merchant: user ?? null, ...(await explainRoute({ ...question, merchant: user })) };
    },
  }),
};
