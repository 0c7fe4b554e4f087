/** An order as E reports it in XML, in replies and notices: its results, and the meaning of each result. */
import {
  defined,
  eventDeclineOf,
  filled,
  forEachInSlices,
  isSameMoney,
  readAs,
  readRfc3339,
  readXml,
  readXmlInSlices,
  shiftDecimal,
  utf8,
  v,
  type Money,
  type ReportedEvent,
  type XmlElement,
} from '@paywright/contract';
import { kindOfResult, meanings, resultDeclines } from './statuses.ts';

const Sum = v.object({
  value: v.pipe(v.string(), v.regex(/^\d{1,18}$/)),
  cur: v.pipe(v.string(), v.regex(/^[A-Z]{3}$/)),
  exp: v.pipe(v.string(), v.regex(/^[0-4]$/)),
  dir: v.optional(v.string()),
});

const Result = v.pipe(
  v.object({
    kind: filled,
    seq: v.pipe(v.string(), v.regex(/^[1-9]\d{0,5}$/)),
    at: filled,
    why: v.optional(v.string()),
    whyText: v.optional(v.string()),
    sums: v.pipe(v.array(Sum), v.maxLength(1)),
  }),
  v.check(({ kind, sums: [sum] }) => {
    const meaning = meanings.get(kind);
    return !meaning || sum?.dir === meaning.dir;
  }),
);
export type Result = v.InferOutput<typeof Result>;

const Order = v.object({ code: filled, txn: filled, results: v.pipe(v.array(Result), v.minLength(1)) });
export type Order = v.InferOutput<typeof Order>;

const Orders = v.array(Order);

export interface Fault {
  readonly fault: string;
}

/** Maximum nesting depth of E's messages. */
const limits = { maxDepth: 8 };

/** Parses a message of E. Undefined if it is not XML in UTF-8, or nests deeper than E's messages may. */
export function readDocument(body: Uint8Array): XmlElement | undefined {
  return readXml(utf8(body), limits);
}

/** The root of a notice, which may be long. Undefined if it is not XML, has another name, or names no account. */
export async function readNotice(body: Uint8Array): Promise<XmlElement | undefined> {
  return namedRoot(await readXmlInSlices(utf8(body), limits), 'notice');
}

/** The account of a notice, from its first tag alone: the rest may be long. */
export function namedInNotice(body: Uint8Array): string | undefined {
  const start = Buffer.from(body.subarray(0, 1000)).toString('latin1');
  const [, tag = ''] = /^\s*(?:<\?[^>]*>\s*)?<(?:[\w.-]+:)?notice(\s[^>]*)>/.exec(start) ?? [];
  return /\sacct\s*=\s*["']([A-Z0-9]{3,32})["']/.exec(tag)?.[1];
}

function namedRoot(root: XmlElement | undefined, name: 'notice' | 'reply'): XmlElement | undefined {
  return root?.name === name && root.attributes.has('acct') ? root : undefined;
}

/** Every order of a message. Undefined if one of them is faulty. */
function readOrders(root: XmlElement): readonly Order[] | undefined {
  const orders = childrenOf(root, 'order');
  return readAs(
    Orders,
    orders.map((order) => plainOrder(order, childrenOf(order, 'result'))),
  );
}

function plainOrder({ attributes }: XmlElement, results: readonly XmlElement[]): object {
  return {
    ...Object.fromEntries(attributes),
    results: results.map((result) => ({
      ...Object.fromEntries(result.attributes),
      sums: childrenOf(result, 'sum').map((sum) => Object.fromEntries(sum.attributes)),
    })),
  };
}

/**
 * The content of a notice, which may be long, or the position of its first fault. One faulty order makes the complete
 * notice unreadable.
 */
export async function readEvents(root: XmlElement): Promise<readonly ReportedEvent[] | Fault> {
  const events: ReportedEvent[] = [];
  let fault: string | undefined;
  await forEachInSlices(piecesOf(root), ({ n, piece }) => {
    if (fault !== undefined) return;
    const read = v.safeParse(Order, piece);
    if (read.success) events.push(...eventsOf(read.output));
    else fault = `order ${n}: ${v.getDotPath(read.issues[0])}`;
  });
  if (fault !== undefined) return { fault };
  return events.length ? events : { fault: 'no order' };
}

/** Number of results that are read in one piece. An order with more results is read in several pieces. */
const resultsPerPiece = 100;

function* piecesOf(root: XmlElement): Generator<{ readonly n: number; readonly piece: object }> {
  for (const [n, order] of childrenOf(root, 'order').entries()) {
    const results = childrenOf(order, 'result');
    let from = 0;
    do {
      yield { n, piece: plainOrder(order, results.slice(from, from + resultsPerPiece)) };
      from += resultsPerPiece;
    } while (from < results.length);
  }
}

function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

/** The order in a reply to us. Undefined if the answer is unreadable or is about another account or order. */
export function readReply(body: Uint8Array, account: string, code: string): Order | undefined {
  const root = namedRoot(readDocument(body), 'reply');
  const [order, ...others] = (root?.attributes.get('acct') === account && readOrders(root)) || [];
  return order?.code === code && !others.length ? order : undefined;
}

/** The latest result that `isOne` accepts. */
export function latestResult({ results }: Order, isOne: (result: Result) => boolean = () => true): Result | undefined {
  return results.filter(isOne).toSorted((a, b) => Number(b.seq) - Number(a.seq))[0];
}

/** The amount of a result. The message's own exponent counts, not the currency's. */
function moneyOf({ sums: [sum] }: Result): Money | undefined {
  return sum && { amount: shiftDecimal(sum.value, Number(sum.exp), sum.cur), currency: sum.cur };
}

export function isOver(result: Result, money: Money): boolean {
  const reported = moneyOf(result);
  return reported !== undefined && isSameMoney(reported, money);
}

/** The events of an order's results, in their order. */
export function eventsOf({ code, txn, results }: Order): ReportedEvent[] {
  return results.map((result) => {
    const { kind, seq, at, why, whyText } = result;
    const { amount = null, currency = null } = moneyOf(result) ?? {};
    return {
      kind: kindOfResult(kind),
      providerStatus: kind,
      reference: code,
      providerReference: txn,
      amount,
      currency,
      dedupeKey: `${txn}/${seq}`,
      orderHint: Number(seq),
      ...defined({ occurredAt: readRfc3339(at) }),
      ...(kind === 'REFUSED' ? eventDeclineOf(resultDeclines, why, whyText) : {}),
      facts: { from: 'xml' },
    };
  });
}
