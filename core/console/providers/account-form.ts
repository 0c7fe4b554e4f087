/** The forms that add and change an account, and their values as settings. Secrets are typed, and never shown. */
import { defined } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { invalidField } from '../../base/errors.ts';
import { checkBox, choice, fold, textArea, textField } from '../../html/components/parts.ts';
import {
  accountRefOf,
  readFee,
  readOptionText,
  toOptionText,
  writeFee,
  type AccountSettings,
  type AccountView,
  type OptionField,
} from '../../engine/providers/index.ts';
import { optionalReason } from '../kit/buttons.ts';
import type { FormValues } from '../kit/form-values.ts';

type Options = Readonly<Record<string, unknown>>;
type Side = 'options' | 'sandboxOptions';

/** What the form shows of the account. Absent for a new account. */
type Shown = Pick<AccountView, 'options' | 'sandboxOptions' | 'fee' | 'currencies'>;

/** `inherited` are the options of the adapter, which apply where the account has none. */
export function accountFields(
  fields: readonly OptionField[],
  inherited: Pick<AccountView, 'options' | 'sandboxOptions'>,
  account?: Shown,
): SafeHtml {
  const own = account?.sandboxOptions;
  const test = { ...inherited.options, ...inherited.sandboxOptions };
  return html`${textField({
    name: 'currencies',
    label: 'Currencies',
    value: account?.currencies?.join(', '),
    hint: 'Codes, separated by commas. Empty: all that are open at the adapter.',
    placeholder: 'EUR, USD',
  })}
  ${textField({
    name: 'fee',
    label: 'Fee',
    value: account?.fee ? writeFee(account.fee) : '',
    hint: 'The percentage, then the fixed parts. Empty: the fee of the adapter.',
    placeholder: '1.4, 0.25 EUR',
  })}
  ${fold(
    'Options of live payments',
    html`${fields.map((one) => optionField(one, 'options', inherited.options, account?.options))}`,
    true,
  )}
  ${fold(
    'Options of test payments',
    html`${fields.map((one) => optionField(one, 'sandboxOptions', test, own ?? (account && {})))}
    ${own ? checkBox('noTest', 'Remove the options of test payments') : null}`,
    own !== null && own !== undefined,
  )}
  ${textField({ name: 'reason', label: optionalReason })}`;
}

function optionField(field: OptionField, side: Side, inherited: Options, own: Options | undefined): SafeHtml {
  const { name, kind, isSecret, choices, description } = field;
  const isSet = own !== undefined && Object.hasOwn(own, name);
  const shape = isSecret && kind === 'list' ? 'Several values as a JSON list, the current one first.' : shapes[kind];
  const kept = isSecret && isSet ? 'A value is set. Empty: keep it.' : '';
  const hint = [description, shape, kept].filter(Boolean).join(' ');
  const input = { name: `${side}.${name}`, label: name, ...(hint !== '' && { hint }) };
  if (isSecret) return textField({ ...input, type: 'password' });
  const value = isSet ? toOptionText(own[name]) : '';
  const given = toOptionText(inherited[name]);
  if (kind === 'choice' || kind === 'boolean') {
    const any = given === '' ? 'not set' : `that of the adapter (${given})`;
    const all = kind === 'boolean' ? ['true', 'false'] : choices;
    return choice(input.name, name, all, value, { any, ...(hint !== '' && { hint }) });
  }
  const placeholder = given !== '' && given.length <= maxPlaceholder && { placeholder: given };
  const typed = { ...input, value, ...placeholder };
  return kind === 'list' || kind === 'data' ? textArea(typed) : textField(typed);
}

const shapes = { text: '', number: '', boolean: '', choice: '', list: 'One per line.', data: 'As JSON.' } as const;
const maxPlaceholder = 100;

/** Throws VAL002 for a fee that cannot be read. The service checks everything else. */
export function readNewAccount(
  adapter: string,
  values: FormValues,
  fields: readonly OptionField[],
): { readonly ref: string; readonly settings: AccountSettings } {
  const { name = '', merchant = '', everybody } = values;
  const terms = readTerms(values, fields, undefined);
  const settings = {
    ...terms,
    options: terms.options ?? {},
    ...(merchant !== '' && { assign: [merchant] }),
    ...(everybody === 'yes' && { everybody: true }),
  };
  return { ref: accountRefOf({ adapter, account: name }), settings };
}

/**
 * The settings that the form changes. An empty field removes its setting, so the adapter's applies; an empty secret
 * is kept. A field that the form does not have changes nothing.
 */
export function readTerms(
  values: FormValues,
  fields: readonly OptionField[],
  before: Shown | undefined,
): AccountSettings {
  const { fee, currencies, noTest } = values;
  const removed = noTest === 'yes' ? Object.keys(before?.sandboxOptions ?? {}) : [];
  const sandboxOptions = {
    ...readSide('sandboxOptions', values, fields, before?.sandboxOptions ?? {}),
    ...Object.fromEntries(removed.map((name) => [name, null])),
  };
  return defined({
    options: withMembers(readSide('options', values, fields, before?.options ?? {})),
    sandboxOptions: withMembers(sandboxOptions),
    fee: fee === undefined ? undefined : feeOf(fee),
    currencies: currencies === undefined ? undefined : codesOf(currencies),
  });
}

/** The members that differ from before. Null removes a member. */
function readSide(side: Side, values: FormValues, fields: readonly OptionField[], before: Options): Options {
  const changes = fields.flatMap((field): (readonly [string, unknown])[] => {
    const { name, isSecret } = field;
    const text = values[`${side}.${name}`]?.replaceAll('\r\n', '\n');
    if (text === undefined || (text === '' && (isSecret || !Object.hasOwn(before, name)))) return [];
    if (text === '') return [[name, null]];
    return isSecret || text !== toOptionText(before[name]) ? [[name, readOptionText(field, text)]] : [];
  });
  return Object.fromEntries(changes);
}

function withMembers(options: Options): Options | undefined {
  return Object.keys(options).length > 0 ? options : undefined;
}

function feeOf(text: string): AccountSettings['fee'] {
  if (text === '') return null;
  const fee = readFee(text);
  if (!fee) throw invalidField('fee', text, 'must be a percentage and fixed parts, such as 1.4, 0.25 EUR');
  return fee;
}

function codesOf(text: string): readonly string[] | null {
  return text === '' ? null : text.split(',').map((code) => code.trim().toUpperCase());
}

/** The merchant of the form. Throws VAL002 if there is none. */
export function merchantsOf({ merchant = '' }: FormValues): readonly string[] {
  if (merchant === '') throw invalidField('merchant', '', 'enter the name of a merchant');
  return [merchant];
}
