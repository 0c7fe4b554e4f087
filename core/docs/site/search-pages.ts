/** The page of search results, and the page for an address that does not exist. */
import { escapeHtml } from '../../html/escape-html.ts';
import { docsPath, linkFrom } from './addresses.ts';
import type { DocsPage } from './frame.ts';
import type { SearchResult } from './search.ts';

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
  const items = results.map(
    ({ path: target, page, title, excerpt }) =>
      `<li><a href="${escapeHtml(linkFrom(path, target))}">${escapeHtml(title)}</a>` +
      `${title === page ? '' : `<span class="where">${escapeHtml(page)}</span>`}<p>${escapeHtml(excerpt)}</p></li>`,
  );
  const count = results.length === 1 ? '1 result' : `${results.length} results`;
  return `<p>${count} for “${shown}”</p><ul class="found">${items.join('')}</ul>`;
}

/** `near` are pages that the address may have meant. */
export function describeMissing(path: string, near: readonly SearchResult[]): Described {
  const items = near.map(
    ({ path: target, title }) => `<li><a href="${escapeHtml(linkFrom(path, target))}">${escapeHtml(title)}</a></li>`,
  );
  const body =
    '<article><h1>Page not found</h1><p>The documentation has no page at this address. ' +
    'Search for what you need, or choose a page from the list.</p>' +
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
