import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { defined } from '@paywright/contract';
import { readState } from '../../../workers/supervisor/data-folder/index.ts';
import { withAnySandboxes } from '../../../workers/supervisor/start/run-config.ts';
import { readYaml } from '../../base/text/read-yaml.ts';
import {
  accountRefOf,
  createAccounts,
  mainAccount,
  parseAccountRef,
  readFee,
  sidesOf,
  type Accounts,
  type AccountSettings,
  type ListedAccount,
} from '../../engine/providers/index.ts';
import { createAdapterStateStore, type AdapterStateStore } from '../../engine/providers/states/adapter-states.ts';
import { turnAdapter } from '../../engine/providers/states/turn-adapter.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { confirmAction, yes } from '../confirm.ts';
import { json, printResult } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase, type Access } from '../with-database.ts';
import { printFollowed, withCure } from './adapters.ts';
import { askAboutAccount } from './doctor.ts';

const now = (): Date => new Date();

const reason = { type: 'string', value: '<text>', help: 'the reason, for the audit log' } as const;

const settings = {
  options: {
    type: 'string',
    value: '<file>',
    help: 'YAML or JSON with the options of the adapter; - reads standard input',
  },
  'sandbox-options': { type: 'string', value: '<file>', help: 'the same for test payments' },
  currencies: { type: 'string', value: '<codes>', help: 'currencies that the account accepts, separated by commas' },
  fee: { type: 'string', value: '<fee>', help: 'percent, then fixed parts: "1.4, 0.25 EUR"' },
  merchant: {
    type: 'string',
    multiple: true,
    value: '<name>',
    help: 'a merchant that may use the account; can be repeated',
  },
  everybody: { type: 'boolean', help: 'every merchant may use the account' },
  reason,
  json,
} as const;

interface SettingValues {
  readonly options?: string;
  readonly 'sandbox-options'?: string;
  readonly currencies?: string;
  readonly fee?: string;
  readonly merchant?: readonly string[];
  readonly unassign?: readonly string[];
  readonly everybody?: boolean;
  readonly reason?: string;
}

export const accountsList = defineCommand({
  options: { json },
  async run({ values, operands: [adapter], shell }) {
    const listed = await withAccounts(shell, async ({ accounts }) => accounts.list(adapter));
    printResult(shell, values, listed, listed.map(describeAccount));
    return 0;
  },
});

export const accountsShow = defineCommand({
  options: { json },
  notes: ['A secret is shown as [hidden]: only that it is set can be seen.'],
  async run({ values, operands: [name = ''], shell }) {
    const account = await withAccounts(shell, async ({ accounts }) => accounts.get(toRef(name)));
    const { options, sandboxOptions, fee, created } = account;
    const lines = [
      describeAccount(account),
      `fee: ${fee ? feeText(fee) : 'that of the adapter'}`,
      ...Object.entries(options).map(([option, value]) => `options.${option}: ${textOf(value)}`),
      ...Object.entries(sandboxOptions ?? {}).map(([option, value]) => `sandboxOptions.${option}: ${textOf(value)}`),
      ...(created
        ? [`created by ${created.by}, ${created.at.toISOString()}; changed ${created.changedAt.toISOString()}`]
        : []),
    ];
    printResult(shell, values, account, lines);
    return 0;
  },
});

export const accountsAdd = defineCommand({
  options: settings,
  notes: [
    'The account serves no merchant until merchants are assigned or --everybody is given. Options that the adapter has in the',
    'config apply to the account too, except for secrets.',
  ],
  async run({ values, operands: [name = ''], shell }) {
    const given = await readSettings(values);
    return change(shell, toRef(name), values, 'added', async ({ accounts }, ref) =>
      accounts.add(operatorOf(shell), ref, given, values.reason),
    );
  },
});

export const accountsSet = defineCommand({
  options: {
    ...settings,
    unassign: {
      type: 'string',
      multiple: true,
      value: '<name>',
      help: 'a merchant that may no longer use the account; can be repeated',
    },
  },
  notes: [
    'Changes only the options that the file names; null removes one. An empty text removes a setting: --fee ""',
    'The identity of an account cannot change while payments, refunds or disputes depend on it.',
  ],
  async run({ values, operands: [name = ''], shell }) {
    const given = await readSettings(values);
    if (Object.keys(given).length === 0)
      throw new UsageError('Nothing to set: "paywright accounts set --help" lists the settings.');
    return change(shell, toRef(name), values, 'changed', async ({ accounts }, ref) =>
      accounts.set(operatorOf(shell), ref, given, values.reason),
    );
  },
});

export const accountsRemove = defineCommand({
  options: { reason, yes, json },
  notes: ['An account on which payments, refunds or disputes depend cannot be removed, only drained or turned off.'],
  async run({ values, operands: [name = ''], shell }) {
    const ref = toRef(name);
    const effect = `This removes the account ${ref} with its options. Its name can never be used again.`;
    if (!(await confirmAction(shell, effect, values))) return 1;
    return change(shell, ref, values, 'removed', async ({ accounts }) =>
      accounts.remove(operatorOf(shell), ref, values.reason),
    );
  },
});

export const accountsCheck = defineCommand({
  options: { json },
  async run({ values, operands: [name = ''], shell }) {
    const ref = toRef(name);
    return withAccounts(shell, async ({ accounts, access }) => {
      const { audit, loaded } = access;
      const active = await accounts.load(ref);
      const action = { act: 'adapter.check', subject: { type: 'account', id: ref } } as const;
      const findings = await audit.run(operatorOf(shell), action, async () => {
        const value = await askAboutAccount(active, sidesOf(active, loaded.config.keys), loaded, shell);
        return { value, after: value };
      });
      const lines = findings.map(({ state, text }) => `${state === 'wrong' ? 'WRONG' : state}: ${text}`);
      printResult(shell, values, findings, lines);
      return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
    });
  },
});

export const accountsOn = stateCommand('on');
export const accountsDrain = stateCommand('draining');

export const accountsOff = defineCommand({
  options: { reason, json, force: { type: 'boolean', help: 'turn it off even if money is open' } },
  run: async ({ values, operands: [name = ''], shell }) => turn(shell, name, 'off', values),
});

function stateCommand(to: 'on' | 'draining') {
  return defineCommand({
    options: { reason, json },
    run: async ({ values, operands: [name = ''], shell }) => turn(shell, name, to, values),
  });
}

async function turn(
  shell: Shell,
  name: string,
  to: 'on' | 'draining' | 'off',
  values: { readonly reason?: string; readonly force?: boolean; readonly json?: boolean },
): Promise<number> {
  const ref = toRef(name);
  if (parseAccountRef(ref).account === mainAccount)
    throw new UsageError(`${ref} is an adapter: its state is that of all its accounts. Use "paywright adapters".`);
  return withAccounts(shell, async ({ accounts, adapterStates, access: { audit } }) => {
    await accounts.get(ref);
    const { reason: why, force: isForced = false } = values;
    const states = { adapterStates, audit };
    const version = await turnAdapter(states, operatorOf(shell), { adapter: ref, to, reason: why, isForced }).catch(
      withCure,
    );
    return printFollowed(adapterStates, version, shell, values, {
      words: `${ref} is ${to}`,
      result: { account: ref, state: to },
    });
  });
}

interface WithAccounts {
  readonly accounts: Accounts;
  readonly adapterStates: AdapterStateStore;
  readonly access: Access;
}

async function withAccounts<T>(shell: Shell, work: (given: WithAccounts) => Promise<T>): Promise<T> {
  return withDatabase(shell, async (access) => {
    const { connection, encrypter, audit, loaded } = access;
    const { ports } = await readState(loaded.config.database.dataDir);
    const run = { ...loaded, config: withAnySandboxes(loaded.config, ports.sandboxes) };
    const adapterStates = createAdapterStateStore(connection, now);
    const accounts = createAccounts({ connection, encrypter, run, adapterStates, audit, now });
    return work({ accounts, adapterStates, access });
  });
}

/** Changes the account, and waits until every running process has loaded the change. */
async function change(
  shell: Shell,
  ref: string,
  values: { readonly json?: boolean },
  verb: string,
  work: (given: WithAccounts, ref: string) => Promise<void>,
): Promise<number> {
  return withAccounts(shell, async (given) => {
    await work(given, ref);
    const { adapterStates, accounts } = given;
    const { version } = await adapterStates.read();
    const account = verb === 'removed' ? undefined : await accounts.get(ref);
    const users = account ? `, and serves ${usersOf(account)}` : '';
    return printFollowed(adapterStates, version, shell, values, {
      words: `${ref} is ${verb}${users}`,
      result: { account: ref, ...account },
    });
  });
}

function toRef(name: string): string {
  return accountRefOf(parseAccountRef(name));
}

async function readSettings(values: SettingValues): Promise<AccountSettings> {
  const { options, 'sandbox-options': sandboxOptions, currencies, fee, merchant, unassign, everybody } = values;
  if (options === '-' && sandboxOptions === '-')
    throw new UsageError('Only one of --options and --sandbox-options can be read from standard input.');
  return defined({
    options: options === undefined ? undefined : await readOptions(options),
    sandboxOptions: sandboxOptions === undefined ? undefined : await readOptions(sandboxOptions),
    currencies: currencies === '' ? null : currencies?.split(',').map((one) => one.trim()),
    fee: fee === '' ? null : fee === undefined ? undefined : feeOf(fee),
    assign: merchant,
    unassign,
    everybody,
  });
}

/** Throws an Error that never quotes the file, because it contains secrets. */
async function readOptions(file: string): Promise<Record<string, unknown>> {
  const where = file === '-' ? 'The standard input' : `The file ${file}`;
  const text = await (file === '-' ? readStream(process.stdin) : readFile(file, 'utf8')).catch((cause: unknown) => {
    throw new Error(`${where} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const { value, problems } = readYaml(text);
  if (problems.length > 0) throw new Error(`${where}: ${problems.join('; ')}`);
  return value;
}

function feeOf(text: string): NonNullable<ListedAccount['fee']> {
  const fee = readFee(text);
  if (!fee) throw new UsageError('--fee must be a percentage and fixed parts, for example "1.4, 0.25 EUR, 0.30 USD".');
  return fee;
}

function describeAccount(account: ListedAccount): string {
  const { ref, state, source, currencies } = account;
  const where = source === 'config' ? 'config' : 'database';
  return `${ref.padEnd(28)} ${state.padEnd(9)} ${where.padEnd(9)} ${currencies?.join(', ') ?? 'all currencies'}; serves ${usersOf(account)}`;
}

function usersOf({ merchants }: Pick<ListedAccount, 'merchants'>): string {
  if (!merchants) return 'every merchant';
  return merchants.length > 0 ? merchants.join(', ') : 'no merchant';
}

function feeText({ percent, fixed }: NonNullable<ListedAccount['fee']>): string {
  return [`${percent} %`, ...Object.entries(fixed).map(([currency, amount]) => `${amount} ${currency}`)].join(', ');
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
