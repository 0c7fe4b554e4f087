/** Ways to damage a callback in transit. */
import type { RawCallback } from '../../callback.ts';

export interface Damaged {
  /** The description in messages: `byte 17 of the body changed`. */
  readonly what: string;
  readonly raw: RawCallback;
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

/** The number of bytes in a sample. A proof with a public key takes milliseconds. */
const sampleSize = 64;

/**
 * Changes bytes of body, query and header values by one bit, and cuts the body at several positions. A sample has every
 * byte of a short text. Of a longer text it has the middle of each word, so that every name and every value is
 * included, and 64 more bytes, evenly distributed.
 */
export function* damagedVariants(
  raw: RawCallback,
  which: 'every byte' | 'a sample' = 'every byte',
): Generator<Damaged> {
  const positions = which === 'a sample' ? sampleOf : positionsOf;
  for (const at of positions(text(raw.body))) {
    const body = Buffer.from(raw.body);
    // Changing one bit keeps digits digits and letters letters: a message that is still readable must still be refused.
    body[at]! ^= 1;
    yield { what: `byte ${at} of the body changed`, raw: { ...raw, body } };
  }
  for (const at of positions(raw.query)) {
    yield { what: `character ${at} of the query changed`, raw: { ...raw, query: withFlippedBit(raw.query, at) } };
  }
  for (const [index, [name, value]] of raw.headers.entries()) {
    for (const at of positions(value)) {
      const headers = raw.headers.with(index, [name, withFlippedBit(value, at)]);
      yield { what: `character ${at} of ${name} changed`, raw: { ...raw, headers } };
    }
  }
  for (const share of [0, 0.25, 0.5, 0.75, 0.99]) {
    const length = Math.floor(raw.body.length * share);
    if (length < raw.body.length) {
      yield { what: `its body cut after ${length} bytes`, raw: { ...raw, body: raw.body.subarray(0, length) } };
    }
  }
  yield { what: 'a byte added to its body', raw: { ...raw, body: Buffer.concat([raw.body, Buffer.from('0')]) } };
}

function positionsOf({ length }: string): Iterable<number> {
  return Array.from({ length }).keys();
}

function sampleOf(value: string): Iterable<number> {
  if (value.length <= sampleSize) return positionsOf(value);
  const even = Array.from({ length: sampleSize }, (_, n) => Math.floor((n * value.length) / sampleSize));
  const words = [...value.matchAll(/[\w.%+-]+/g)].map(({ index, 0: word }) => index + Math.floor(word.length / 2));
  return new Set([...even, ...words]);
}

function withFlippedBit(value: string, at: number): string {
  return value.slice(0, at) + String.fromCharCode(value.charCodeAt(at) ^ 1) + value.slice(at + 1);
}

/** Each header, each pair of query or form, and each JSON member, missing, emptied or repeated. */
export function* withoutParts(raw: RawCallback): Generator<Damaged> {
  for (const [index, [name, value]] of raw.headers.entries()) {
    const others = raw.headers.toSpliced(index, 1);
    yield { what: `no header ${name}`, raw: { ...raw, headers: others } };
    yield { what: `an empty header ${name}`, raw: { ...raw, headers: raw.headers.with(index, [name, '']) } };
    yield { what: `the header ${name} twice`, raw: { ...raw, headers: [...raw.headers, [name, value]] } };
  }
  for (const query of partsOf(raw.query)) yield { what: query.what, raw: { ...raw, query: query.text } };
  for (const part of changedParts(text(raw.body)))
    yield { what: part.what, raw: { ...raw, body: Buffer.from(part.text, 'latin1') } };
}

/** A form or JSON with one pair or member missing, emptied or repeated; nothing for any other text. */
export function changedParts(body: string): Part[] {
  return /^[^{<]*=/.test(body) ? partsOf(body) : body.startsWith('{') ? membersOf(body) : [];
}

interface Part {
  readonly what: string;
  readonly text: string;
}

function partsOf(encoded: string): Part[] {
  const pairs = encoded.split('&').filter((pair) => pair !== '');
  return pairs.flatMap((pair, at) => {
    const name = pair.split('=')[0]!;
    return [
      { what: `no ${name}`, text: pairs.toSpliced(at, 1).join('&') },
      { what: `an empty ${name}`, text: pairs.with(at, `${name}=`).join('&') },
      { what: `${name} twice`, text: [...pairs, pair].join('&') },
    ];
  });
}

/** Members with a plain value, found in the text itself, so that the rest keeps its bytes. */
function membersOf(body: string): Part[] {
  // A string that is no member's name is consumed whole, so text inside it that looks like a member is not found.
  const member = /"((?:[^"\\]|\\.)*)(?:"|\\?$)(?:\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null)\s*(,?))?/gs;
  return [...body.matchAll(member)].flatMap((match) => {
    const [whole, name = '', value, comma = ''] = match;
    if (value === undefined) return [];
    const before = body.slice(0, match.index);
    const after = body.slice(match.index + whole.length);
    const put = (replacement: string): string => before + replacement + after;
    const gone = comma ? put('') : before.replace(/,\s*$/, '') + after;
    return [
      { what: `no member ${name}`, text: gone },
      ...['null', '""', '0', '[]', `[${value}]`].map((other) => ({
        what: `${name} being ${other.slice(0, 20)}`,
        text: put(`"${name}":${other}${comma}`),
      })),
      { what: `${name} twice`, text: put(`"${name}":${value},"${name}":${value}${comma}`) },
    ];
  });
}

const bodies: readonly (readonly [what: string, body: string | Uint8Array])[] = [
  ['an empty body', ''],
  ['the body `null`', 'null'],
  ['the body `[]`', '[]'],
  ['the body `{}`', '{}'],
  ['the body `"text"`', '"text"'],
  ['the body `7`', '7'],
  ['a form that repeats a name', 'a=1&a=2'],
  ['a form with a broken escape', 'a=%zz&b=%C3'],
  ['an XML body', '<?xml version="1.0"?><a><b>1</b></a>'],
  ['an XML body with a DTD', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
  ['deeply nested arrays', '['.repeat(20_000)],
  ['deeply nested objects', '{"a":'.repeat(20_000)],
  ['deeply nested elements', '<a>'.repeat(20_000)],
  ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x00])],
  ['a long text', 'x'.repeat(100_000)],
];

/** Bodies of any other kind, and the same callback with another content type, without headers, and without a query. */
export function* foreignVariants(raw: RawCallback): Generator<Damaged> {
  for (const [what, body] of bodies) yield { what, raw: { ...raw, body: Buffer.from(body as string) } };
  const middle = Math.floor(raw.body.length / 2);
  const broken = Buffer.concat([raw.body.subarray(0, middle), Buffer.from([0xff]), raw.body.subarray(middle)]);
  yield { what: 'a byte in its middle that is not UTF-8', raw: { ...raw, body: broken } };
  yield { what: 'a byte order mark', raw: { ...raw, body: Buffer.concat([Buffer.from('\ufeff'), raw.body]) } };
  const others = raw.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
  for (const type of ['text/plain', 'application/octet-stream', 'multipart/form-data; boundary=x', '']) {
    yield { what: `content type "${type}"`, raw: { ...raw, headers: [...others, ['Content-Type', type]] } };
  }
  yield { what: 'no header at all', raw: { ...raw, headers: [] } };
  yield { what: 'no query', raw: { ...raw, query: '' } };
  yield { what: 'a query that does not decode', raw: { ...raw, query: 'a=%zz&%C3=1&a=2' } };
  yield { what: 'its body emptied', raw: { ...raw, body: new Uint8Array() } };
}
