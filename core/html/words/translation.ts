/** A translation of the texts. English is used for texts that it lacks. */
import { en, type Words } from './en.ts';

type Partly<T> = T extends string | ((...args: never) => string) ? T : { readonly [K in keyof T]?: Partly<T[K]> };

/** A test fails for every missing text. */
export type Translation = Partly<Words> & Pick<Words, 'name' | 'direction'>;

export function complete(translation: Translation): Words {
  const words = merged(en, translation) as Words;
  return words.direction === 'rtl' ? (isolating(words) as Words) : words;
}

/** Values inside a right-to-left sentence keep their own direction: `Livros, Lda.` keeps its point at the end. */
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
  // A language may have more plural forms than English.
  const keys = Object.keys({ ...english, ...own });
  return Object.fromEntries(keys.map((key) => [key, merged(english[key], own[key])]));
}

function isGroup(words: unknown): words is Readonly<Record<string, unknown>> {
  return typeof words === 'object' && words !== null;
}
