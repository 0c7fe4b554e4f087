/** What B's messages share: the control, the text of answers, problems, and the forms of values. */
import {
  fieldNamed,
  formPost,
  hash,
  misconfigured,
  nothingCharged,
  readPairs,
  refusedField,
  uniquePairs,
  utf8,
  type FailedOutcome,
  type HttpReply,
  type HttpRequest,
  type InterfaceField,
} from '@paywright/contract';
import type { Options } from './options.ts';

/**
 * SHA-1 over the concatenated values without a separator, then the key: the control of a request, the check of a
 * callback.
 */
export function controlOf(key: string, ...values: readonly string[]): Buffer {
  return hash('sha1', ...values, key);
}

/** A call with its fields, and a control over the values that B names for it. */
export function toCall(
  { endpoint, controlKeys }: Options,
  call: 'sale' | 'status' | 'confirm' | 'return',
  fields: Readonly<Record<string, string | undefined>>,
  signed: readonly string[],
): HttpRequest {
  const control = controlOf(controlKeys[0]!, ...signed).toString('hex');
  return formPost(`/api/${call}/${endpoint}`, { ...fields, control });
}

export type Answer = ReadonlyMap<string, string>;

/**
 * An answer that names our reference, or no reference, as problems do. Undefined if it is about another payment, does
 * not end in `end=1`, repeats a name, or cannot be decoded.
 */
export function readAnswer({ status, body }: HttpReply, reference: string): Answer | undefined {
  // B writes a line feed after each pair. White space around a pair does not belong to it.
  const lines = (utf8(body) ?? '').split('&').map((pair) => pair.replace(/^[ \r\n]+|(?<![ \r\n])[ \r\n]+$/g, ''));
  const pairs = status === 200 ? readPairs(lines.join('&')) : undefined;
  const [name, value] = pairs?.at(-1) ?? [];
  const answer = pairs && name === 'end' && value === '1' ? uniquePairs(pairs) : undefined;
  return (answer?.get('gw_ref') ?? reference) === reference ? answer : undefined;
}

/** Problem codes and HTTP statuses after which B certainly did nothing. */
const refusals = ['101', '102', '103', '104'];
const refusingStatuses = [400, 401, 403, 404, 422, 429];

/** Fields by the names of B's pairs. */
const fieldsByName: Readonly<Record<string, InterfaceField>> = {
  holder: 'name',
  mail: 'email',
  phone: 'phoneNumber',
  addr: 'address',
  city: 'city',
  region: 'state',
  zip: 'postalCode',
  land: 'country',
  ip: 'ipAddress',
  pan: 'number',
  exp_month: 'expiration',
  exp_year: 'expiration',
  cvv: 'cvv',
  total: 'amount',
  cur: 'unit',
};
const WRONG_FIELD = '101';
const CURRENCY_NOT_OPEN = '104';

/** A refusal after which certainly nothing moved. `further` lists problems that prove it for this call only. */
export function readRefusal(
  { status }: HttpReply,
  answer: Answer | undefined,
  further: readonly string[] = [],
): FailedOutcome | undefined {
  if (refusingStatuses.includes(status)) {
    const named = `B answered ${status}`;
    const isOurSetUp = status === 401 || status === 403;
    return isOurSetUp ? misconfigured(`${named}: check endpoint and login`) : nothingCharged(named);
  }
  const code = (answer?.get('kind') === 'problem' && answer.get('code')) || '';
  if (!answer || ![...refusals, ...further].includes(code)) return undefined;
  const named = nameProblem(answer);
  if (code === CURRENCY_NOT_OPEN) return refusedField('unit', named);
  if (code === WRONG_FIELD) return refusedField(fieldNamed(fieldsByName, answer.get('field') ?? '') ?? 'body', named);
  const isOurSetUp = code === '102' || code === '103';
  return isOurSetUp ? misconfigured(`${named}: check endpoint, login and controlKeys`) : nothingCharged(named);
}

/** The problem's code and field. B's note may repeat what we sent, so it is left out. */
export function nameProblem(problem: Answer): string {
  const field = problem.get('field');
  return `B answered problem ${problem.get('code') ?? 'without code'}${field ? ` (${field})` : ''}`;
}

/** B's id of a sale. It is a text, because it may exceed 2^53 and begin with zeros. */
export function isTxn(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,20}$/.test(text);
}

/** Whether a text has the form of outcomes and operations. */
export function isName(text: string | undefined): text is string {
  return text !== undefined && /^[a-z_]{1,20}$/.test(text);
}

/** The number of an operation without leading zeros. Undefined for any other text. */
export function readOperation(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9]{1,6}$/.test(text) ? String(Number(text)) : undefined;
}
