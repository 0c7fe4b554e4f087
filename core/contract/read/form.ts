/** `application/x-www-form-urlencoded`, read strictly: every pair, in order, with repeats. */

export type FormPairs = readonly (readonly [name: string, value: string])[];

/** Decodes pairs (`+` is a space, `%XX` are UTF-8 bytes); undefined on a broken escape or bytes that are not UTF-8. */
export function readPairs(encoded: string): FormPairs | undefined {
  if (encoded === '') return [];
  try {
    return encoded
      .split('&')
      .filter((pair) => pair !== '')
      .map((pair) => {
        const at = pair.indexOf('=');
        return at < 0 ? [decode(pair), ''] : [decode(pair.slice(0, at)), decode(pair.slice(at + 1))];
      });
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

function decode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

/** The pairs as a map; undefined if a name occurs twice. If `names` are given, only these must not repeat. */
export function uniquePairs(pairs: FormPairs, names?: readonly string[]): ReadonlyMap<string, string> | undefined {
  const map = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (!map.has(name)) map.set(name, value);
    else if (!names || names.includes(name)) return undefined;
  }
  return map;
}

/** Combines `readPairs` and `uniquePairs`. */
export function readUniquePairs(encoded: string, names?: readonly string[]): ReadonlyMap<string, string> | undefined {
  const pairs = readPairs(encoded);
  return pairs && uniquePairs(pairs, names);
}

/** Writes pairs as the WHATWG serializer does; a member that is undefined is left out. */
export function writeForm(fields: Readonly<Record<string, string | undefined>> | FormPairs): string {
  const pairs = Array.isArray(fields) ? (fields as FormPairs) : Object.entries(fields);
  const form = new URLSearchParams();
  for (const [name, value] of pairs) if (value !== undefined) form.append(name, value);
  return form.toString();
}
