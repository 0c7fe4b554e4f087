/**
 * Evaluates the part of PromQL that alert rules use, over two scrapes; throws an error for anything else. A range
 * reaches from the first scrape to the second, so a rate or an increase is their difference and is not extrapolated.
 */
import type { SyntaxNode, Tree } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import type { Series } from './read-page.ts';

export interface Scrapes {
  readonly before: readonly Series[];
  readonly now: readonly Series[];
  /** The time between the two scrapes. */
  readonly seconds: number;
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

type Value = number | readonly Sample[];

/** The series for which an alert with this expression would fire; empty if it would not. */
export function evaluatePromql(text: string, scrapes: Scrapes): readonly Sample[] {
  const value = createEvaluation(text, scrapes)(parsePromql(text).topNode.firstChild!);
  return typeof value === 'number' ? [{ labels: {}, value }] : value;
}

/** Throws if the text is not PromQL. */
function parsePromql(text: string): Tree {
  const tree = parser.parse(text);
  tree.iterate({
    enter({ type, from, to }) {
      if (type.isError)
        throw new Error(`no PromQL at “${text.slice(from, to) || text.slice(from - 20, from)}”: ${text}`);
    },
  });
  return tree;
}

/** All metrics that an expression names, with their matchers. */
export function selectorsOf(text: string): readonly { readonly name: string; readonly labels: readonly string[] }[] {
  const found: { name: string; labels: string[] }[] = [];
  parsePromql(text).iterate({
    enter({ name, node }) {
      if (name !== 'VectorSelector') return;
      const labels = all(node, 'LabelName').map(({ from, to }) => text.slice(from, to));
      found.push({ name: textOf(text, node.getChild('Identifier')), labels });
    },
  });
  return found;
}

function createEvaluation(text: string, { before, now, seconds }: Scrapes): (node: SyntaxNode) => Value {
  const read = (node: SyntaxNode | null): string => textOf(text, node);

  function select(node: SyntaxNode, page: readonly Series[]): readonly Series[] {
    const name = read(node.getChild('Identifier'));
    const matchers = all(node, 'UnquotedLabelMatcher').map((matcher) => ({
      label: read(matcher.getChild('LabelName')),
      isWanted: matches(
        read(matcher.getChild('MatchOp')),
        JSON.parse(read(matcher.getChild('StringLiteral'))) as string,
      ),
    }));
    return page.filter(
      (one) => one.name === name && matchers.every(({ label, isWanted }) => isWanted(one.labels[label] ?? '')),
    );
  }

  function increase(node: SyntaxNode): readonly Sample[] {
    const selector = only(node, 'VectorSelector');
    const earlier = new Map(select(selector, before).map(({ labels, value }) => [keyOf(labels), value]));
    // As in Prometheus, a series that did not exist in the first scrape has no increase.
    return select(selector, now).flatMap(({ labels, value }) => {
      const start = earlier.get(keyOf(labels));
      return start === undefined ? [] : [{ labels, value: value < start ? value : value - start }];
    });
  }

  function call(node: SyntaxNode): Value {
    const name = read(node.getChild('FunctionIdentifier'));
    const args = children(node.getChild('FunctionCallBody')!);
    switch (name) {
      case 'increase':
        return increase(args[0]!);
      case 'rate':
        return increase(args[0]!).map((one) => ({ ...one, value: one.value / seconds }));
      case 'histogram_quantile':
        return quantiles(evaluate(args[0]!) as number, evaluate(args[1]!) as readonly Sample[]);
      default:
        throw new Error(`no function ${name} here: ${text}`);
    }
  }

  function aggregate(node: SyntaxNode): Value {
    const by = new Set(all(node.getChild('AggregateModifier') ?? node, 'LabelName', 'GroupingLabels').map(read));
    if (node.getChild('AggregateModifier')?.getChild('Without')) throw new Error(`no “without” here: ${text}`);
    const fold = {
      sum: (values: number[]) => values.reduce((a, b) => a + b, 0),
      max: (values: number[]) => Math.max(...values),
    }[read(node.getChild('AggregateOp'))];
    if (!fold) throw new Error(`no such aggregation here: ${text}`);
    const samples = evaluate(children(node.getChild('FunctionCallBody')!)[0]!) as readonly Sample[];
    return groups(samples, (label) => by.has(label)).map(({ labels, members }) => ({
      labels,
      value: fold(members.map(({ value }) => value)),
    }));
  }

  function binary(node: SyntaxNode): Value {
    const [left, operator, right] = children(node);
    if (node.getChild('MatchingModifierClause')) throw new Error(`no “on” and “ignoring” here: ${text}`);
    const [a, b] = [evaluate(left!), evaluate(right!)];
    const operation = read(operator!);
    if (operation === 'and' || operation === 'or')
      return combine(operation, a as readonly Sample[], b as readonly Sample[]);
    if (typeof a === 'number' && typeof b === 'number') return calculate(operation, a, b) ?? [];
    const samples = typeof a === 'number' ? (b as readonly Sample[]) : a;
    return samples.flatMap(({ labels, value }) => {
      const pair = [a, b].map((side) =>
        typeof side === 'number' ? side : side.find((one) => keyOf(one.labels) === keyOf(labels))?.value,
      );
      const [x, y] = pair;
      const result = x === undefined || y === undefined ? undefined : calculate(operation, x, y);
      if (result === undefined) return [];
      // A comparison keeps the values that it compares.
      return [{ labels, value: isComparison(operation) ? value : result }];
    });
  }

  function evaluate(node: SyntaxNode): Value {
    switch (node.name) {
      case 'NumberDurationLiteral':
        return Number(read(node));
      case 'VectorSelector':
        return select(node, now);
      case 'ParenExpr':
        return evaluate(node.firstChild!.name === '(' ? children(node)[0]! : node.firstChild!);
      case 'FunctionCall':
        return call(node);
      case 'AggregateExpr':
        return aggregate(node);
      case 'BinaryExpr':
        return binary(node);
      default:
        throw new Error(`no ${node.name} here: ${text}`);
    }
  }
  return evaluate;
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
};
const isComparison = (operation: string): boolean => Object.hasOwn(comparisons, operation);

/** Undefined: the comparison is false. */
function calculate(operation: string, a: number, b: number): number | undefined {
  if (isComparison(operation)) return comparisons[operation]!(a, b) ? a : undefined;
  const result = { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[operation];
  if (result === undefined) throw new Error(`no operator ${operation} here`);
  return result;
}

function combine(operation: 'and' | 'or', a: readonly Sample[], b: readonly Sample[]): readonly Sample[] {
  const isIn = (samples: readonly Sample[], { labels }: Sample): boolean =>
    samples.some((one) => keyOf(one.labels) === keyOf(labels));
  return operation === 'and' ? a.filter((one) => isIn(b, one)) : [...a, ...b.filter((one) => !isIn(a, one))];
}

function matches(operation: string, wanted: string): (value: string) => boolean {
  const pattern = new RegExp(`^(?:${wanted})$`);
  switch (operation) {
    case '=':
      return (value) => value === wanted;
    case '!=':
      return (value) => value !== wanted;
    case '=~':
      return (value) => pattern.test(value);
    default:
      return (value) => !pattern.test(value);
  }
}

/** Interpolates like Prometheus; empty if nothing was observed. */
function quantiles(quantile: number, buckets: readonly Sample[]): readonly Sample[] {
  return groups(buckets, (label) => label !== 'le').flatMap(({ labels, members }) => {
    const sorted = members
      .map(({ labels: { le = '' }, value }) => ({ bound: le === '+Inf' ? Infinity : Number(le), value }))
      .sort((a, b) => a.bound - b.bound);
    const total = sorted.at(-1)?.value ?? 0;
    if (total === 0) return [];
    const rank = quantile * total;
    const index = sorted.findIndex(({ value }) => value >= rank);
    const { bound, value } = sorted[index]!;
    const { bound: lower, value: below } = sorted[index - 1] ?? { bound: 0, value: 0 };
    return [
      { labels, value: bound === Infinity ? lower : lower + ((bound - lower) * (rank - below)) / (value - below) },
    ];
  });
}

function groups(samples: readonly Sample[], isKept: (label: string) => boolean) {
  const found = new Map<string, { readonly labels: Sample['labels']; readonly members: Sample[] }>();
  for (const sample of samples) {
    const labels = Object.fromEntries(Object.entries(sample.labels).filter(([label]) => isKept(label)));
    const group = found.get(keyOf(labels)) ?? { labels, members: [] };
    group.members.push(sample);
    found.set(keyOf(labels), group);
  }
  return [...found.values()];
}

function keyOf(labels: Sample['labels']): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function textOf(text: string, node: SyntaxNode | null): string {
  return node ? text.slice(node.from, node.to) : '';
}

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) found.push(child);
  return found;
}

/** All descendants with this name; with `within`, only those directly below a node of that name. */
function all(node: SyntaxNode, name: string, within?: string): SyntaxNode[] {
  return children(node).flatMap((child) => [
    ...(child.name === name && (within === undefined || node.name === within) ? [child] : []),
    ...all(child, name, within),
  ]);
}

function only(node: SyntaxNode, name: string): SyntaxNode {
  const found = node.name === name ? node : node.getChild(name);
  if (!found) throw new Error(`no ${name} in ${node.name}`);
  return found;
}
