/**
 * The parts of a message that may carry a signature: each header, each pair of a query or a form, each text of a JSON
 * body, or the whole of any other body. A part is changed in place, so that the rest of the message keeps its bytes.
 */
import { readJson } from '../../read/json.ts';
import { neighbour } from './secrets.ts';

interface Message {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly query?: string;
  readonly body: Uint8Array;
}

export interface Part<M> {
  /** The description in messages: `header X-Signature`. */
  readonly what: string;
  /** Decoded. */
  readonly value: string;
  /** The message with another value of this part. */
  readonly put: (value: string) => M;
  /** The message without this part; undefined for a text inside a body, which can only be emptied. */
  readonly drop?: () => M;
}

export function partsOf<M extends Message>(message: M): Part<M>[] {
  const { headers, query = '' } = message;
  const body = Buffer.from(message.body).toString('latin1');
  return [
    ...headers.map(([name, value], at) => ({
      what: `header ${name}`,
      value,
      put: (changed: string): M => ({ ...message, headers: headers.with(at, [name, changed]) }),
      drop: (): M => ({ ...message, headers: headers.toSpliced(at, 1) }),
    })),
    ...pairsOf(query, (changed) => ({ ...message, query: changed })),
    ...bodyParts(body, (text) => ({ ...message, body: Buffer.from(text, 'latin1') })),
  ];
}

function bodyParts<M>(body: string, write: (changed: string) => M): Part<M>[] {
  if (/^[^{<[]*=/.test(body)) return pairsOf(body, write);
  if (/^\s*[{[]/.test(body)) return textsOf(body, write);
  return body === '' ? [] : [{ what: 'the body', value: body, put: write }];
}

function pairsOf<M>(encoded: string, write: (changed: string) => M): Part<M>[] {
  if (encoded === '') return [];
  const pairs = encoded.split('&');
  return pairs.map((pair, at) => {
    const [name = '', ...rest] = pair.split('=');
    return {
      what: `pair ${name}`,
      value: decode(rest.join('=')),
      put: (changed) => write(pairs.with(at, `${name}=${encodeURIComponent(changed)}`).join('&')),
      drop: () => write(pairs.toSpliced(at, 1).join('&')),
    };
  });
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    return value; // An invalid escape: the text is used as sent.
  }
}

/** Texts of a JSON body that are no names of members. */
function textsOf<M>(body: string, write: (changed: string) => M): Part<M>[] {
  let name = '';
  return [...body.matchAll(/"((?:[^"\\]|\\.)*)"?(\s*:)?/gs)].flatMap((match) => {
    const [whole, content = '', colon] = match;
    if (colon !== undefined) {
      name = content;
      return [];
    }
    const [before, after] = [body.slice(0, match.index), body.slice(match.index + whole.length)];
    return [
      {
        what: `member ${name}`,
        value: unescape(content),
        put: (changed: string): M => write(before + JSON.stringify(changed) + after),
      },
    ];
  });
}

function unescape(content: string): string {
  const text = readJson(`"${content}"`);
  return typeof text === 'string' ? text : content;
}

/** A run of characters that may be a signature: hex, base64, base64url. */
const runs = /[\w+/-]+={0,2}/g;

interface Run {
  readonly text: string;
  readonly replace: (text: string) => string;
}

function runsOf(value: string): Run[] {
  return [...value.matchAll(runs)].map(({ 0: text, index }) => ({
    text,
    replace: (other) => value.slice(0, index) + other + value.slice(index + text.length),
  }));
}

/**
 * The value with one bit of its signature flipped. The signature is what differs from `other`, the same value
 * signed with another secret. At most three variants: the first, the middle and the last byte that differs.
 */
export function brokenSignatures(value: string, other: string): string[] {
  const theirs = runsOf(other);
  return runsOf(value).flatMap((run, at) => {
    const their = theirs[at]?.text ?? '';
    return run.text === their ? [] : flippedAt(run.text, their).map(run.replace);
  });
}

/**
 * The value with one bit flipped in each of its runs that look like a signature: 16 bytes or more, without a
 * pattern.
 */
export function brokenOpaqueRuns(value: string): string[] {
  return runsOf(value)
    .filter(({ text }) => isOpaque(text))
    .map(({ text, replace }) => replace(flippedAt(text, '')[1]!));
}

function isOpaque(text: string): boolean {
  const { kind, bytes } = spellingOf(text);
  const needed = kind === 'hex' ? [/\d/, /[a-f]/i] : [/\d/, /[a-z]/, /[A-Z]/];
  return kind !== 'text' && bytes.length >= 16 && needed.every((one) => one.test(text));
}

/** One bit flipped in the decoded value, so that the spelling stays valid. */
function flippedAt(text: string, other: string): string[] {
  const { kind, bytes, write } = spellingOf(text);
  const theirs = spellingOf(other);
  const isComparable = theirs.kind === kind && theirs.bytes.length === bytes.length;
  const places = [...bytes.keys()].filter((at) => !isComparable || bytes[at] !== theirs.bytes[at]);
  const chosen = new Set([places[0], places[places.length >> 1], places.at(-1)]);
  return [...chosen].flatMap((at) => (at === undefined ? [] : [write(flipped(bytes, at, kind))]));
}

function flipped(bytes: Buffer, at: number, kind: Spelling['kind']): Buffer {
  const changed = Buffer.from(bytes);
  if (kind === 'text') changed.write(neighbour(String.fromCharCode(bytes[at]!)), at, 'latin1');
  else changed[at]! ^= 1;
  return changed;
}

interface Spelling {
  readonly kind: 'hex' | 'base64' | 'text';
  readonly bytes: Buffer;
  readonly write: (bytes: Buffer) => string;
}

/** The ways to write bytes as a run, with the alphabet that reads it. Node.js reads both alphabets of base64. */
const spellings: readonly Omit<Spelling, 'bytes'>[] = [
  { kind: 'hex', write: (bytes) => bytes.toString('hex') },
  { kind: 'hex', write: (bytes) => bytes.toString('hex').toUpperCase() },
  { kind: 'base64', write: (bytes) => bytes.toString('base64') },
  { kind: 'base64', write: (bytes) => bytes.toString('base64').replace(/={1,2}$/, '') },
  { kind: 'base64', write: (bytes) => bytes.toString('base64url') },
  { kind: 'base64', write: (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_') },
];

/** How a run spells its bytes. A spelling counts only if it writes the same text again. */
function spellingOf(text: string): Spelling {
  const read = { hex: Buffer.from(text, 'hex'), base64: Buffer.from(text, 'base64') };
  for (const { kind, write } of spellings) {
    if (kind !== 'text' && text.length >= 8 && write(read[kind]) === text) return { kind, bytes: read[kind], write };
  }
  return { kind: 'text', bytes: Buffer.from(text, 'latin1'), write: (bytes) => bytes.toString('latin1') };
}
