/**
 * Shows a callback to an operator without anything that proves something, pays something, or is a card number, even if
 * it is wrapped in base64, in another text or in CDATA.
 */
import type { RawCallback } from '@paywright/contract';
import { hideSensitive, maskText } from '../../base/log/log-masks.ts';
import { mapXml } from './map-xml.ts';

export interface ShownRaw {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  /** As text. */
  readonly body: string;
}

const hidden = '[hidden]';
/** Names of headers and members that prove something. */
const proves =
  /authorization|cookie|signatures?|sign?$|secrets?|tokens?|keys?$|mac$|hash|digest|check(sum)?$|password/i;
/** Longer texts are cut. */
const longestBody = 20_000;
/** At most this much of XML and of forms is read: the hidden version may be shorter. */
const longestRead = 5 * longestBody;
/** Content that is wrapped more often than this is not shown. */
const deepest = 4;
/** Shorter texts are words. Longer texts that are neither text nor hex are bytes that no person reads. */
const [shortestBase64, longestId] = [16, 100];

export function showRaw({ method, path, query, headers, body }: RawCallback): ShownRaw {
  return {
    method,
    path,
    query: maskText(showForm(query, 1)),
    headers: headers.map(([name, value]) => [name, proves.test(name) ? hidden : maskText(showText(value, 1))]),
    body: maskText(showText(Buffer.from(body).toString('utf8'), 0)).slice(0, longestBody),
  };
}

/** `depth`: the number of wrappings around this text; 0: the body itself. */
function showText(text: string, depth: number): string {
  const json = readJson(text);
  if (json !== undefined) return depth > deepest ? sizeOf(text) : JSON.stringify(hide(json, depth + 1));
  if (/^\s*<[\w!?]/.test(text)) return depth > deepest ? sizeOf(text) : showXml(text, depth + 1);
  const plain = showBase64(text.trim(), depth);
  if (plain !== undefined) return plain;
  // A text inside another text is a form only if it has two members. Otherwise it is a word with an equals sign.
  const isForm = depth === 0 ? /^[^\s=&]+=/.test(text) : /^[^\s=&]+=[^\s&]*&[^\s=&]+=/.test(text);
  if (isForm) return depth > deepest ? sizeOf(text) : showForm(text, depth + 1);
  return maskText(text);
}

/**
 * Undefined: the text is not wrapped. Wrapped content is shown as the text that it is; bytes and other texts are shown
 * by their length.
 */
function showBase64(text: string, depth: number): string | undefined {
  if (text.length < shortestBase64 || !/^[\w+/-]+={0,2}$/.test(text) || /^[\da-f]+$/i.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64');
  const plain = readUtf8(bytes);
  if (plain === undefined) return text.length > longestId ? sizeOf(bytes) : undefined;
  const isRead = /^\s*[[{<]/.test(plain) || /^[^\s=&]+=/.test(plain) || /^[\w+/-]+={0,2}$/.test(plain);
  return isRead && depth < deepest ? `base64: ${showText(plain, depth === 0 ? 0 : depth + 1)}` : sizeOf(bytes);
}

/** Undefined if the bytes are not text. */
function readUtf8(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf8', { fatal: true }).decode(bytes);
    return /[^\P{C}\s]/u.test(text) ? undefined : text;
  } catch {
    return undefined;
  }
}

function sizeOf(value: string | Uint8Array): string {
  return `[${Buffer.byteLength(value)} bytes]`;
}

function readJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined; // Most texts are not JSON, and exceptions of the parser are expensive.
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === 'object' && read !== null ? read : undefined;
  } catch {
    return undefined; // Not JSON.
  }
}

function hide(value: object, depth: number): unknown {
  const { whole } = hideSensitive({ whole: hideProofs('', value, depth) });
  return whole;
}

/** The items of a list have the list's name. */
function hideProofs(name: string, value: unknown, depth: number): unknown {
  if (Array.isArray(value)) return value.map((item) => hideProofs(name, item, depth));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [key, hideProofs(key, member, depth)] as const),
    );
  if (proves.test(name)) return hidden;
  // A value that is hidden by its name must not be read as something else first.
  return typeof value === 'string' && !isHidden(name, value) ? showText(value, depth) : value;
}

/** Names and values keep their spelling if nothing is hidden in them. */
function showForm(text: string, depth: number): string {
  return text
    .slice(0, longestRead)
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s).map(decode);
      const shownName = maskText(name);
      if (value === undefined) return shownName === name ? pair : shownName;
      const shown = isHidden(name, value) ? hidden : showText(value, depth);
      return shownName === name && shown === value ? pair : `${shownName}=${shown}`;
    })
    .join('&');
}

function showXml(text: string, depth: number): string {
  return mapXml(text.slice(0, longestRead), {
    attribute: (name, value) => (isHidden(name, value) ? hidden : showText(value, depth)),
    text: (names, value) => {
      const name = names.at(-1) ?? '';
      const isOfHidden = names.some((one) => isSensitive(one, value.trim())) || isHidden(name, value.trim());
      return isOfHidden ? hidden : showText(value, depth);
    },
  });
}

function isHidden(name: string, value: string): boolean {
  return proves.test(name) || isSensitive(name, value);
}

/** The same rule as for the log. */
function isSensitive(name: string, value: string): boolean {
  return hideSensitive({ [name]: value })[name] === hidden;
}

/** Decodes a value of a form. */
function decode(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced; // Keep the spelling.
  }
}
