/** An order as E reports it in XML, in replies and notices alike: its results, and what each of them says. */
import {
  defined,
  eventDeclineOf,
  filled,
  isSameMoney,
  readRfc3339,
  readXml,
  readXmlInSlices,
  shiftDecimal,
  utf8,
  v,
  type Money,
  type ReportedEvent,
  type XmlElement,
} from '@gateway/contract';
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

const Orders = v.pipe(v.array(Order), v.minLength(1));

/** No message of E's nests deeper. */
const limits = { maxDepth: 8 };

/** A message of E's; undefined where it is no XML in UTF-8, or nests deeper than E's may. */
export function readDocument(body: Uint8Array): XmlElement | undefined {
  return readXml(utf8(body), limits);
}

/** The root of a notice, which may be long; undefined where it is no XML, has another name, or names no account. */
export async function readNotice(body: Uint8Array): Promise<XmlElement | undefined> {
  return namedRoot(await readXmlInSlices(utf8(body), limits), 'notice');
}

function namedRoot(root: XmlElement | undefined, name: 'notice' | 'reply'): XmlElement | undefined {
  return root?.name === name && root.attributes.has('acct') ? root : undefined;
}

/** Every order of a message, or the place of the first fault: one faulty order spoils the whole. */
export function readOrders(root: XmlElement): readonly Order[] | { readonly fault: string } {
  const read = v.safeParse(
    Orders,
    childrenOf(root, 'order').map((order) => ({
      ...Object.fromEntries(order.attributes),
      results: childrenOf(order, 'result').map((result) => ({
        ...Object.fromEntries(result.attributes),
        sums: childrenOf(result, 'sum').map(({ attributes }) => Object.fromEntries(attributes)),
      })),
    })),
  );
  if (read.success) return read.output;
  const place = v.getDotPath(read.issues[0]);
  return { fault: place === null ? 'no order' : `order ${place}` };
}

function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}

/** The order of a reply to us; undefined where the answer cannot be read or is about another account or order. */
export function readReply(body: Uint8Array, account: string, code: string): Order | undefined {
  const root = namedRoot(readDocument(body), 'reply');
  const orders = root?.attributes.get('acct') === account ? readOrders(root) : [];
  if ('fault' in orders || orders.length > 1) return undefined;
  return orders[0]?.code === code ? orders[0] : undefined;
}

/** The latest result of those that `isOne` picks. */
export function latestResult({ results }: Order, isOne: (result: Result) => boolean = () => true): Result | undefined {
  return results.filter(isOne).toSorted((a, b) => Number(b.seq) - Number(a.seq))[0];
}

/** A result's sum; the message's own exponent counts, not the currency's. */
function moneyOf({ sums: [sum] }: Result): Money | undefined {
  return sum && { amount: shiftDecimal(sum.value, Number(sum.exp), sum.cur), currency: sum.cur };
}

export function isOver(result: Result, money: Money): boolean {
  const reported = moneyOf(result);
  return reported !== undefined && isSameMoney(reported, money);
}

/** What the results of an order say, in their order. */
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
