/** Replaces values in XML, piece by piece, whether or not the XML is well-formed. */

export interface XmlValues {
  /** Names come without prefix. */
  readonly attribute: (name: string, value: string) => string;
  /**
   * Called for text and CDATA, but not for white space alone. `names` are the nearest surrounding elements, the
   * innermost last.
   */
  readonly text: (names: readonly string[], value: string) => string;
}

/** One piece: CDATA or a tag, whose end may be missing; a text; or a `<` that starts nothing. */
const pieces = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<\/?[\w?!](?:[^<>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?|[^<]+|</g;
const namedAround = 8;
const attributes = /(?<![\w:.-])([\w:.-]+)(\s*=\s*)(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$))/g;

/** Unchanged values keep their spelling. */
export function mapXml(xml: string, { attribute, text }: XmlValues): string {
  const open: string[] = [];

  function mapTag(tag: string): string {
    const [, slash, name] = /^<(\/?)([\w:.-]+)/.exec(tag) ?? [];
    if (name === undefined) return tag;
    if (slash) open.pop();
    else if (!/\/>?$/.test(tag)) open.push(plainName(name));
    return tag.replaceAll(attributes, (whole, key: string, equals: string, double?: string, single?: string) => {
      const value = double ?? single ?? '';
      const shown = attribute(plainName(key), value);
      const quote = double === undefined ? "'" : '"';
      return shown === value ? whole : `${key}${equals}${quote}${shown}${quote}`;
    });
  }

  return xml.replaceAll(pieces, (piece, cdata?: string) => {
    if (cdata === undefined && /^<./.test(piece)) return mapTag(piece);
    const value = cdata ?? piece;
    if (value.trim() === '') return piece;
    const shown = text(open.slice(-namedAround), value);
    return shown === value ? piece : shown;
  });
}

function plainName(name: string): string {
  return name.replace(/^.*:/, '');
}
