/** What B's messages have in common: the control, the answers' text, problems, the forms of values. */
import {
  formPost,
  hash,
  misconfigured,
  nothingCharged,
  readPairs,
  uniquePairs,
  utf8,
  type FailedOutcome,
  type HttpReply,
  type HttpRequest,
} from '@paywright/contract';
import type { Options } from './options.ts';

/** SHA-1 over the values one after the other, without separator, then the key: a request's control, a callback's check. */
export function controlOf(key: string, ...values: readonly string[]): Buffer {
  return hash('sha1', ...values, key);
}

/** A call with its fields, and a control over those values of them that B names for it. */
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
 * An answer that names our reference, or none, as problems do. Undefined where it is about another payment, does not end
 * in `end=1`, repeats a name, or cannot be decoded.
 */
export function readAnswer({ status, body }: HttpReply, reference: string): Answer | undefined {
  // B writes a line feed after each pair; what surrounds a pair is no part of it.
  const lines = (utf8(body) ?? '').split('&').map((pair) => pair.replace(/^[ \r\n]+|[ \r\n]+$/g, ''));
  const pairs = status === 200 ? readPairs(lines.join('&')) : undefined;
  const [name, value] = pairs?.at(-1) ?? [];
  const answer = pairs && name === 'end' && value === '1' ? uniquePairs(pairs) : undefined;
  return (answer?.get('gw_ref') ?? reference) === reference ? answer : undefined;
}

/** B says for certain that it did nothing: by a problem of these codes, or by the HTTP status. */
const refusals = ['101', '102', '103', '104'];
const refusingStatuses = [400, 401, 403, 404, 422, 429];

/** A refusal after which certainly nothing moved; `further` are problems that say so of this call alone. */
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
  const isOurSetUp = code === '102' || code === '103';
  return isOurSetUp ? misconfigured(`${named}: check endpoint, login and controlKeys`) : nothingCharged(named);
}

/** Its code and field; B's note may repeat what we sent. */
export function nameProblem(problem: Answer): string {
  const field = problem.get('field');
  return `B answered problem ${problem.get('code') ?? 'without code'}${field ? ` (${field})` : ''}`;
}

/** B's id of a sale: a text, for it may exceed 2^53 and begin with zeros. */
export function isTxn(text: string | undefined): text is string {
  return text !== undefined && /^[0-9]{1,20}$/.test(text);
}

/** True for the form of outcomes and operations. */
export function isName(text: string | undefined): text is string {
  return text !== undefined && /^[a-z_]{1,20}$/.test(text);
}

/** The number of an operation without leading zeros; undefined for what is none. */
export function readOperation(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9]{1,6}$/.test(text) ? String(Number(text)) : undefined;
}
