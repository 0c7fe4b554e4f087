/** All pages of the documentation. A page is rendered when it is first asked for, and kept until the adapters change. */
import type { HttpConfig } from '../../http/deps.ts';
import { toMerchantView, type OpenApiDocument } from '../../http/openapi/index.ts';
import { storeText, type StoredText } from '../../html/assets.ts';
import { pageType } from '../../html/page.ts';
import { createIncludes, expandIncludes } from '../includes.ts';
import { renderMarkdown, renderPageText, type Heading } from '../markdown.ts';
import { renderCallPage, type CallPlace } from '../reference/call-page.ts';
import { isProblemName, objectNames, renderObjects, renderReferenceIndex } from '../reference/index-page.ts';
import { callPath, createCallFinder, groupCalls, merchantCalls, type Call } from '../reference/operations.ts';
import { docsPath, linkFrom, pathOf, placeOf } from './addresses.ts';
import { renderDocsPage, type DocsPage, type NavigationGroup } from './frame.ts';
import type { Guide, GuidePage } from './guide.ts';
import { createSearch, type Search, type SearchEntry } from './search.ts';
import { escapeHtml } from '../../html/escape-html.ts';

export const markdownType = 'text/markdown; charset=utf-8';

export interface Site {
  /** The page at this path; undefined if there is none. */
  page(path: string): StoredText | undefined;
  /** The Markdown of a page of the guide. */
  markdown(path: string): StoredText | undefined;
  /** The list of pages for language models. */
  llms(): StoredText;
  search: Search;
  renderSearch(query: string): string;
  /** A page for an address of the documentation that does not exist. `path` decides the relative addresses. */
  renderMissing(path: string): string;
}

const apiPath = `${docsPath}/api`;
const objectsPath = `${apiPath}/objects`;
const exampleUrl = 'http://127.0.0.1:8080';

export function createSite(guide: Guide, document: OpenApiDocument, config: HttpConfig): Site {
  const { publicUrl } = config;
  const merchantView = toMerchantView(document);
  const includes = createIncludes(config, document);
  const calls = merchantCalls(document);
  const shownCalls = calls.filter(({ isOfProvider }) => !isOfProvider);
  const groups = groupCalls(document, shownCalls);
  const findCall = createCallFinder(calls);
  const slugs = new Set(guide.pages.map(({ slug }) => slug));
  const guideByPath = new Map([guide.home, ...guide.pages].map((page) => [pathOf(page.slug), page]));
  const callByPath = new Map(calls.map((call) => [callPath(call), call]));
  const pages = new Map<string, StoredText>();

  const guideNavigation: NavigationGroup[] = guide.groups.map(({ title, pages: ofGroup }) => ({
    title,
    links: ofGroup.map(({ slug, title: name }) => ({ path: pathOf(slug), title: name })),
  }));
  const apiNavigation: NavigationGroup[] = [
    { title: 'Reference', links: [{ path: apiPath, title: 'Overview' }, { path: objectsPath, title: 'Objects' }] },
    ...groups.map(({ name, calls: ofGroup }) => ({
      title: name,
      links: ofGroup.map((call) => ({ path: callPath(call), title: call.title, mark: call.method })),
    })),
  ];

  /** The source as readers of this gateway see it. */
  const sourceOf = (page: GuidePage): string =>
    expandIncludes(page.source, includes).replaceAll(exampleUrl, publicUrl);
  const placeAt = (path: string) => placeOf(path, (slug) => slugs.has(slug), findCall);
  const callPlaceAt = (path: string): CallPlace => ({
    addressOf: (target) => (/^(https:|#)/.test(target) ? target : linkFrom(path, `/${target}`)),
    addressOfCode: placeAt(path).addressOfCode!,
    to: (target) => linkFrom(path, target),
    schemaAddress: (name) =>
      linkFrom(path, isProblemName(name) ? `${docsPath}/errors#${name}` : `${objectsPath}#schema-${name}`),
    publicUrl,
  });

  function guidePage(path: string, page: GuidePage): DocsPage {
    const { html, headings } = renderPageText(sourceOf(page), placeAt(path));
    const isHome = page === guide.home;
    return {
      path,
      title: page.title,
      body: isHome ? html : `<article>${html}</article>`,
      description: page.description,
      navigation: guideNavigation,
      headings: isHome ? [] : headings,
      markdownPath: isHome ? '/docs/README.md' : `${path}.md`,
      layout: isHome ? 'home' : 'guide',
    };
  }

  function referencePage(path: string, title: string, html: string, headings: readonly Heading[]): DocsPage {
    return { path, title, body: `<article>${html}</article>`, navigation: apiNavigation, headings, layout: 'guide' };
  }

  function callPage(path: string, call: Call): DocsPage {
    const others = call.operation.operationId === 'payH2h' ? calls.filter(({ isOfProvider }) => isOfProvider) : [];
    const body = renderCallPage(call, document, others, callPlaceAt(path));
    return { path, title: call.title, body, navigation: apiNavigation, layout: 'reference' };
  }

  function describePage(path: string): DocsPage | undefined {
    const page = guideByPath.get(path);
    if (page) return guidePage(path, page);
    const call = callByPath.get(path);
    if (call) return callPage(path, call);
    if (path === apiPath) {
      const { html, headings } = renderReferenceIndex(merchantView, groups, callPlaceAt(path));
      return referencePage(path, 'API reference', html, headings);
    }
    if (path === objectsPath) {
      const { html, headings } = renderObjects(merchantView, callPlaceAt(path));
      return referencePage(path, 'Objects', html, headings);
    }
    return undefined;
  }

  let search: Search | undefined;
  return {
    page(path) {
      const known = pages.get(path);
      if (known) return known;
      const described = describePage(path);
      if (!described) return undefined;
      const stored = storeText(renderDocsPage(described), pageType);
      pages.set(path, stored);
      return stored;
    },
    markdown(path) {
      const page = guideByPath.get(path);
      return page && storeText(sourceOf(page), markdownType);
    },
    llms: () => storeText(renderLlms(guide, publicUrl), 'text/plain; charset=utf-8'),
    search(query, limit) {
      search ??= createSearch(searchEntries());
      return search(query, limit);
    },
    renderSearch(query) {
      const path = `${docsPath}/search`;
      const found = this.search(query, 30);
      const items = found.map(
        ({ path: target, page, title, excerpt }) =>
          `<li><a href="${escapeHtml(linkFrom(path, target))}">${escapeHtml(title)}</a>` +
          `${title === page ? '' : `<span class="where">${escapeHtml(page)}</span>`}<p>${escapeHtml(excerpt)}</p></li>`,
      );
      const count = found.length === 1 ? '1 result' : `${found.length} results`;
      const text =
        query === ''
          ? '<p>Enter what you are looking for, such as <em>refund</em> or <em>PAY001</em>.</p>'
          : found.length === 0
            ? `<p>Nothing was found for “${escapeHtml(query)}”. Try fewer or other words.</p>`
            : `<p>${count} for “${escapeHtml(query)}”</p><ul class="found">${items.join('')}</ul>`;
      const body = `<article><h1>Search</h1>${text}</article>`;
      return renderDocsPage({ path, title: 'Search', body, navigation: guideNavigation, query, layout: 'guide' });
    },
    renderMissing(path) {
      const words = decodeWords(path);
      const near = words === '' ? [] : this.search(words, 5);
      const items = near.map(
        ({ path: target, title }) => `<li><a href="${escapeHtml(linkFrom(path, target))}">${escapeHtml(title)}</a></li>`,
      );
      const body =
        '<article><h1>Page not found</h1><p>The documentation has no page at this address. ' +
        'Search for what you need, or choose a page from the list.</p>' +
        `${items.length > 0 ? `<h2>Did you look for one of these?</h2><ul>${items.join('')}</ul>` : ''}</article>`;
      return renderDocsPage({ path, title: 'Page not found', body, navigation: guideNavigation, layout: 'guide' });
    },
  };

  function searchEntries(): SearchEntry[] {
    const ofGuide = [guide.home, ...guide.pages].flatMap((page): SearchEntry[] => {
      const path = pathOf(page.slug);
      const { sections } = renderPageText(sourceOf(page), placeAt(path));
      return sections.flatMap(({ heading, text }) => {
        const isStart = heading === null || heading.depth === 1;
        if (heading === null && text.trim() === '') return [];
        return [
          {
            path: isStart ? path : `${path}#${heading.id}`,
            page: page.title,
            title: isStart ? page.title : heading.text,
            text: isStart ? `${page.description} ${text}` : text,
          },
        ];
      });
    });
    const ofCalls = calls.map((call): SearchEntry => {
      const { operation, method, path, title } = call;
      const text = `${method} ${path} ${operation.operationId} ${toText(operation.description ?? '')}`;
      return { path: callPath(call), page: 'API reference', title, text };
    });
    const ofObjects = objectNames(merchantView).map((name): SearchEntry => {
      const { description = '', properties = {} } = merchantView.components.schemas[name]!;
      const members = Object.entries(properties).map(([member, schema]) => `${member} ${schema.description ?? ''}`);
      const text = `${description} ${members.join(' ')}`;
      return { path: `${objectsPath}#schema-${name}`, page: 'Objects', title: name, text };
    });
    return [...ofGuide, ...ofCalls, ...ofObjects];
  }
}

/** The last part of an address as words, such as `web-hooks` as `web hooks`. */
function decodeWords(path: string): string {
  const last = path.replace(/\/$/, '').split('/').at(-1) ?? '';
  return last.replace(/\.\w+$/, '').replaceAll(/[^A-Za-z0-9]+/g, ' ').trim();
}

/** The text of a description, without its marks. */
function toText(source: string): string {
  return renderMarkdown(source).replaceAll(/<[^>]+>/g, '');
}

/** https://llmstxt.org */
function renderLlms(guide: Guide, publicUrl: string): string {
  const groups = guide.groups.map(({ title, pages }) => {
    const links = pages.map(
      ({ slug, title: name, description }) => `- [${name}](${publicUrl}/docs/${slug}.md): ${description}`,
    );
    return `## ${title}\n\n${links.join('\n')}`;
  });
  return [
    '# Paywright',
    '> A self-hosted payment gateway: merchants call one API, and the gateway pays through many providers.',
    ...groups,
    `## Reference\n\n- [OpenAPI document](${publicUrl}/openapi.json): every call, field, answer and notification`,
    '',
  ].join('\n\n');
}
