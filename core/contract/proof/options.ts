/** Schemas for an adapter's options. The operator's commands print what they say about an option. */
import * as v from 'valibot';

const secretMark = { secret: true } as const;

/** A text that must never be shown, logged or stored. */
export function secret(minLength = 1): v.GenericSchema<string> {
  return v.pipe(v.string(), v.minLength(minLength, `at least ${minLength} characters`), v.metadata(secretMark));
}

/** Marks any text schema as a secret. */
export function secretOf(schema: v.GenericSchema<string>): v.GenericSchema<string> {
  return v.pipe(schema, v.metadata(secretMark));
}

/** An https address without a trailing slash; http only for a loopback address. */
export const baseUrl: v.GenericSchema<string> = v.pipe(
  v.string(),
  v.check((text) => isBaseUrl(text), 'an https address without a slash at its end (http only for a loopback address)'),
);

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || text.endsWith('/') || url.search || url.hash || url.username) return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** True for `localhost`, 127.0.0.0/8 and ::1. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/** A text that is not empty. */
export const filled = v.pipe(v.string(), v.nonEmpty('must not be empty'));

/** A list of at least one key, so that keys can be rotated: the current key first, then previous ones. */
export function oneOrMore<S extends v.GenericSchema>(key: S, noun = 'keys') {
  return v.pipe(v.array(key), v.minLength(1, `one or more ${noun}`));
}

/** A list of one to three keys, so that keys can be rotated: the current key first, then previous ones. */
export function oneToThree<S extends v.GenericSchema>(key: S, noun = 'keys') {
  const range = `one to three ${noun}`;
  return v.pipe(v.array(key), v.minLength(1, range), v.maxLength(3, range));
}

/** Describes an option, and where to find its value in the provider's console. */
export function described<S extends v.GenericSchema>(schema: S, where: string): S {
  return v.pipe(schema, v.description(where)) as unknown as S;
}

interface SchemaNode {
  readonly type?: string;
  readonly pipe?: readonly SchemaNode[];
  readonly metadata?: { readonly secret?: boolean };
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly item?: SchemaNode;
  readonly items?: readonly SchemaNode[];
  readonly wrapped?: SchemaNode;
  readonly value?: SchemaNode;
  readonly options?: readonly SchemaNode[];
}

/** Paths of the secrets in an options schema; `*` is every item of a list or member of a record. */
export function secretPaths(schema: v.GenericSchema): string[][] {
  return walk(schema);
}

function walk(node: SchemaNode): string[][] {
  // A pipe repeats the members of its first step, which may be a pipe with marks of its own.
  if (node.pipe) {
    const isSecret = node.pipe.some((step) => step.type === 'metadata' && step.metadata?.secret);
    return isSecret ? [[]] : node.pipe.flatMap((step) => walk(step));
  }
  const inside = (child: SchemaNode | undefined, key?: string): string[][] =>
    child ? walk(child).map((path) => (key === undefined ? path : [key, ...path])) : [];
  return [
    ...Object.entries(node.entries ?? {}).flatMap(([key, child]) => inside(child, key)),
    ...inside(node.item, '*'),
    ...(node.items ?? []).flatMap((child) => inside(child, '*')),
    ...inside(node.type === 'record' ? node.value : undefined, '*'),
    ...inside(node.wrapped),
    ...(combining.has(node.type ?? '') ? (node.options ?? []) : []).flatMap((child) => inside(child)),
  ];
}

/** Schemas whose `options` are schemas. The `options` of a picklist are values. */
const combining = new Set(['union', 'variant', 'intersect']);

/** A whole number from `min` to `max`; `unit` names what it counts (`seconds`). */
export function wholeBetween(min: number, max: number, unit: string): v.GenericSchema<number> {
  const range = `${min} to ${max} ${unit}`;
  return v.pipe(v.number(), v.integer(`whole ${unit}`), v.minValue(min, range), v.maxValue(max, range));
}
