/** Serves the OpenAPI document and the documentation. The pages load nothing from other hosts. */
import { Router } from '@koa/router';
import { notFound } from '../base/errors.ts';
import type { AdapterEntry, HttpDeps } from '../http/deps.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import {
  createPostmanCollection,
  toMerchantView,
  type DocumentFacts,
  type OpenApiDocument,
} from '../http/openapi/index.ts';
import { revalidated, sendStored, sendText, serveAssets, storeText, type StoredText } from '../html/assets.ts';
import { pageType } from '../html/page.ts';
import type { Ctx, RequestState, RouteStep } from '../http/state.ts';
import { assetFolder, docsScript, docsStyle } from './site/assets.ts';
import { docsPolicy } from './site/frame.ts';
import { readGuide } from './site/guide.ts';
import { longestQuery } from './site/search.ts';
import { createSite, type Site } from './site/site.ts';

interface DocsDeps extends Pick<HttpDeps, 'config' | 'adapters' | 'notifications' | 'reports' | 'now'> {
  readonly keyless: KeylessBudgets;
  readonly createDocument: (facts: DocumentFacts) => OpenApiDocument;
}

const resultsWhileTyping = 8;

export function docsRoutes(deps: DocsDeps): Router<RequestState> {
  // Without `strict`, an address with a slash at its end is found too, and redirected.
  const router = new Router<RequestState>({ sensitive: true });
  const guide = readGuide();
  const images = new Map<string, StoredText>(
    Array.from(guide.images, ([name, text]) => [name, storeText(text, 'image/svg+xml')] as const),
  );
  const read = createReader(deps, (document) => createSite(guide, document, deps.config));
  router.use(countKeyless(deps.keyless), withoutLastSlash);

  const sendRevalidated = (ctx: Ctx, text: StoredText): void => {
    ctx.set('Cache-Control', revalidated);
    sendStored(ctx, text);
  };
  router.get('/', async (ctx) => redirect(ctx, 'docs'));
  router.get('/openapi.json', async (ctx) => {
    sendRevalidated(ctx, Object.hasOwn(ctx.query, 'all') ? read().complete : read().merchant);
  });
  router.get('/docs/postman.json', async (ctx) => sendRevalidated(ctx, read().postman));
  router.get('/llms.txt', async (ctx) => sendRevalidated(ctx, read().site.llms()));
  serveAssets(router, assetFolder, [docsStyle, docsScript]);

  router.get('/docs/search', async (ctx) => {
    const { site } = read();
    const query = toQuery(ctx.query['q']);
    ctx.vary('Accept');
    if (ctx.accepts('html', 'json') === 'json') {
      ctx.body = { results: site.search(query, resultsWhileTyping) };
    } else sendPage(ctx, 200, site.renderSearch(query));
  });

  router.get('/docs/images/:name', async (ctx) => {
    const image = images.get(ctx.params['name'] ?? '');
    if (!image) throw notFound('this address');
    sendRevalidated(ctx, image);
  });
  router.get(['/docs', '/docs/api/:page', '/docs/*page'], async (ctx) => {
    const { site } = read();
    const [, markdownPath] = /^(.*)\.md$/.exec(ctx.path) ?? [];
    const path = markdownPath === '/docs/README' ? '/docs' : (markdownPath ?? ctx.path);
    const wantsMarkdown = markdownPath !== undefined || ctx.accepts('html', 'text/markdown') === 'text/markdown';
    const text = (wantsMarkdown && site.markdown(path)) || (markdownPath === undefined && site.page(path));
    if (!text) {
      // A program gets the problem that it gets everywhere.
      if (ctx.accepts('html', 'json') !== 'html') throw notFound('this address');
      return sendPage(ctx, 404, site.renderMissing(ctx.path));
    }
    ctx.vary('Accept');
    ctx.set('Content-Security-Policy', docsPolicy);
    return sendRevalidated(ctx, text);
  });
  return router;
}

function redirect(ctx: Ctx, location: string): void {
  ctx.status = 302;
  ctx.set('Location', location);
  ctx.body = '';
  ctx.remove('Content-Type');
}

const withoutLastSlash: RouteStep = async (ctx, next) => {
  if (ctx.path === '/' || !ctx.path.endsWith('/')) return next();
  const name = ctx.path.split('/').at(-2);
  if (!name) throw notFound('this address');
  redirect(ctx, `../${name}`);
};

function sendPage(ctx: Ctx, status: number, html: string): void {
  ctx.status = status;
  ctx.set({ 'Content-Security-Policy': docsPolicy, 'X-Robots-Tag': 'noindex' });
  sendText(ctx, Buffer.from(html));
  ctx.type = pageType;
}

function toQuery(given: string | string[] | undefined): string {
  const [text = ''] = [given ?? ''].flat();
  return text.slice(0, longestQuery).trim();
}

const jsonType = 'application/json';

interface Rendered {
  /** The OpenAPI document of everything, and its view for merchants. */
  readonly complete: StoredText;
  readonly merchant: StoredText;
  readonly postman: StoredText;
  readonly site: Site;
}

/** Renders and compresses the document again only if the adapters changed. */
function createReader(
  { config, adapters = () => [], notifications, reports, now, createDocument }: DocsDeps,
  createPages: (document: OpenApiDocument) => Site,
): () => Rendered {
  let rendered: Rendered | undefined;
  let shown: readonly AdapterEntry[] = [];
  return () => {
    const present = adapters();
    if (!rendered || !isSame(shown, present)) {
      shown = present.map(({ state, adapter }) => ({ state, adapter }));
      const document = createDocument({
        config,
        adapters: present,
        hasNotifications: notifications !== undefined,
        hasReports: reports !== undefined,
        now: now(),
      });
      rendered = {
        complete: storeText(JSON.stringify(document), jsonType),
        merchant: storeText(JSON.stringify(toMerchantView(document)), jsonType),
        postman: storeText(JSON.stringify(createPostmanCollection(document, config.publicUrl)), jsonType),
        site: createPages(document),
      };
    }
    return rendered;
  };
}

function isSame(left: readonly AdapterEntry[], right: readonly AdapterEntry[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ state, adapter }, at) => state === right[at]?.state && adapter === right[at].adapter)
  );
}
