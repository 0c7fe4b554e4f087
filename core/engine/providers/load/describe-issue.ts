/** Describes a valibot issue in a text that never repeats the value. */
import * as v from 'valibot';

/** The keys that lead to the value. No key means the whole value. */
export function issuePath(issue: v.BaseIssue<unknown>): string[] {
  return (issue.path ?? []).map(({ key }) => String(key));
}

/** The message of the schema if it does not show the value; otherwise what was expected. */
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
 * The same of an adapter's options, with the cure: the options that there are, or what this one is and where it is
 * found.
 */
export function describeOptionIssue(schema: v.GenericSchema, issue: v.BaseIssue<unknown>): OptionProblem[] {
  const path = issuePath(issue);
  if (issue.expected === 'never') return unknownOptions(schema, path.slice(0, -1), issue.path?.at(-1)?.input);
  const description = path.map((_, at) => descriptionAt(schema, path.slice(0, path.length - at))).find(Boolean);
  const found = describeIssue(issue);
  return [{ path, message: description ? `${found} (${description.replace(/\.$/, '')})` : found }];
}

/** valibot stops at the first unknown key of a map. */
function unknownOptions(schema: v.GenericSchema, path: readonly string[], given: unknown): OptionProblem[] {
  const known = Object.keys(nodeAt(schema, path)?.entries ?? {});
  const message = `is no option; there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
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

function descriptionAt(schema: v.GenericSchema, path: readonly string[]): string | undefined {
  const node = nodeAt(schema, path);
  return node && v.getDescription(node as v.GenericSchema);
}
