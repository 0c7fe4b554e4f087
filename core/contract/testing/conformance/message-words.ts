/**
 * The words of a message: texts that may be a status, by their place in JSON, a form or XML, also if the content is
 * packed in base64 or in a token. A word is replaced in its place; the rest of the message keeps its meaning.
 */
import { readPairs } from '../../read/form.ts';
import { JsonError, readJsonText, writeJson, type JsonValue } from '../../read/json.ts';

/** A status is a word or a short code. Anything else (an id, an address, a time) is no candidate. */
const wordForm = /^(?:[A-Za-z][A-Za-z_ .:-]{1,39}|\d{2,4})$/;
type Change = (path: string, word: string) => string;

export function isWord(text: string): boolean {
  return wordForm.test(text);
}

/** The words by their path: `payment.state`. Empty for a message in a form that the kit does not know. */
export function wordsIn(body: Uint8Array): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  mapContent(Buffer.from(body).toString(), '', (path, word) => {
    words.set(path, word);
    return word;
  });
  return words;
}

/** The message with the words at these paths changed. */
export function withWords(body: Uint8Array, paths: readonly string[], change: (word: string) => string): Uint8Array {
  const changed = mapContent(Buffer.from(body).toString(), '', (path, word) =>
    paths.includes(path) ? change(word) : word,
  );
  return changed === undefined ? body : Buffer.from(changed);
}

/** Undefined if the text has none of the known forms. */
function mapContent(text: string, path: string, change: Change): string | undefined {
  if (text.startsWith('{')) return mapJsonText(text, path, change);
  if (/^\s*</.test(text)) return mapXml(text, path, change);
  return /^[\w.%+-]+=/.test(text) && readPairs(text) ? mapPairs(text, path, change) : undefined;
}

function mapJsonText(text: string, path: string, change: Change): string | undefined {
  try {
    return writeJson(mapJson(readJsonText(text), path, change));
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

function mapJson(value: JsonValue, path: string, change: Change): JsonValue {
  if (typeof value === 'string') return mapText(value, path, change);
  if (Array.isArray(value)) return value.map((item: JsonValue, at) => mapJson(item, `${path}[${at}]`, change));
  if (!(value instanceof Map)) return value;
  return new Map(
    [...(value as ReadonlyMap<string, JsonValue>)].map(([name, item]) => [
      name,
      mapJson(item, below(path, name), change),
    ]),
  );
}

/** White space around a pair, which some providers write, is no part of the word. */
function mapPairs(text: string, path: string, change: Change): string {
  return text
    .split('&')
    .map((pair) => {
      const at = pair.indexOf('=') + 1;
      if (at < 2) return pair;
      const [name, spelled] = [pair.slice(0, at), pair.slice(at).trimEnd()];
      const value = readPairs(`x=${spelled}`)?.[0]?.[1] ?? '';
      const changed = mapText(value, below(path, name.slice(0, -1).trim()), change);
      return changed === value ? pair : name + encodeURIComponent(changed) + pair.slice(at + spelled.length);
    })
    .join('&');
}

/** Attributes and contents of elements, by their name or `text`, and their number. */
function mapXml(text: string, path: string, change: Change): string {
  const counts = new Map<string, number>();
  const place = (name: string): string => {
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    return below(path, `${name}[${count}]`);
  };
  const mapTag = (tag: string): string =>
    tag.replace(/="([^"<>]*)"|='([^'<>]*)'/g, (whole: string, one: string | undefined, other = '', at: number) => {
      const name = tag.slice(0, at).split(/\s/).at(-1)!;
      return `=${whole[1]}${mapText(one ?? other, place(name), change)}${whole[1]}`;
    });
  const parts = text.split('<');
  return parts
    .map((part, at) => {
      const end = part.indexOf('>') + 1;
      const content = part.slice(end);
      const isContent = end > 0 && content !== '' && at < parts.length - 1;
      return mapTag(part.slice(0, end)) + (isContent ? mapText(content, place('text'), change) : content);
    })
    .join('<');
}

/** A text is a word, or holds packed content. */
function mapText(text: string, path: string, change: Change): string {
  if (isWord(text)) return change(path, text);
  const token = /^([\w-]+)\.([\w-]{16,})\.([\w-]*)$/.exec(text);
  if (token) return [token[1], mapPacked(token[2]!, path, change), token[3]].join('.');
  return mapPacked(text, path, change);
}

/** Base64 of JSON, in either alphabet. */
function mapPacked(text: string, path: string, change: Change): string {
  if (!/^[\w+/-]{16,}={0,2}$/.test(text)) return text;
  const content = Buffer.from(text, 'base64').toString();
  const changed = content.startsWith('{') ? mapJsonText(content, path, change) : undefined;
  if (changed === undefined) return text;
  const isUrl = !/[+/=]/.test(text) && Buffer.from(content).toString('base64url') === text;
  return Buffer.from(changed).toString(isUrl ? 'base64url' : 'base64');
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
