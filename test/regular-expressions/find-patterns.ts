/**
 * Finds the regular expressions of a source file: literals, and `RegExp(…)` with text. Parts that are known only at
 * run time become the letter `x`. Prettier's parser reads the file, because TypeScript offers none.
 */
import { parsers } from 'prettier/plugins/babel';

export interface FoundPattern {
  readonly source: string;
  readonly flags: string;
  readonly line: number;
}

interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [member: string]: unknown;
}

export async function findPatterns(code: string): Promise<FoundPattern[]> {
  const nodes = nodesIn(await (parsers['babel-ts'].parse as (code: string, options: object) => unknown)(code, {}));
  const texts = constantsOf(nodes);
  return nodes.flatMap((node) => {
    const [source, flags] = isLiteral(node) ? [node['pattern'], node['flags']] : argumentsOf(node, texts);
    if (typeof source !== 'string') return [];
    return [{ source, flags: typeof flags === 'string' ? flags : '', line: node.loc.start.line }];
  });
}

const isLiteral = ({ type }: Node): boolean => type === 'RegExpLiteral';

/** Undefined unless the node is `RegExp(…)` with text that is at least partly constant. */
function argumentsOf(node: Node, texts: ReadonlyMap<string, string>): (string | undefined)[] {
  const callee = node['callee'] as Node | undefined;
  if (callee?.type !== 'Identifier' || callee['name'] !== 'RegExp') return [];
  return (node['arguments'] as Node[]).map((argument) => textOf(argument, texts));
}

/** All nodes, each before its children. */
function nodesIn(root: unknown): Node[] {
  const found: Node[] = [];
  const rest: unknown[] = [root];
  while (rest.length > 0) {
    const value = rest.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (!Array.isArray(value) && typeof (value as Node).type === 'string') found.push(value as Node);
    for (const [name, member] of Object.entries(value).toReversed()) if (!skipped.has(name)) rest.push(member);
  }
  return found;
}

const skipped = new Set(['loc', 'range', 'comments', 'tokens', 'extra']);

/** The texts of constants, by name. A name that the file declares twice has none. */
function constantsOf(nodes: readonly Node[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const declared = new Set<string>();
  for (const { type, id, init } of nodes) {
    if (type !== 'VariableDeclarator' || (id as Node).type !== 'Identifier') continue;
    const name = (id as Node)['name'] as string;
    const text = declared.has(name) ? undefined : textOf(init as Node | null, texts);
    declared.add(name);
    if (text === undefined) texts.delete(name);
    else texts.set(name, text);
  }
  return texts;
}

function textOf(node: Node | null | undefined, texts: ReadonlyMap<string, string>): string | undefined {
  const partOf = (part: unknown): string => textOf(part as Node, texts) ?? 'x';
  if (!node) return undefined;
  switch (node.type) {
    case 'StringLiteral':
      return node['value'] as string;
    case 'Identifier':
      return texts.get(node['name'] as string);
    case 'BinaryExpression':
      return partOf(node['left']) + partOf(node['right']);
    case 'TaggedTemplateExpression':
      return joinTemplate(node['quasi'] as Node, 'raw', partOf);
    case 'TemplateLiteral':
      return joinTemplate(node, 'cooked', partOf);
    default:
      return undefined;
  }
}

function joinTemplate(node: Node, as: 'raw' | 'cooked', partOf: (part: unknown) => string): string {
  const parts = node['expressions'] as Node[];
  const quasis = node['quasis'] as { readonly value: Readonly<Record<'raw' | 'cooked', string>> }[];
  return quasis.map(({ value }, at) => value[as] + (parts[at] ? partOf(parts[at]) : '')).join('');
}
