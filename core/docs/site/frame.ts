/** The frame of every page of the documentation: header with search, navigation, content, and the list of sections. */
import { escapeHtml } from '../../html/escape-html.ts';
import { icon } from '../../html/icon.ts';
import type { Heading } from '../markdown.ts';
import { docsScript, docsStyle } from './assets.ts';
import { linkFrom } from './addresses.ts';

export interface NavigationLink {
  /** The path from the root of the service. */
  readonly path: string;
  readonly title: string;
  /** A short mark in front of the title, such as the method of a call. */
  readonly mark?: string;
}

export interface NavigationGroup {
  readonly title: string;
  readonly links: readonly NavigationLink[];
}

export interface DocsPage {
  /** The path of the page. Relative addresses begin here. */
  readonly path: string;
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly description?: string;
  readonly navigation: readonly NavigationGroup[];
  /** Headings for the list of sections. Absent: the page has none. */
  readonly headings?: readonly Heading[];
  /** The Markdown of the page, if it is a page of the guide. */
  readonly markdownPath?: string;
  /** Shown in the search field. */
  readonly query?: string;
  /** `guide` is text to read; `home` has cards; `reference` has examples next to the text. */
  readonly layout: 'guide' | 'home' | 'reference';
}

/** Only our own address: no inline style or script, and forms that post or search here. */
export const docsPolicy =
  "default-src 'none'; base-uri 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; " +
  "form-action 'self'; frame-ancestors 'none'";

const areas = [
  { path: '/docs', title: 'Guide' },
  { path: '/docs/api', title: 'API reference' },
  { path: '/docs/events', title: 'Events' },
  { path: '/docs/errors', title: 'Errors' },
] as const;

export function renderDocsPage(page: DocsPage): string {
  const { path, title, body, description, layout } = page;
  const to = (target: string): string => escapeHtml(linkFrom(path, target));
  const about = description ? `<meta name="description" content="${escapeHtml(description)}">` : '';
  const source = page.markdownPath ? `<link rel="alternate" type="text/markdown" href="${to(page.markdownPath)}">` : '';
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)} · Paywright docs</title>${about}` +
    `<link rel="stylesheet" href="${to(`/${docsStyle.path}`)}"><link rel="icon" href="${to(`/${icon.path}`)}">${source}` +
    `<script src="${to(`/${docsScript.path}`)}" defer></script></head>` +
    `<body class="${layout}" data-root="${to('/')}">` +
    `<a class="skip" href="#content">Skip to content</a>${renderHeader(page, to)}` +
    `<div class="columns">${renderNavigation(page, to)}` +
    `<main id="content" tabindex="-1">${body}${renderNeighbours(page, to)}</main>${renderSections(page)}</div>` +
    `</body></html>`
  );
}

type To = (target: string) => string;

function renderHeader({ path, query = '', navigation, headings = [] }: DocsPage, to: To): string {
  const area = areas.findLast((one) => path === one.path || path.startsWith(`${one.path}/`));
  const links = areas.map((one) => {
    const current = one === area ? ' aria-current="true"' : '';
    return `<li><a href="${to(one.path)}"${current}>${one.title}</a></li>`;
  });
  const menus =
    (navigation.length > 0 ? '<button type="button" popovertarget="menu">Menu</button>' : '') +
    (headings.length > 1 ? '<button type="button" popovertarget="sections">On this page</button>' : '');
  return (
    `<header class="top"><a class="brand" href="${to('/docs')}"><img src="${to(`/${icon.path}`)}" alt="" width="24" height="24">` +
    `<span>Paywright <b>Docs</b></span></a><nav aria-label="Documentation"><ul>${links.join('')}</ul></nav>` +
    `<form role="search" action="${to('/docs/search')}"><label class="hidden" for="q">Search the documentation</label>` +
    `<input id="q" type="search" name="q" value="${escapeHtml(query)}" maxlength="100" placeholder="Search" autocomplete="off">` +
    `<button>Search</button></form></header>${menus === '' ? '' : `<div class="menus">${menus}</div>`}`
  );
}

/** On a narrow screen the navigation is a popover, which needs no script. */
function renderNavigation({ path, navigation }: DocsPage, to: To): string {
  if (navigation.length === 0) return '';
  const groups = navigation.map(({ title, links }) => {
    const items = links.map((link) => {
      const current = link.path === path ? ' aria-current="page"' : '';
      const mark = link.mark === undefined ? '' : `<span class="verb ${link.mark.toLowerCase()}">${link.mark}</span> `;
      return `<li><a href="${to(link.path)}"${current}>${mark}${escapeHtml(link.title)}</a></li>`;
    });
    return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`;
  });
  return `<nav class="side" id="menu" popover aria-label="Pages">${groups.join('')}</nav>`;
}

function renderSections({ headings = [] }: DocsPage): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3);
  if (shown.length < 2) return '';
  const items = shown.map(
    ({ depth, id, text }) =>
      `<li class="depth-${depth}"><a href="#${escapeHtml(id)}">${escapeHtml(text).replaceAll('_', '_<wbr>')}</a></li>`,
  );
  return (
    '<nav class="sections" id="sections" popover aria-label="On this page"><h2>On this page</h2>' +
    `<ul>${items.join('')}</ul></nav>`
  );
}

/** Links to the previous and the next page of the navigation. */
function renderNeighbours({ path, navigation, layout }: DocsPage, to: To): string {
  if (layout === 'home') return '';
  const links = navigation.flatMap((group) => group.links);
  const at = links.findIndex((link) => link.path === path);
  if (at === -1) return '';
  const link = (one: NavigationLink | undefined, rel: 'prev' | 'next', label: string): string =>
    one === undefined
      ? ''
      : `<a rel="${rel}" href="${to(one.path)}"><small>${label}</small> ${escapeHtml(one.title)}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(links[at - 1], 'prev', 'Previous')}${link(links[at + 1], 'next', 'Next')}</nav>`;
}
