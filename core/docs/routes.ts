/** Serves the OpenAPI document and the pages that show it. The pages load nothing from other hosts. */
import { Router } from '@koa/router';
import type { AdapterEntry, HttpDeps } from '../http/deps.ts';
import { countKeyless, type KeylessBudgets } from '../http/keyless.ts';
import {
  createPostmanCollection,
  toMerchantView,
  type DocumentFacts,
  type OpenApiDocument,
} from '../http/openapi/index.ts';
import { revalidated, sendStored, storeText, type StoredText } from '../html/assets.ts';
import { pageType } from '../html/page.ts';
import { createErrorsPage } from './errors-page.ts';
import { renderReferencePage, sendReferencePage } from './reference-page.ts';
import type { RequestState } from '../http/state.ts';

interface DocsDeps extends Pick<HttpDeps, 'config' | 'adapters' | 'notifications' | 'reports' | 'now'> {
  readonly keyless: KeylessBudgets;
  readonly createDocument: (facts: DocumentFacts) => OpenApiDocument;
}

export function docsRoutes(deps: DocsDeps): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const read = createReader(deps);
  const sendErrors = createErrorsPage(deps.config);
  router.use(countKeyless(deps.keyless));

  router.get('/', async (ctx) => {
    ctx.status = 302;
    ctx.set('Location', 'docs');
    ctx.body = '';
    ctx.remove('Content-Type');
  });
  router.get('/openapi.json', async (ctx) => {
    ctx.set('Cache-Control', revalidated);
    sendStored(ctx, Object.hasOwn(ctx.query, 'all') ? read().complete : read().merchant);
  });
  router.get('/docs/postman.json', async (ctx) => {
    ctx.set('Cache-Control', revalidated);
    sendStored(ctx, read().postman);
  });
  router.get('/docs', async (ctx) => sendReferencePage(ctx, read().html));
  router.get('/docs/errors', async (ctx) => sendErrors(ctx));

  return router;
}

const jsonType = 'application/json';

interface Rendered {
  /** The OpenAPI document of everything, and its view for merchants. */
  readonly complete: StoredText;
  readonly merchant: StoredText;
  readonly postman: StoredText;
  readonly html: StoredText;
}

/** Renders and compresses the document again only if the adapters changed. */
function createReader({
  config,
  adapters = () => [],
  notifications,
  reports,
  now,
  createDocument,
}: DocsDeps): () => Rendered {
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
        html: storeText(renderReferencePage(document, config.publicUrl), pageType),
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
