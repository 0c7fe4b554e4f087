/**
 * Brings optional fields of the payer into the bounds that a provider publishes. A value that has no spelling within
 * the bounds is left out, because an optional field must never end a payment.
 */
import { isBlank } from './digits.ts';
import { toAsciiEmail } from './email.ts';

export interface TextBounds {
  /** In characters (code points), as providers count them. Default: 1. */
  readonly minLength?: number;
  readonly maxLength: number;
  /** Matches one character that the provider accepts. Default: any character. */
  readonly accepts?: RegExp;
}

/**
 * The text within the bounds, undefined if there is none. Punctuation that the provider does not accept becomes a
 * blank, and accents are removed from letters: `Rao, Zoë` is `Rao Zoe`. Text with other letters that the provider does
 * not accept is left out as a whole: a name that lacks some of its letters is another name.
 */
export function narrowText(text: string | undefined, bounds: TextBounds): string | undefined {
  if (text === undefined || isBlank(text)) return undefined;
  const { minLength = 1, maxLength, accepts } = bounds;
  const spelled = accepts ? spellWith(accepts, text) : text.trim();
  const cut = Array.from(spelled ?? '')
    .slice(0, maxLength)
    .join('')
    .trim();
  return Array.from(cut).length >= minLength ? cut : undefined;
}

/** The text in the accepted characters. Undefined if a letter or digit of it is not among them. */
function spellWith(accepts: RegExp, text: string): string | undefined {
  const characters = Array.from(text.normalize('NFC'), (character) => {
    if (accepts.test(character)) return character;
    if (!/[\p{L}\p{N}\p{M}]/u.test(character)) return ' ';
    const plain = Array.from(character.normalize('NFKD')).filter((part) => !/\p{M}/u.test(part));
    return plain.length > 0 && plain.every((part) => accepts.test(part)) ? plain.join('') : undefined;
  });
  if (characters.includes(undefined)) return undefined;
  return characters.join('').replaceAll(/ {2,}/g, ' ').trim();
}

/**
 * The e-mail address in ASCII, for a provider that accepts nothing else. Undefined if it has no such spelling or more
 * than `maxLength` characters: a part of an address is another address.
 */
export function narrowEmail(email: string | undefined, maxLength: number): string | undefined {
  const ascii = email === undefined || isBlank(email) ? undefined : toAsciiEmail(email);
  return ascii !== undefined && ascii.length <= maxLength ? ascii : undefined;
}

const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
/** Codes that CLDR names and that are no country or territory of ISO 3166-1. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));

/**
 * The code of a country or territory, as `readPayer` spells it; undefined for any other two characters. `own` has the
 * provider's codes that differ: `{ XK: 'QZ' }`.
 */
export function narrowCountry(
  country: string | undefined,
  own: Readonly<Record<string, string>> = {},
): string | undefined {
  if (country === undefined || !/^[A-Z]{2}$/.test(country) || noCountries.has(country)) return undefined;
  if (Object.hasOwn(own, country)) return own[country];
  return names.of(country) === undefined ? undefined : country;
}
