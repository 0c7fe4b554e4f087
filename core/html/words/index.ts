/** The languages of the payer's page, and how the payer's language is chosen. */
import type { PageContext } from '../context.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type Words } from './en.ts';
import { es } from './es.ts';
import { hi } from './hi.ts';
import { pt } from './pt.ts';
import { complete, type Translation } from './translation.ts';

export type { Plural, StatusWord, Words } from './en.ts';

/** The languages, in the order of the language switch. */
export const translations = { en, es, pt, de, hi, ar } as const satisfies Readonly<Record<string, Translation>>;
export type Language = keyof typeof translations;
export const languageCodes = Object.keys(translations) as readonly Language[];

const languages = new Map(languageCodes.map((code) => [code, complete(translations[code])]));

/** The texts for a payer, and the locale for amounts and dates. */
export interface Speech {
  readonly language: Language;
  /** A BCP 47 tag. It has the payer's region if the browser names one: `pt-PT`. */
  readonly locale: string;
  readonly words: Words;
}

export function wordsOf(language: Language): Words {
  return languages.get(language) ?? en;
}

/** The language: that of the switch (`lang` in the address), else of the browser, else English. */
export function speechOf(ctx: PageContext): Speech {
  const chosen = languageCodes.find((code) => code === ctx.query['lang']);
  const asked = ctx.acceptsLanguages().filter(isLocale);
  const isKnown = (tag: string): boolean => languageCodes.some((code) => code === baseOf(tag));
  const language = chosen ?? languageCodes.find((code) => code === baseOf(asked.find(isKnown) ?? '')) ?? 'en';
  const locale = asked.find((tag) => baseOf(tag) === language) ?? language;
  return { language, locale, words: wordsOf(language) };
}

/** The language of a tag: `pt` of `pt-PT`. */
function baseOf(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? '';
}

/** `Accept-Language` may contain any text. Extensions would change how numbers are written. */
function isLocale(tag: string): boolean {
  return /^[a-z]{2,3}(-[a-z]{4})?(-([a-z]{2}|\d{3}))?$/i.test(tag);
}
