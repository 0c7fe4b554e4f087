/** The settings of an account that an operator gives, checked before the adapter's own schema reads the options. */
import { defined, isCurrency, isDecimal } from '@paywright/contract';
import type { GatewayError } from '../../../base/errors.ts';
import type { AccountEntry, Fee } from '../load/load-adapters.ts';
import { accountProblem, settingProblem } from './account-problem.ts';

/** Absent: unchanged. */
export interface AccountSettings {
  /** Members to set. Null removes a member. */
  readonly options?: Options | undefined;
  readonly sandboxOptions?: Options | undefined;
  /** Null: the fee of the adapter. */
  readonly fee?: Fee | null | undefined;
  /** Null: the currencies that are open at the adapter. */
  readonly currencies?: readonly string[] | null | undefined;
  /** The names of merchants that may use the account from now on. */
  readonly assign?: readonly string[] | undefined;
  /** The names of merchants that may no longer use it. */
  readonly unassign?: readonly string[] | undefined;
  /** Every merchant may use the account. */
  readonly everybody?: boolean | undefined;
  /** Exactly these merchants may use the account. Null: every merchant. */
  readonly merchants?: readonly string[] | null | undefined;
}

/** An account as it should be. An absent member has its default value. */
export interface WantedAccount extends Pick<AccountSettings, 'options' | 'sandboxOptions' | 'fee' | 'currencies'> {
  /** The merchants that may use the account. Null: every merchant. Absent: none. */
  readonly merchants?: readonly string[] | null | undefined;
}

/** The settings that turn an account into the wanted one. */
export function settingsTowards(
  { options, sandboxOptions }: AccountEntry,
  { fee = null, currencies = null, merchants = [], ...wanted }: WantedAccount,
): AccountSettings {
  const replaced = (before: unknown, after: Options = {}): Options => ({
    ...Object.fromEntries(Object.keys((before ?? {}) as Options).map((name) => [name, null])),
    ...after,
  });
  return {
    options: replaced(options, wanted.options),
    ...((sandboxOptions ?? wanted.sandboxOptions) && {
      sandboxOptions: replaced(sandboxOptions, wanted.sandboxOptions),
    }),
    fee,
    currencies,
    merchants,
  };
}

export type Options = Readonly<Record<string, unknown>>;

/** How a secret is shown. */
export const hidden = '[hidden]';

/** A new account serves no merchant. */
export const emptyAccount: AccountEntry = { state: 'on', options: {}, merchants: [] };

/** Returns the changed account. Throws VAL002 for a setting that is not valid. */
export function changeAccount(before: AccountEntry, settings: AccountSettings): AccountEntry {
  checkSettings(settings);
  const { state, options, sandboxOptions, fee, currencies, merchants } = before;
  const test = settings.sandboxOptions && mergeOptions(sandboxOptions ?? {}, settings.sandboxOptions);
  return {
    state,
    options: mergeOptions((options ?? {}) as Options, settings.options ?? {}),
    ...defined({
      // Test options without a member are none: the account then has no test options of its own.
      sandboxOptions: test ? (Object.keys(test).length > 0 ? test : undefined) : sandboxOptions,
      fee: settings.fee === undefined ? fee : (settings.fee ?? undefined),
      currencies: settings.currencies === undefined ? currencies : (settings.currencies ?? undefined),
      merchants: changeMerchants(merchants, settings),
    }),
  };
}

function checkSettings({ options, sandboxOptions, fee, currencies, assign, everybody }: AccountSettings): void {
  for (const [member, given] of Object.entries(defined({ options, sandboxOptions }))) {
    const path = pathOf(given, (text) => /\$\{(env|file):/.test(text), [member]);
    if (path) throw optionProblem(path, 'write the value itself: ${env:…} and ${file:…} work in config files only');
    const masked = pathOf(given, (text) => text === hidden, [member]);
    if (masked) throw optionProblem(masked, `write the value itself: ${hidden} is only how a secret is shown`);
  }
  if (currencies?.length === 0) throw settingProblem('currencies', 'must name at least one');
  const unknown = currencies?.find((one) => !isCurrency(one));
  if (unknown !== undefined) throw settingProblem('currencies', `${unknown} is not an ISO 4217 code such as EUR`);
  for (const amount of fee ? [fee.percent, ...Object.values(fee.fixed)] : [])
    if (!isDecimal(amount)) throw settingProblem('fee', `${amount} must be a decimal number, such as 1.4`);
  const coin = Object.keys(fee?.fixed ?? {}).find((one) => !isCurrency(one));
  if (coin !== undefined) throw settingProblem('fee', `${coin} is not an ISO 4217 code such as EUR`);
  if (everybody && assign?.length)
    throw settingProblem('merchants', 'an account that serves everybody has no assigned merchants: choose one of both');
}

function optionProblem(path: readonly string[], message: string): GatewayError {
  return accountProblem(`${path.join('.')}: ${message}`, [{ field: path.slice(0, 2).join('.'), value: null, message }]);
}

/** The path of the first text that the test finds. */
function pathOf(
  value: unknown,
  isFound: (text: string) => boolean,
  path: readonly string[],
): readonly string[] | undefined {
  if (typeof value === 'string') return isFound(value) ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, member] of Object.entries(value)) {
    const found = pathOf(member, isFound, [...path, key]);
    if (found) return found;
  }
  return undefined;
}

function mergeOptions(before: Options, changes: Options): Options {
  return Object.fromEntries(Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null));
}

/** Undefined: every merchant. Removing the last merchant leaves an account that serves none. */
function changeMerchants(
  before: readonly string[] | undefined,
  { assign = [], unassign = [], everybody, merchants }: AccountSettings,
): readonly string[] | undefined {
  if (everybody) return undefined;
  if (merchants !== undefined) return merchants === null ? undefined : [...new Set(merchants)];
  if (assign.length === 0 && unassign.length === 0) return before;
  if (before === undefined && assign.length === 0)
    throw settingProblem('merchants', 'the account serves everybody: assign the merchants that keep it instead');
  const kept = (before ?? []).filter((name) => !unassign.includes(name));
  return [...new Set([...kept, ...assign])];
}
