/** Describes a valibot issue in a text that never repeats the value. */
import * as v from 'valibot';

/** Returns the keys that lead to the value. An empty list means the whole value. */
export function issuePath(issue: v.BaseIssue<unknown>): string[] {
  return (issue.path ?? []).map(({ key }) => String(key));
}

/** Returns the schema's message if it does not show the value. Otherwise returns what was expected. */
export function describeIssue({ input, expected, received, message }: v.BaseIssue<unknown>): string {
  if (expected === 'never') return 'is not known here';
  if (input === undefined) return 'is missing';
  const isReporting = typeof input !== 'boolean' && input !== null && input !== '';
  const shows = message.includes(received) || (typeof input === 'string' && message.includes(input));
  if (!isReporting || !shows) return message;
  return expected === null || expected === 'unknown' ? 'has a wrong value' : `expected ${expected}`;
}

export interface OptionProblem {
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * Describes an issue of an adapter's options, and how to fix it: the list of known options, or what the option is and
 * where its value is found.
 */
export function describeOptionIssue(schema: v.GenericSchema, issue: v.BaseIssue<unknown>): OptionProblem[] {
  const path = issuePath(issue);
  if (issue.expected === 'never') return unknownOptions(schema, path.slice(0, -1), issue.path?.at(-1)?.input);
  const description = path.map((_, at) => descriptionAt(schema, path.slice(0, path.length - at))).find(Boolean);
  const found = describeIssue(issue);
  return [{ path, message: description ? `${found} (${description.replace(/\.$/, '')})` : found }];
}

/** Reports every unknown key, because valibot stops at the first one. */
function unknownOptions(schema: v.GenericSchema, path: readonly string[], given: unknown): OptionProblem[] {
  const known = Object.keys(nodeAt(schema, path)?.entries ?? {});
  const message = `is not an option. Known options: ${known.join(', ')}`;
  const keys = typeof given === 'object' && given !== null ? Object.keys(given) : [];
  return keys.filter((key) => !known.includes(key)).map((key) => ({ path: [...path, key], message }));
}

interface SchemaNode {
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly value?: SchemaNode;
  readonly item?: SchemaNode;
  readonly wrapped?: SchemaNode;
}

function nodeAt(schema: v.GenericSchema, path: readonly string[]): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema as SchemaNode;
  for (const key of path) {
    node = node?.wrapped ?? node;
    node = node?.entries?.[key] ?? node?.value ?? node?.item;
  }
  return node?.wrapped && !node.entries ? node.wrapped : node;
}

/** What an option is and where its value is found; undefined: its schema does not say. */
export function descriptionAt(schema: v.GenericSchema, path: readonly string[]): string | undefined {
  const node = nodeAt(schema, path);
  return node && v.getDescription(node as v.GenericSchema);
}
