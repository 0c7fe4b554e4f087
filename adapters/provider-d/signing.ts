/**
 * The triple of every message in both directions: version, base64 data, and a signature under a key for the one order.
 */
import { hmac, readAnyBase64, readAs, readJsonObject, v, verifyWithAny } from '@paywright/contract';
import { accountKey, type Options } from './options.ts';

export const tripleNames = ['d_ver', 'd_data', 'd_sig'] as const;
export type Triple = Readonly<Record<(typeof tripleNames)[number], string>>;

/** Members of the data, in D's order and before percent-encoding. An undefined member is left out. */
export type Members = Readonly<Record<string, string | undefined>> & { readonly D_Order: string };

const VERSION = 'H1';
/** D's messages have a few dozen members. */
const limits = { maxValues: 1000 } as const;

/** Signs under the key of `D_Order`, which is derived from one of the shop's keys. */
export function writeTriple(key: string, members: Members): Triple {
  const encoded = Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, encode(value)] as const],
  );
  const data = Buffer.from(JSON.stringify(Object.fromEntries(encoded))).toString('base64');
  const signature = sign(key, members.D_Order, data).toString('base64');
  return { d_ver: VERSION, d_data: data, d_sig: signature.replaceAll('+', '-').replaceAll('/', '_') };
}

/** The signature of the data of one order. */
export function sign(key: string, order: string, data: string): Buffer {
  return hmac('sha256', hmac('sha256', Buffer.from(key, 'base64'), order), data);
}

// A lone surrogate has no UTF-8: Buffer writes U+FFFD for it, but encodeURIComponent would throw.
function encode(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^A-Za-z0-9\-._~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** A member's value: text as percent-encoded UTF-8. A `+` in it is a plus. */
export const Text = v.pipe(
  v.string(),
  v.rawTransform(({ dataset, addIssue, NEVER }) => {
    try {
      return decodeURIComponent(dataset.value);
    } catch {
      addIssue({ message: 'percent-encoded UTF-8' });
      return NEVER;
    }
  }),
);

const Order = v.object({ D_Order: v.pipe(Text, v.regex(/^[A-Z0-9-]{1,24}$/)) });
const Account = v.object({ D_Shop: Text, D_Term: Text });

/** The members that D signed for us about the order. */
export interface VerifiedData {
  readonly order: string;
  /** Values as JSON holds them, still percent-encoded. */
  readonly members: unknown;
}

/** The faults of a triple, in the order of the checks. */
export type Refusal = 'version' | 'signature missing' | 'data' | 'signature' | 'account';

/** The account in data that is not verified, as `accountKey` names it. */
export function namedAccount(data: string): string | undefined {
  const bytes = readAnyBase64(data);
  const account = readAs(Account, bytes && readJsonObject(bytes, limits));
  return account && accountKey({ shop: account.D_Shop, terminal: account.D_Term });
}

/** Verifies a triple by any of the keys. Before that, only the order's name is read from the data. */
export function readTriple({ d_ver, d_data, d_sig }: Triple, options: Options): VerifiedData | Refusal {
  // No other algorithm is ever tried.
  if (d_ver !== VERSION) return 'version';
  if (d_sig === '') return 'signature missing';
  const bytes = readAnyBase64(d_data);
  const members = bytes && readJsonObject(bytes, limits);
  const order = readAs(Order, members)?.D_Order;
  if (order === undefined) return 'data';
  const verifiedBy = verifyWithAny(options.keys, readAnyBase64(d_sig), (key) => sign(key, order, d_data));
  if (verifiedBy === undefined) return 'signature';
  const account = readAs(Account, members);
  return account?.D_Shop === options.shop && account.D_Term === options.terminal ? { order, members } : 'account';
}
