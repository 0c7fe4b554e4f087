/** XML with other values, piece by piece, whether or not it is well-formed. */

export interface XmlValues {
  /** Names are without prefix. */
  readonly attribute: (name: string, value: string) => string;
  /** Of text and of CDATA; `names` are those of the nearest elements around it, the innermost last. Not called for space alone. */
  readonly text: (names: readonly string[], value: string) => string;
}

/** One piece: CDATA or a tag, of which the end may be missing; a text; or a `<` that begins nothing. */
const pieces = /<!\[CDATA\[([\s\S]*?)(?:\]\]>|$)|<\/?[\w?!](?:[^<>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*>?|[^<]+|</g;
const namedAround = 8;
const attributes = /(?<![\w:.-])([\w:.-]+)(\s*=\s*)(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$))/g;

/** What stays the same stays as it is spelled. */
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
