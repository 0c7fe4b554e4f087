/** Erases the identifiers of a payer from texts, and keeps the rest of the text. */

export interface TextEraser {
  /** Replaces every occurrence of an identifier by `[erased]`, including its spelling in JSON or in a URL. */
  erase(text: string): string;
  /** The same for every nested text, except the members in `kept`. Returns the value itself if nothing is found. */
  eraseIn<T>(value: T, kept?: ReadonlySet<string>): T;
  isIn(text: string): boolean;
}

export const erased = '[erased]';
/**
 * A single word or a number may mean something else, such as a member name or an amount. These are only erased as the
 * value of a known member.
 */
const identifies = (value: string): boolean => /^(?=.*[@\s]).{5,}$|^\+\d{7,}/s.test(value);

/**
 * `identifiers`: e-mail addresses, names, phone numbers and the like, as they were given. Only values that identify a
 * person on their own are searched for. Upper and lower case are equal.
 */
export function createTextEraser(identifiers: readonly (string | null | undefined)[]): TextEraser {
  const wanted = identifiers.flatMap((value) => (value && identifies(value.trim()) ? spellingsOf(value.trim()) : []));
  // Longest first, so that nothing is left of an address that starts with a name.
  const sorted = [...new Set(wanted)].toSorted((a, b) => b.length - a.length);
  const pattern = toPattern(sorted);
  const erase = (text: string): string => text.replace(pattern, erased);
  const isIn = (text: string): boolean => erase(text) !== text;

  function eraseIn<T>(value: T, kept: ReadonlySet<string> = new Set()): T {
    if (typeof value === 'string') return erase(value) as T;
    if (typeof value !== 'object' || value === null || value instanceof Date || ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) {
      const items = value.map((item: unknown) => eraseIn(item, kept));
      return items.every((item, at) => item === value[at]) ? value : (items as T);
    }
    const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
      return [name, kept.has(name) ? member : eraseIn(member, kept)] as const;
    });
    const changed = members.filter(([name, member]) => member !== (value as Record<string, unknown>)[name]);
    return changed.length === 0 ? value : { ...value, ...(Object.fromEntries(changed) as Partial<T>) };
  }

  return { erase, isIn, eraseIn };
}

/** The error of an invalid pattern would show the pattern, which is the payer's data. Such an error is replaced. */
function toPattern(spellings: readonly string[]): RegExp {
  try {
    const anyOf = spellings.map(escape).join('|') || '(?!)';
    return new RegExp(`(?<![\\p{L}\\p{N}])(?:${anyOf})(?![\\p{L}\\p{N}])`, 'giu');
  } catch {
    throw new Error('The identifiers of the payer do not make a valid search pattern. Nothing was erased.');
  }
}

/** The value as given, as in JSON, and as in a URL. */
function spellingsOf(value: string): readonly string[] {
  const inAddress = encodeURIComponent(value);
  return [value, JSON.stringify(value).slice(1, -1), inAddress, inAddress.replaceAll('%20', '+')];
}

/** Escapes the syntax characters of patterns. No other character may be escaped in a pattern with the flag `u`. */
function escape(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}]/g, '\\$&');
}

/** Members of a payment request in the API that identify the payer, and their values after the erasure. */
const shownMembers: Readonly<Record<string, '""' | 'null'>> = {
  ...asAll(['name', 'email', 'address', 'phone', 'memberId'], '""'),
  ...asAll(['clientName', 'clientEmail', 'clientAddress', 'clientPhone', 'clientMemberId'], 'null'),
  ...asAll(['payerName', 'payerEmail', 'recipientName', 'notes', 'kycApplicantId'], 'null'),
  // In log entries these are never null.
  ...asAll(['cardLastDigits', 'device', 'browser', 'osName'], '""'),
};

function asAll<T>(names: readonly string[], value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

const shownMember = new RegExp(`"(${Object.keys(shownMembers).join('|')})":("(?:[^"\\\\]|\\\\.)*")`, 'g');

/**
 * Erases members in the JSON of payment requests. All other bytes stay, so numbers stay exact. `only`: the JSON also
 * contains payments of other payers, and only these values belong to the payer.
 */
export function eraseShown(json: string, texts: TextEraser, only?: ReadonlySet<string>): string {
  return texts.erase(
    json.replaceAll(shownMember, (whole, name: string, value: string) =>
      value === '""' || (only && !only.has(JSON.parse(value) as string)) ? whole : `"${name}":${shownMembers[name]}`,
    ),
  );
}
