/** Searches the documentation. The index is made when the pages are rendered, and is kept in memory. */

export interface SearchEntry {
  /** The path from the root of the service, with the fragment of the section. */
  readonly path: string;
  /** The page, such as `Webhooks`. */
  readonly page: string;
  /** The section; the same as `page` for the beginning of a page. */
  readonly title: string;
  readonly text: string;
  /** Samples of the section, which are found but not quoted. */
  readonly code?: string;
}

export interface SearchResult extends Pick<SearchEntry, 'path' | 'page' | 'title'> {
  /** The part of the text around the first match. */
  readonly excerpt: string;
}

export type Search = (query: string, limit: number) => readonly SearchResult[];

interface Indexed {
  readonly entry: SearchEntry;
  readonly page: string;
  readonly title: string;
  readonly text: string;
  readonly code: string;
}

export const longestQuery = 100;
const excerptLength = 180;

export function createSearch(entries: readonly SearchEntry[]): Search {
  const index: readonly Indexed[] = entries.map((entry) => {
    const { page, title, text, code = '' } = entry;
    return {
      entry,
      page: page.toLowerCase(),
      title: title.toLowerCase(),
      text: text.toLowerCase(),
      code: code.toLowerCase(),
    };
  });
  return (query, limit) => {
    const wanted = wordsOf(query);
    if (wanted.length === 0) return [];
    return index
      .map((one) => ({ entry: one.entry, score: scoreOf(one, wanted, query.trim().toLowerCase()) }))
      .filter(({ score }) => score > 0)
      .toSorted((left, right) => right.score - left.score)
      .slice(0, limit)
      .map(({ entry: { path, page, title, text } }) => ({ path, page, title, excerpt: excerptOf(text, wanted) }));
  };
}

/** The words that every result contains. */
export function wordsOf(query: string): string[] {
  const words =
    query
      .slice(0, longestQuery)
      .toLowerCase()
      .match(/[\p{L}\p{N}_.-]+/gu) ?? [];
  return [...new Set(words)];
}

/**
 * Every word must occur. A word counts more in a title than in text, least in samples, and more at its beginning than
 * inside a word.
 */
function scoreOf({ page, title, text, code }: Indexed, wanted: readonly string[], phrase: string): number {
  let score = title === phrase ? 200 : 0;
  for (const word of wanted) {
    const found = 40 * hit(title, word) + 12 * hit(page, word) + 4 * hit(text, word) + hit(code, word);
    if (found === 0) return 0;
    score += found;
  }
  return score + (text.includes(phrase) || code.includes(phrase) ? 6 : 0);
}

/** 0: the word does not occur. 1: inside another word. 2: at the beginning of a word. 3: the whole word. */
function hit(text: string, word: string): number {
  let best = 0;
  for (let at = text.indexOf(word); at !== -1 && best < 3; at = text.indexOf(word, at + 1)) {
    const isStart = at === 0 || !isLetter(text[at - 1]!);
    const isEnd = at + word.length === text.length || !isLetter(text[at + word.length]!);
    best = Math.max(best, isStart ? (isEnd ? 3 : 2) : 1);
  }
  return best;
}

function isLetter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

function excerptOf(text: string, wanted: readonly string[]): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  const lower = flat.toLowerCase();
  const first = Math.min(...wanted.map((word) => lower.indexOf(word)).filter((at) => at !== -1), flat.length);
  const from = first === flat.length || first < 60 ? 0 : flat.indexOf(' ', first - 60) + 1;
  const start = from > 0 ? '…' : '';
  if (from + excerptLength >= flat.length) return `${start}${flat.slice(from)}`;
  const part = flat.slice(from, from + excerptLength);
  // Whole words only.
  return `${start}${part.slice(0, part.lastIndexOf(' '))}…`;
}
