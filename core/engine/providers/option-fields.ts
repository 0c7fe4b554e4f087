/** The options of an adapter as the fields of a form, read from the adapter's own schema. */
import { secretPaths } from '@paywright/contract';
import * as v from 'valibot';
import type { ActiveAdapter } from './load/load-adapters.ts';

export interface OptionField {
  readonly name: string;
  /** `list` is a list of texts or numbers. `data` is anything that needs JSON. */
  readonly kind: 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'data';
  /** The option is a secret, or contains one. Its value is never shown. */
  readonly isSecret: boolean;
  /** The values of a `choice`. */
  readonly choices: readonly string[];
  /** What the option is and where its value is found. Undefined: the adapter does not say. */
  readonly description: string | undefined;
}

type Schema = ActiveAdapter['adapter']['manifest']['options'];

/** What the walk reads of a valibot schema. A pipe repeats the members of its first step. */
interface SchemaNode {
  readonly type?: string;
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly wrapped?: SchemaNode;
  readonly item?: SchemaNode;
  readonly options?: readonly unknown[];
}

const simpleItems: readonly (string | undefined)[] = ['string', 'number', 'picklist'];

/** Returns the options in the order of the schema. */
export function optionFieldsOf(options: Schema): readonly OptionField[] {
  const secrets = new Set(secretPaths(options).map(([name]) => name));
  return Object.entries((options as SchemaNode).entries ?? {}).map(([name, entry]) => {
    const node = unwrap(entry);
    return {
      name,
      kind: kindOf(node),
      isSecret: secrets.has(name),
      choices: node.type === 'picklist' ? (node.options ?? []).map(String) : [],
      description: v.getDescription(entry as v.GenericSchema),
    };
  });
}

function kindOf({ type, item }: SchemaNode): OptionField['kind'] {
  if (type === 'string') return 'text';
  if (type === 'number' || type === 'boolean') return type;
  if (type === 'picklist') return 'choice';
  return type === 'array' && item && simpleItems.includes(unwrap(item).type) ? 'list' : 'data';
}

/** The schema inside `v.optional` and the like. */
function unwrap(node: SchemaNode): SchemaNode {
  return node.wrapped ? unwrap(node.wrapped) : node;
}

/**
 * Returns the value of an option that was typed as text. Text that does not fit its kind is returned unchanged, so that
 * the adapter's own schema says what it expects.
 */
export function readOptionText({ kind }: Pick<OptionField, 'kind'>, text: string): unknown {
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  if (kind === 'data') return fromJson(text) ?? text;
  if (kind !== 'list') return withLines(text);
  const list = fromJson(text);
  if (Array.isArray(list)) return list;
  if (text.startsWith(keyStart)) return [withLines(text)];
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** Writes a value that is no secret as the text that `readOptionText` reads. */
export function toOptionText(value: unknown): string {
  if (value === undefined || value === null) return '';
  const isPlainList = Array.isArray(value) && value.every((one) => typeof one === 'string' && !one.includes('\n'));
  if (isPlainList) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const keyStart = '-----BEGIN ';

/** A browser removes the line breaks of a key in PEM format from a password field. The format needs them. */
function withLines(text: string): string {
  const [, start = '', body = '', end = ''] =
    /^(-----BEGIN [A-Z ]+-----)([^\n-]+)(-----END [A-Z ]+-----)$/.exec(text) ?? [];
  return start === '' ? text : [start, body.replaceAll(' ', ''), end, ''].join('\n');
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // It is plain text.
  }
}
