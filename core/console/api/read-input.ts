/** Reads the input of an operation from its path, and from its body or query. */
import { JsonNumber } from '@paywright/contract';
import * as v from 'valibot';
import { GatewayError, invalidFields, missingFields, type FieldError } from '../../base/errors.ts';
import { didYouMean } from '../../base/text/nearest.ts';
import { hidden } from '../../http/input/echo.ts';
import { readOptionalBody } from '../../http/input/read-body.ts';
import { parseQuery } from '../../http/input/parse-query.ts';
import { toShownName } from '../../http/input/shown-name.ts';
import type { Ctx } from '../../http/state.ts';
import { hasBody, pathMembersOf, type InputOf, type Operation } from './operation.ts';

/** Members whose values are never repeated: they may hold secrets of a provider. */
const secretMembers: ReadonlySet<string> = new Set(['options', 'sandboxOptions', 'logo']);

export type ReadInput<E extends v.ObjectEntries> = (ctx: Ctx) => InputOf<E>;

/** The reader throws VAL001 with everything that is missing, or else VAL002 with everything that is wrong. */
export function createInputReader<E extends v.ObjectEntries>(operation: Operation<E>): ReadInput<E> {
  const schema = v.strictObject(operation.input);
  const known = Object.keys(operation.input);
  const inPath = pathMembersOf(operation.path);
  const ofRequest = known.filter((name) => !inPath.includes(name));

  function toFieldError({ path, message, input, expected }: v.BaseIssue<unknown>): FieldError {
    const names = (path ?? []).map(({ key }) => String(key));
    const [outer = 'body'] = names;
    const field = names.map(toShownName).join('.');
    if (expected === 'never') return { field, value: hidden, message: unknownText(names) };
    return { field, value: secretMembers.has(outer) ? hidden : input, message };
  }

  function unknownText(names: readonly string[]): string {
    if (names.length > 1) return 'is unknown';
    const [name = ''] = names;
    const list = ofRequest.length > 0 ? `: the members are ${ofRequest.join(', ')}` : ': the operation has no members';
    return `is unknown${didYouMean(name, ofRequest) || list}`;
  }

  return (ctx) => {
    const given = hasBody(operation) ? toPlain(readOptionalBody(ctx) ?? {}) : parseQuery(ctx.querystring);
    const repeated = Object.keys(given as object).find((name) => inPath.includes(name));
    if (repeated !== undefined)
      throw invalidFields([{ field: repeated, value: hidden, message: 'must be absent: the path has it' }]);
    const result = v.safeParse(schema, { ...(given as object), ...ctx.params });
    if (result.success) return result.output;
    const missing = result.issues.filter(isMissing).map(({ path }) => path!.map(({ key }) => String(key)).join('.'));
    if (missing.length > 0) throw missingFields(missing);
    const [first, ...others] = result.issues.map(toFieldError);
    throw invalidFields([first!, ...others]);
  };
}

function isMissing({ path, expected, input }: v.BaseIssue<unknown>): boolean {
  return path?.at(-1)?.origin === 'key' && expected !== 'never' && input === undefined;
}

/** Plain values: numbers are no amounts here, and a service compares objects with its own. */
function toPlain(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toPlain(member)]));
}

/** Names of the services, and the members that may be meant here. */
const ownNames: Readonly<Record<string, readonly string[]>> = {
  owner: ['merchant'],
  currency: ['reportingCurrency'],
  types: ['notificationTypes'],
  name: ['account', 'merchant'],
};

/** Names the members in VAL002 as the operation does. The text is that of the command otherwise. */
export function withOwnNames(error: GatewayError, { input }: Pick<Operation, 'input'>): GatewayError {
  if (error.kind !== 'INVALID_FORMAT') return error;
  const { errors = [], field = 'body' } = error.details as Partial<FieldError> & {
    readonly errors?: readonly FieldError[];
  };
  const toOwn = (name: string): string =>
    Object.hasOwn(input, name) ? name : (ownNames[name]?.find((own) => Object.hasOwn(input, own)) ?? name);
  const renamed = errors.map((one) => ({ ...one, field: toOwn(one.field) }));
  const [first = { field: toOwn(field), value: null, message: error.message }] = renamed;
  const prefix = `${field}: `;
  const message = error.message.startsWith(prefix)
    ? `${first.field}: ${error.message.slice(prefix.length)}`
    : error.message;
  const details = { field: first.field, value: first.value, errors: renamed.length > 0 ? renamed : [first] };
  return new GatewayError(error.kind, message, { details, cause: error });
}
