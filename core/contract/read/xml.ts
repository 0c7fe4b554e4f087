/**
 * Strict XML 1.0, read in one piece: no entities except the five predefined ones and character references, no document
 * type with content, limits on depth and size. Nothing is ever loaded.
 */
import { SaxesParser } from 'saxes';
import { forEachInSlices } from './in-slices.ts';

/** An element. Names are kept without their prefix: `pay:order` is `order`, whatever `pay` means. */
export interface XmlElement {
  readonly name: string;
  /** Without namespace declarations. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** The element's own text and CDATA, without the text of its children. */
  readonly text: string;
}

export interface XmlLimits {
  /** The deepest nesting of elements, with the root as 1; 64 by default. */
  readonly maxDepth?: number;
  /** Longest text in UTF-16 units; 2^20 by default. */
  readonly maxLength?: number;
}

/**
 * Recognised by its name across copies of this package.
 *
 * @deprecated Will be removed in 3.0. Use `readXml`, which returns undefined instead of throwing.
 */
export class XmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XmlError';
  }
}

/**
 * Reads one document, which the caller decoded as UTF-8 (`utf8`). Throws an `XmlError` that names the position, never
 * the content, for:
 * - a document that is not well-formed or exceeds the limits,
 * - a declared encoding other than UTF-8,
 * - a document type with an internal subset (one that only names an external subset is skipped),
 * - two attributes of an element with the same name after the prefix.
 *
 * @deprecated Will be removed in 3.0. Use `readXml`, which returns undefined instead of throwing.
 */
export function readXmlText(text: string, limits?: XmlLimits): XmlElement {
  const reader = createReader(text, limits);
  reader.read(text);
  return reader.end();
}

interface Reader {
  /** The next part of the text. */
  read(part: string): void;
  end(): XmlElement;
}

function createReader(text: string, { maxDepth = 64, maxLength = 2 ** 20 }: XmlLimits = {}): Reader {
  if (text.length > maxLength) throw new XmlError(`not XML: more than ${maxLength} characters`);
  const parser = new SaxesParser({ xmlns: false, defaultXMLVersion: '1.0', forceXMLVersion: true });
  const refuse = (what: string): never => {
    throw new XmlError(`not XML: ${what} at line ${parser.line}, column ${parser.column}`);
  };
  const open: Growing[] = [];
  let root: XmlElement | undefined;

  parser.on('error', () => refuse('not well-formed'));
  parser.on('xmldecl', ({ encoding = 'UTF-8' }) => {
    if (encoding.toUpperCase() !== 'UTF-8') refuse('a declared encoding other than UTF-8');
  });
  parser.on('doctype', (declaration) => {
    if (!doctype.test(declaration)) refuse('a document type with an internal subset, or broken,');
  });
  parser.on('processinginstruction', ({ target, body }) => {
    // The parser reads `<?a?b?>` as `<?a ?b?>`.
    if (body.startsWith('?') && text.slice(0, parser.position).endsWith(`<?${target}${body}?>`))
      refuse('not well-formed');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (open.length >= maxDepth) refuse(`more than ${maxDepth} levels`);
    const element = { name: localName(name), attributes: readAttributes(attributes, refuse), children: [], text: '' };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  const addText = (found: string): void => {
    const element = open.at(-1);
    if (element) element.text += found; // Only white space is allowed outside the root.
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  return {
    read: (part) => void parser.write(part),
    end() {
      parser.close();
      return root ?? refuse('no element');
    },
  };
}

/** Reads a document like `readXmlText`; undefined if that refuses the text, or if there is no text. */
export function readXml(text: string | undefined, limits?: XmlLimits): XmlElement | undefined {
  if (text === undefined) return undefined;
  try {
    return readXmlText(text, limits);
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

/**
 * Like `readXml`, for messages that may be long: it reads in slices, and the event loop serves other work in between.
 */
export async function readXmlInSlices(text: string | undefined, limits?: XmlLimits): Promise<XmlElement | undefined> {
  if (text === undefined) return undefined;
  try {
    const reader = createReader(text, limits);
    await forEachInSlices(partsOf(text), (part) => reader.read(part));
    return reader.end();
  } catch (error) {
    if (error instanceof XmlError) return undefined;
    throw error;
  }
}

const partLength = 8192;

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += partLength) yield text.slice(at, at + partLength);
}

interface Growing extends XmlElement {
  readonly children: XmlElement[];
  text: string;
}

const nameStart =
  ':A-Z_a-z\\u{C0}-\\u{D6}\\u{D8}-\\u{F6}\\u{F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}\\u{200D}' +
  '\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}';
const name = `[${nameStart}][${nameStart}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}\\u{2040}]*`;
const space = '[ \\t\\r\\n]';
const literal = `(?:"[^"]*"|'[^']*')`;
const publicLiteral = `(?:"[- \\r\\na-zA-Z0-9'()+,./:=?;!*#@$_%]*"|'[- \\r\\na-zA-Z0-9()+,./:=?;!*#@$_%]*')`;
const external = `(?:SYSTEM|PUBLIC${space}+${publicLiteral})${space}+${literal}`;
/** The text after `<!DOCTYPE` up to `>`. The parser itself does not check it. */
const doctype = new RegExp(`^${space}+${name}(?:${space}+${external})?${space}*$`, 'u');

/** The name without its prefix. */
function localName(qualified: string): string {
  return /^[^:]+:([^:]+)$/.exec(qualified)?.[1] ?? qualified;
}

function readAttributes(
  given: Readonly<Record<string, string>>,
  refuse: (what: string) => never,
): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const [qualified, value] of Object.entries(given)) {
    if (/^xmlns(?::|$)/.test(qualified)) continue;
    const name = localName(qualified);
    // It would be chance which of the two a reader uses.
    if (attributes.has(name)) refuse('two attributes of one name');
    attributes.set(name, value);
  }
  return attributes;
}

const special: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/** Text for the inside of an element or of a `"…"` attribute; characters that XML 1.0 cannot hold are dropped. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"\t\n\r]/g, (character) => special[character]!);
}

/** Writes an element around markup (`escapeXml` text, other elements); an attribute that is undefined is left out. */
export function writeXml(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  ...inside: readonly string[]
): string {
  const written = Object.entries(attributes).map(([key, value]) =>
    value === undefined ? '' : ` ${key}="${escapeXml(value)}"`,
  );
  const markup = inside.join('');
  return `<${name}${written.join('')}${markup === '' ? '/>' : `>${markup}</${name}>`}`;
}
