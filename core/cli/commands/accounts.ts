import { readFile } from 'node:fs/promises';
import { text as readStream } from 'node:stream/consumers';
import { defined } from '@paywright/contract';
import { readYaml } from '../../base/text/read-yaml.ts';
import {
  mainAccount,
  parseAccountRef,
  readFee,
  toAccountRef,
  type AccountSettings,
  type ListedAccount,
} from '../../engine/providers/index.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { confirmAction, yes } from '../confirm.ts';
import { json, printResult } from '../json.ts';
import { url, withManagement } from '../management.ts';
import { printFollowed, reason, stateCommands } from './state-commands.ts';

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
  url,
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
  options: { url, json },
  async run({ values, operands: [adapter], shell }) {
    const listed = await withManagement(shell, values, async ({ all }) => all('listAccounts', { adapter }));
    printResult(shell, values, listed, listed.map(describeAccount));
    return 0;
  },
});

export const accountsShow = defineCommand({
  options: { url, json },
  notes: ['A secret is shown as [hidden]: only that it is set can be seen.'],
  async run({ values, operands: [name = ''], shell }) {
    const account = await withManagement(shell, values, async ({ call }) => call('getAccount', parseAccountRef(name)));
    const { options, sandboxOptions, fee, created } = account;
    const lines = [
      describeAccount(account),
      `fee: ${fee ? feeText(fee) : 'that of the adapter'}`,
      ...Object.entries(options).map(([option, value]) => `options.${option}: ${textOf(value)}`),
      ...Object.entries(sandboxOptions ?? {}).map(([option, value]) => `sandboxOptions.${option}: ${textOf(value)}`),
      ...(created ? [`created by ${created.by}, ${created.at}; changed ${created.changedAt}`] : []),
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
    const { assign, everybody, ...given } = await readSettings(values);
    if (everybody && assign)
      throw new UsageError(
        '--everybody and --merchant exclude each other: an account serves all merchants, or those named.',
      );
    const merchants = everybody ? null : assign;
    const account = { ...parseAccountRef(name), ...given, merchants, reason: values.reason };
    const added = await withManagement(shell, values, async ({ call }) => call('createAccount', account));
    return printChanged(shell, values, 'added', added);
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
    const account = { ...parseAccountRef(name), ...given, reason: values.reason };
    const changed = await withManagement(shell, values, async ({ call }) => call('changeAccount', account));
    return printChanged(shell, values, 'changed', changed);
  },
});

export const accountsRemove = defineCommand({
  options: { reason, yes, url, json },
  notes: ['An account on which payments, refunds or disputes depend cannot be removed, only drained or turned off.'],
  async run({ values, operands: [name = ''], shell }) {
    const ref = toAccountRef(name);
    const effect = `This removes the account ${ref} with its options. Its name can never be used again.`;
    if (!(await confirmAction(shell, effect, values))) return 1;
    const account = { ...parseAccountRef(name), reason: values.reason };
    const removed = await withManagement(shell, values, async ({ call }) => call('removeAccount', account));
    return printFollowed(shell, values, removed, { words: `${ref} is removed`, result: { account: ref } });
  },
});

export const accountsCheck = defineCommand({
  options: { url, json },
  async run({ values, operands: [name = ''], shell }) {
    const account = parseAccountRef(name);
    const { findings } = await withManagement(shell, values, async ({ call }) => call('checkAccount', account));
    const lines = findings.map(({ state, text }) => `${state === 'wrong' ? 'WRONG' : state}: ${text}`);
    printResult(shell, values, findings, lines);
    return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
  },
});

const turned = stateCommands({
  as: 'account',
  read(name) {
    const ref = toAccountRef(name);
    if (parseAccountRef(ref).account === mainAccount)
      throw new UsageError(`${ref} is an adapter: its state is that of all its accounts. Use "paywright adapters".`);
    return ref;
  },
  turn: async (call, ref, change) => call('setAccountState', { ...parseAccountRef(ref), ...change }),
});
export const { on: accountsOn, drain: accountsDrain, off: accountsOff } = turned;

type Changed = ListedAccount & Parameters<typeof printFollowed>[2] & { readonly isNew: boolean };

function printChanged(shell: Shell, values: { readonly json?: boolean }, verb: string, changed: Changed): number {
  const { isNew: _, version: __, processes: ___, behind: ____, account, ...rest } = changed;
  const words = `${rest.ref} is ${verb}, and serves ${usersOf(rest)}`;
  return printFollowed(shell, values, changed, { words, result: { account, ...rest } });
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
