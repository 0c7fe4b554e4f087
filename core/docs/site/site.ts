/** All pages of the documentation. A page is rendered on the first request, and kept until the adapters change. */
import type { HttpConfig } from '../../http/deps.ts';
import { toMerchantView, type OpenApiDocument } from '../../http/openapi/index.ts';
import { storeText, type StoredText } from '../../html/assets.ts';
import { pageType } from '../../html/page.ts';
import { createIncludes, expandIncludes } from '../includes.ts';
import { renderPageText, type Heading } from '../markdown.ts';
import { renderCallPage, type CallPlace } from '../reference/call-page.ts';
import { isProblemName, renderObjects, renderReferenceIndex } from '../reference/index-page.ts';
import { callPath, createCallFinder, groupCalls, merchantCalls, type Call } from '../reference/operations.ts';
import { apiPath, docsPath, linkFrom, objectsPath, pathOf, placeOf } from './addresses.ts';
import { renderDocsPage, type DocsPage, type NavigationGroup } from './frame.ts';
import type { Guide, GuidePage } from './guide.ts';
import { createSearch, type Search, type SearchResult } from './search.ts';
import { searchEntries, type SearchedPage } from './search-entries.ts';
import { describeMissing, describeResults, wordsOfAddress } from './search-pages.ts';

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

const exampleUrl = 'http://127.0.0.1:8080';

export function createSite(guide: Guide, document: OpenApiDocument, config: HttpConfig): Site {
  const { publicUrl } = config;
  const includes = createIncludes(config, document);
  const calls = merchantCalls(document);
  const shownCalls = calls.filter(({ isOfProvider }) => !isOfProvider);
  const groups = groupCalls(document, shownCalls);
  const shownDocument = documentOf(document, calls);
  const findCall = createCallFinder(calls);
  /** The page of a call, an event type or an object that a text names. */
  const findNamed = (name: string): string | undefined => {
    if (Object.hasOwn(document.webhooks, name)) return `${docsPath}/events#${name}`;
    if (Object.hasOwn(shownDocument.components.schemas, name)) return `${objectsPath}#schema-${name}`;
    return findCall(name);
  };
  const slugs = new Set(guide.pages.map(({ slug }) => slug));
  const guideByPath = new Map([guide.home, ...guide.pages].map((page) => [pathOf(page.slug), page]));
  const callByPath = new Map(calls.map((call) => [callPath(call), call]));
  const pages = new Map<string, StoredText>();

  const guideNavigation: NavigationGroup[] = guide.groups.map(({ title, pages: ofGroup }) => ({
    title,
    links: ofGroup.map(({ slug, title: name }) => ({ path: pathOf(slug), title: name })),
  }));
  const apiNavigation: NavigationGroup[] = [
    {
      title: 'Reference',
      links: [
        { path: apiPath, title: 'Overview' },
        { path: objectsPath, title: 'Objects' },
      ],
    },
    ...groups.map(({ name, calls: ofGroup }) => ({
      title: name,
      links: ofGroup.map((call) => ({ path: callPath(call), title: call.title, mark: call.method })),
    })),
  ];

  /** The source as readers of this gateway see it. */
  const sourceOf = (page: GuidePage): string => expandIncludes(page.source, includes).replaceAll(exampleUrl, publicUrl);
  const placeAt = (path: string) => placeOf(path, (slug) => slugs.has(slug), findNamed);
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
      // The home page shows its lists as cards, where a colon after the title looks wrong.
      body: isHome ? html.replaceAll('</a>: ', '</a> ') : `<article>${html}</article>`,
      description: page.description,
      navigation: guideNavigation,
      headings: isHome ? [] : headings,
      markdownPath: isHome ? `${docsPath}/README.md` : `${path}.md`,
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
      const { html, headings } = renderReferenceIndex(shownDocument, groups, callPlaceAt(path));
      return referencePage(path, 'API reference', html, headings);
    }
    if (path === objectsPath) {
      const { html, headings } = renderObjects(shownDocument, callPlaceAt(path));
      return referencePage(path, 'Objects', html, headings);
    }
    return undefined;
  }

  const guidePages = (): SearchedPage[] =>
    [guide.home, ...guide.pages].map((page) => {
      const path = pathOf(page.slug);
      return { ...page, path, sections: renderPageText(sourceOf(page), placeAt(path)).sections };
    });

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
      search ??= createSearch(searchEntries(calls, shownDocument, guidePages()));
      return search(query, limit);
    },
    renderSearch(query) {
      return renderDocsPage({ ...describeResults(query, this.search(query, 30)), navigation: guideNavigation });
    },
    renderMissing(path) {
      const words = wordsOfAddress(path);
      const isNamed = ({ title }: SearchResult): boolean =>
        words.split(' ').some((word) => title.toLowerCase().includes(word.toLowerCase()));
      const near = words === '' ? [] : this.search(words, 20).filter(isNamed).slice(0, 5);
      return renderDocsPage({ ...describeMissing(path, near), navigation: guideNavigation });
    },
  };
}

/** The merchant's view of the document, with the objects of every call that has a page. */
function documentOf(document: OpenApiDocument, calls: readonly Call[]): OpenApiDocument {
  const view = toMerchantView(document);
  const used = [...JSON.stringify(calls).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
  const { schemas } = document.components;
  const own = Object.fromEntries(used.filter((name) => !isProblemName(name)).map((name) => [name, schemas[name]!]));
  return { ...view, components: { ...view.components, schemas: { ...own, ...view.components.schemas } } };
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
