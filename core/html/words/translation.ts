/** Another language than English: as far as it has words, with English for those that it lacks. */
import { en, type Words } from './en.ts';

type Partly<T> = T extends string | ((...args: never) => string) ? T : { readonly [K in keyof T]?: Partly<T[K]> };

/** A test fails for every word that is missing. */
export type Translation = Partly<Words> & Pick<Words, 'name' | 'direction'>;

export function complete(translation: Translation): Words {
  const words = merged(en, translation) as Words;
  return words.direction === 'rtl' ? (isolating(words) as Words) : words;
}

/** What a sentence from right to left is about keeps its own direction: `Livros, Lda.` its point at the end. */
function isolating(words: unknown): unknown {
  if (typeof words === 'function') {
    const say = words as (...args: readonly string[]) => string;
    return (...args: readonly string[]) => say(...args.map((arg) => `\u2068${arg}\u2069`));
  }
  if (!isGroup(words)) return words;
  return Object.fromEntries(Object.entries(words).map(([key, word]) => [key, isolating(word)]));
}

function merged(english: unknown, own: unknown): unknown {
  if (own === undefined) return english;
  if (!isGroup(english) || !isGroup(own)) return own;
  // A language may have more plurals than English.
  const keys = Object.keys({ ...english, ...own });
  return Object.fromEntries(keys.map((key) => [key, merged(english[key], own[key])]));
}

function isGroup(words: unknown): words is Readonly<Record<string, unknown>> {
  return typeof words === 'object' && words !== null;
}
