/** The page of search results, and the page for an address that does not exist. */
import { groupBy } from '../../base/group-by.ts';
import { escapeHtml } from '../../html/escape-html.ts';
import { docsPath, linkFrom } from './addresses.ts';
import type { DocsPage } from './frame.ts';
import { wordsOf, type SearchResult } from './search.ts';

type Described = Omit<DocsPage, 'navigation'>;

export function describeResults(query: string, results: readonly SearchResult[]): Described {
  const path = `${docsPath}/search`;
  const body = `<article><h1>Search</h1>${renderResults(path, query, results)}</article>`;
  return { path, title: 'Search', body, query, layout: 'guide' };
}

function renderResults(path: string, query: string, results: readonly SearchResult[]): string {
  const shown = escapeHtml(query);
  if (query === '') return '<p>Enter what you are looking for, such as <em>refund</em> or <em>PAY001</em>.</p>';
  if (results.length === 0) return `<p>Nothing was found for “${shown}”. Try fewer or other words.</p>`;
  const words = wordsOf(query);
  const item = ({ path: target, title, excerpt }: SearchResult): string =>
    `<li><a href="${escapeHtml(linkFrom(path, target))}">${escapeHtml(title)}</a><p>${markWords(excerpt, words)}</p></li>`;
  const list = (some: readonly SearchResult[]): string => `<ul class="found">${some.map(item).join('')}</ul>`;
  // The page with the best result comes first.
  const groups = [...groupBy(results, ({ page }) => page)].map(([page, ofPage]) => {
    const more = ofPage.slice(shownOfPage);
    const fold = `<details><summary>${more.length} more in ${escapeHtml(page)}</summary>${list(more)}</details>`;
    return `<h2>${escapeHtml(page)}</h2>${list(ofPage.slice(0, shownOfPage))}${more.length > 0 ? fold : ''}`;
  });
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  return `<p>${count} for “${shown}”</p>${groups.join('')}`;
}

/** The results of one page that are not folded. */
const shownOfPage = 3;

/** The text as HTML, in which the words that were searched are marked. */
function markWords(text: string, words: readonly string[]): string {
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll('.', '\\.')).join('|')})`, 'giu');
  // A pattern with one group puts each match at an odd place.
  return text
    .split(pattern)
    .map((part, at) => (at % 2 === 1 ? `<mark>${escapeHtml(part)}</mark>` : escapeHtml(part)))
    .join('');
}

/** `near` are pages that the address may have meant. */
export function describeMissing(path: string, near: readonly SearchResult[]): Described {
  const items = near.map(
    ({ path: target, title }) => `<li><a href="${escapeHtml(linkFrom(path, target))}">${escapeHtml(title)}</a></li>`,
  );
  const body =
    '<article><h1>Page not found</h1><p>The documentation has no page at this address. ' +
    `Search for what you need, or begin at the <a href="${escapeHtml(linkFrom(path, docsPath))}">start page</a>.</p>` +
    `<form class="find" action="${escapeHtml(linkFrom(path, `${docsPath}/search`))}">` +
    `<label for="find">Search the documentation</label><input id="find" type="search" name="q" maxlength="100" ` +
    `value="${escapeHtml(wordsOfAddress(path))}"><button class="main">Search</button></form>` +
    `${items.length > 0 ? `<h2>Did you look for one of these?</h2><ul>${items.join('')}</ul>` : ''}</article>`;
  return { path, title: 'Page not found', body, layout: 'guide' };
}

/** The last part of an address as words: `checkout-link` is `checkout link`. */
export function wordsOfAddress(path: string): string {
  const last = path.split('/').at(-1) ?? '';
  return last
    .replace(/\.\w+$/, '')
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .trim();
}
