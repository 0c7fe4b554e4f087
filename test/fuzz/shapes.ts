/**
 * Shapes of input that are costly for careless code: each is a name and a function that makes it at a given size, so
 * that a corpus needs no megabytes.
 */

/** Returns a text of about `size` characters. */
export type Shape = (size: number) => string;

const fill = (text: string, size: number): string => text.repeat(Math.max(1, Math.floor(size / text.length)));
const numbered = (size: number, one: (n: number) => string, between: string): string => {
  const parts: string[] = [];
  for (let [length, n] = [0, 0]; length < size; n += 1) {
    const part = one(n);
    parts.push(part);
    length += part.length + between.length;
  }
  return parts.join(between);
};
const nested = (open: string, inside: string, close: string, size: number): string => {
  const depth = Math.floor((size - inside.length) / (open.length + close.length));
  return open.repeat(depth) + inside + close.repeat(depth);
};

/** For one value: of a header, of a query, or of a member of a body. */
export const valueShapes: Readonly<Record<string, Shape>> = {
  blanks: (size) => fill(' ', size),
  'blanks inside an element': (size) => `a${fill(' ', size - 2)}b`,
  'blanks after digits': (size) => `12${fill(' ', size - 3)}x`,
  'tabs inside an element': (size) => `a${fill('\t', size - 2)}b`,
  'elements with blanks': (size) => fill('a , ', size),
  'empty elements': (size) => fill(',', size),
  'pairs of equal names': (size) => fill('v1=a,', size),
  'signatures of a list': (size) => `t=1795251600,${fill(`v1=${'0'.repeat(64)},`, size)}`,
  'pairs with semicolons': (size) => fill('a=b; ', size),
  'equals signs': (size) => fill('=', size),
  digits: (size) => fill('9', size),
  'digits and a sign': (size) => `${fill('1', size - 1)}-`,
  'decimal digits': (size) => `0.${fill('0', size - 3)}1`,
  'an exponent': (size) => `1e${fill('9', size - 2)}`,
  'one letter': (size) => fill('a', size),
  'letters and a mark': (size) => `${fill('a', size - 1)}!`,
  dots: (size) => fill('.', size),
  'labels of a host': (size) => `a@${fill('a.', size - 3)}b`,
  hyphens: (size) => fill('a-', size),
  slashes: (size) => fill('/', size),
  'an address with slashes': (size) => `https://${fill('a/', size - 8)}`,
  'percent signs': (size) => fill('%', size),
  'percent escapes': (size) => fill('%41', size),
  'plus signs': (size) => fill('+', size),
  'quotation marks': (size) => fill('"', size),
  'escaped quotation marks': (size) => fill('\\"', size),
  backslashes: (size) => fill('\\', size),
  'open brackets': (size) => fill('[', size),
  'open parentheses': (size) => fill('(', size),
  'nested braces': (size) => nested('{"a":', '1', '}', size),
  'angle brackets': (size) => fill('<', size),
  'open tags': (size) => fill('<a>', size),
  ampersands: (size) => fill('&', size),
  entities: (size) => fill('&amp;', size),
  hashes: (size) => fill('###', size),
  colons: (size) => fill('a:', size),
  'base64 of an odd size': (size) => fill('A', size - (size % 4) + 1),
  'base64 with padding': (size) => fill('QQ==', size),
  'base64url parts': (size) => fill('QQ.', size),
  'a Basic login': (size) => `Basic ${fill('YTph', size - 6)}`,
  'a Bearer token': (size) => `Bearer ${fill('a.', size - 7)}`,
  languages: (size) => numbered(size, (n) => `a${n.toString(36)};q=0.${n % 10}`, ','),
  'media types': (size) => numbered(size, (n) => `a/${n.toString(36)};q=0.${n % 10}`, ','),
  addresses: (size) => numbered(size, (n) => `10.0.${n % 256}.1`, ', '),
  'lines of one letter': (size) => fill('a\n', size),
  'carriage returns': (size) => fill('\r', size),
  'combining marks': (size) => `e${fill('\u0301', size / 2)}`,
  'digits of another script': (size) => fill('\u0661', size / 2),
  'wide letters': (size) => fill('\uff21', size / 3),
  'letters that normalise to many': (size) => fill('\ufdfa', size / 3),
  emoji: (size) => fill('\u{1f468}\u200d\u{1f469}', size / 11),
  'marks of direction': (size) => fill('\u202e', size / 3),
  'zero bytes': (size) => fill('\0', size),
};

/** For headers, in which only printable ASCII and tabs are allowed. */
export const headerShapes: Readonly<Record<string, Shape>> = Object.fromEntries(
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  Object.entries(valueShapes).filter(([, make]) => /^[\t -~]*$/.test(make(100))),
);

/** For a whole body, with its content type. */
export const bodyShapes: Readonly<Record<string, { readonly type: string; readonly make: Shape }>> = {
  'form of equal names': { type: 'form', make: (size) => fill('a&', size) },
  'form of equal names with values': { type: 'form', make: (size) => fill('a=b&', size) },
  'form of different names': { type: 'form', make: (size) => numbered(size, (n) => `${n.toString(36)}=`, '&') },
  'form of names with brackets': { type: 'form', make: (size) => numbered(size, (n) => `a[${n}][b]=1`, '&') },
  'form of deep brackets': { type: 'form', make: (size) => `a${fill('[a]', size)}=1` },
  'form of percent escapes': { type: 'form', make: (size) => `a=${fill('%F0%9F%98%80', size)}` },
  'form of broken escapes': { type: 'form', make: (size) => `a=${fill('%E0%', size)}` },
  'form of plus signs': { type: 'form', make: (size) => `a=${fill('+', size)}` },
  'form of ampersands': { type: 'form', make: (size) => fill('&', size) },
  'nested JSON lists': { type: 'json', make: (size) => nested('[', '', ']', size) },
  'nested JSON objects': { type: 'json', make: (size) => nested('{"a":', '1', '}', size) },
  'JSON list of numbers': { type: 'json', make: (size) => `[${fill('1,', size)}1]` },
  'JSON list of objects': { type: 'json', make: (size) => `[${fill('{},', size)}{}]` },
  'JSON list of long numbers': { type: 'json', make: (size) => `[${fill('1.7976931348623157e308,', size)}1]` },
  'JSON of one long number': { type: 'json', make: (size) => `{"amount":${fill('9', size)}}` },
  'JSON of one decimal number': { type: 'json', make: (size) => `{"amount":0.${fill('0', size)}1}` },
  'JSON of different names': {
    type: 'json',
    make: (size) => `{${numbered(size, (n) => `"${n.toString(36)}":1`, ',')}}`,
  },
  'JSON of names near ours': {
    type: 'json',
    make: (size) => `{${numbered(size, (n) => `"amounts${n.toString(36)}":1`, ',')}}`,
  },
  'JSON of equal names': { type: 'json', make: (size) => `{${fill('"a":1,', size)}"a":1}` },
  'JSON of prototypes': { type: 'json', make: (size) => `{${fill('"__proto__":{},', size)}"a":1}` },
  'JSON of escapes': { type: 'json', make: (size) => `{"a":"${fill('\\u0061', size)}"}` },
  'JSON of blanks': { type: 'json', make: (size) => `{${fill(' ', size)}}` },
  'JSON that ends early': { type: 'json', make: (size) => `{"a":"${fill('a', size)}` },
  'nested XML elements': { type: 'xml', make: (size) => nested('<a>', '', '</a>', size) },
  'open XML elements': { type: 'xml', make: (size) => fill('<a>', size) },
  'XML elements next to each other': { type: 'xml', make: (size) => `<a>${fill('<b/>', size)}</a>` },
  'XML attributes': { type: 'xml', make: (size) => `<a ${numbered(size, (n) => `a${n.toString(36)}=""`, ' ')}/>` },
  'XML attribute of entities': { type: 'xml', make: (size) => `<a b="${fill('&lt;', size)}"/>` },
  'XML text of entities': { type: 'xml', make: (size) => `<a>${fill('&#x41;', size)}</a>` },
  'XML text of ampersands': { type: 'xml', make: (size) => `<a>${fill('&', size)}</a>` },
  'XML blanks in a tag': { type: 'xml', make: (size) => `<a${fill(' ', size)}x` },
  'XML comments': { type: 'xml', make: (size) => `${fill('<!---->', size)}<a/>` },
  'open XML comment': { type: 'xml', make: (size) => `<!--${fill('-', size)}` },
  'XML entities that double': {
    type: 'xml',
    make: (size) =>
      `<!DOCTYPE a [<!ENTITY e0 "a">${numbered(size, (n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`, '')}]><a>&e99;</a>`,
  },
  'XML declarations of namespaces': {
    type: 'xml',
    make: (size) => `<a ${numbered(size, (n) => `xmlns:n${n.toString(36)}="u"`, ' ')}/>`,
  },
  'XML CDATA': { type: 'xml', make: (size) => `<a>${fill('<![CDATA[]]>', size)}</a>` },
  'parts of a multipart body': {
    type: 'multipart',
    make: (size) => `${fill('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n', size)}--b--\r\n`,
  },
  'headers of a part': { type: 'multipart', make: (size) => `--b\r\n${fill('a: b\r\n', size)}\r\n\r\n--b--\r\n` },
  'parameters of a part': {
    type: 'multipart',
    make: (size) => `--b\r\nContent-Disposition: form-data${fill('; name="a"', size)}\r\n\r\n\r\n--b--\r\n`,
  },
  'boundaries that almost end': { type: 'multipart', make: (size) => fill('\r\n--', size) },
  'text of one letter': { type: 'text', make: (size) => fill('a', size) },
  'text of lines': { type: 'text', make: (size) => fill('\n', size) },
  'bytes that are no text': { type: 'text', make: (size) => fill('\u00ff', size / 2) },
};

export const contentTypes: Readonly<Record<string, string>> = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
  xml: 'text/xml; charset=utf-8',
  multipart: 'multipart/form-data; boundary=b',
  text: 'text/plain',
};

/** For a whole query, without the question mark. */
export const queryShapes: Readonly<Record<string, Shape>> = {
  'parameters of equal names': (size) => fill('a&', size),
  'parameters of different names': (size) => numbered(size, (n) => `${n.toString(36)}=1`, '&'),
  'parameters with brackets': (size) => numbered(size, (n) => `a[${n}]=1`, '&'),
  'escaped parameters': (size) => fill('%41=%41&', size),
  'broken escapes': (size) => fill('%E0&', size),
  ampersands: (size) => fill('&', size),
  'equals signs': (size) => fill('=', size),
  'question marks': (size) => fill('?', size),
};

/** Appended to a path. */
export const pathShapes: Readonly<Record<string, Shape>> = {
  'one long segment': (size) => `/${fill('a', size)}`,
  segments: (size) => fill('/a', size),
  slashes: (size) => fill('/', size),
  'dots and slashes': (size) => fill('/..', size),
  'escaped slashes': (size) => fill('%2f', size),
  'percent signs': (size) => fill('%', size),
  'broken escapes': (size) => fill('%E0', size),
  digits: (size) => `/${fill('9', size)}`,
};

/** Lists of headers. */
export const headerListShapes: Readonly<Record<string, (size: number) => (readonly [string, string])[]>> = {
  'headers of different names': (size) => Array.from({ length: size / 20 }, (_, n) => [`x-${n}`, 'a']),
  'headers of equal names': (size) => Array.from({ length: size / 20 }, () => ['x-a', 'a']),
  'many cookies': (size) => [['Cookie', numbered(size, (n) => `c${n.toString(36)}=a`, '; ')]],
  'cookies of equal names': (size) => [['Cookie', fill('a=b; ', size)]],
  'cookie headers': (size) => Array.from({ length: size / 20 }, (_, n) => ['Cookie', `c${n}=a`]),
};
