/** Takes who a payer is out of texts, and leaves what is beside it. */

export interface TextEraser {
  /** Every occurrence of what is known of the payer, also as JSON or an address spells it, becomes `[erased]`. */
  erase(text: string): string;
  /** The same of every text inside, but those of members in `kept`. Gives the value itself where nothing is found. */
  eraseIn<T>(value: T, kept?: ReadonlySet<string>): T;
  isIn(text: string): boolean;
}

export const erased = '[erased]';
/** One word, or a number, may be anything else, a member's name or an amount too: these are erased by their place alone. */
const identifies = (trait: string): boolean => /^(?=.*[@\s]).{5,}$|^\+\d{7,}/s.test(trait);

/**
 * `traits`: e-mail, names, phone numbers and the like, as they were given; those that identify somebody by themselves are looked
 * for. Large and small letters do not matter.
 */
export function createTextEraser(identifiers: readonly (string | null | undefined)[]): TextEraser {
  const wanted = identifiers.flatMap((trait) => (trait && identifies(trait.trim()) ? spellingsOf(trait.trim()) : []));
  // The longest first: of an address that begins with a name nothing is left.
  const sorted = [...new Set(wanted)].toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${sorted.map(escape).join('|') || '(?!)'})(?![\\p{L}\\p{N}])`,
    'giu',
  );
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

/** As it was given, inside JSON, and in an address. */
function spellingsOf(trait: string): readonly string[] {
  const inAddress = encodeURIComponent(trait);
  return [trait, JSON.stringify(trait).slice(1, -1), inAddress, inAddress.replaceAll('%20', '+')];
}

function escape(text: string): string {
  return text.replaceAll(/[$()*+./?[\\\]^{|}-]/g, '\\$&');
}

/** Members of a payment request, as the interface shows it, that say who paid, and what they are where nobody knows it. */
const shownMembers: Readonly<Record<string, '""' | 'null'>> = {
  ...asAll(['name', 'email', 'address', 'phone', 'memberId'], '""'),
  ...asAll(['clientName', 'clientEmail', 'clientAddress', 'clientPhone', 'clientMemberId'], 'null'),
  ...asAll(['payerName', 'payerEmail', 'recipientName', 'notes', 'kycApplicantId'], 'null'),
  // In entries of the log never null.
  ...asAll(['cardLastDigits', 'device', 'browser', 'osName'], '""'),
};

function asAll<T>(names: readonly string[], value: T): Readonly<Record<string, T>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

const shownMember = new RegExp(`"(${Object.keys(shownMembers).join('|')})":("(?:[^"\\\\]|\\\\.)*")`, 'g');

/**
 * JSON that shows payment requests. All else keeps its bytes: numbers are exact, and stay so. `only`: others' payments are
 * among them, and these values alone are the payer's.
 */
export function eraseShown(json: string, texts: TextEraser, only?: ReadonlySet<string>): string {
  return texts.erase(
    json.replaceAll(shownMember, (whole, name: string, value: string) =>
      value === '""' || (only && !only.has(JSON.parse(value) as string)) ? whole : `"${name}":${shownMembers[name]}`,
    ),
  );
}
