/** The interface's document, and the pages that show it; nothing of them comes from elsewhere. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Router } from '@koa/router';
import { notFound } from '../../errors.ts';
import type { AdapterStanding, HttpDeps } from '../deps.ts';
import { createDocument } from '../openapi/index.ts';
import { sendDocsPage, sendErrorsPage, startScript } from '../pages/docs-page.ts';
import type { RequestState } from '../state.ts';

const { resolve } = createRequire(import.meta.url);
const renderer = 'swagger-ui-dist';

/** Files of the renderer that its page needs. */
const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

type DocsDeps = Pick<HttpDeps, 'config' | 'adapters' | 'notifications' | 'reports' | 'now'>;

export function docsRoutes(deps: DocsDeps): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });
  const readDocument = createReader(deps);
  const files = new Map<string, Buffer>();

  router.get('/openapi.json', async (ctx) => {
    ctx.body = readDocument();
    ctx.type = 'application/json';
  });
  router.get('/docs', async (ctx) => sendDocsPage(ctx));
  router.get('/docs/errors', async (ctx) => sendErrorsPage(ctx));

  router.get('/docs/assets/start.js', async (ctx) => {
    ctx.body = startScript;
    ctx.type = 'text/javascript; charset=utf-8';
  });

  router.get('/docs/assets/:file', async (ctx) => {
    const name = ctx.params['file'] ?? '';
    const type = Object.hasOwn(assets, name) ? assets[name] : undefined;
    if (!type) throw notFound('this address');
    const file = files.get(name) ?? (await readFile(resolve(`${renderer}/${name}`)));
    files.set(name, file);
    ctx.body = file;
    ctx.type = type;
    ctx.set('Cache-Control', 'public, max-age=3600');
  });

  return router;
}

/** Made anew only when the adapters changed. */
function createReader({ config, adapters = () => [], notifications, reports, now }: DocsDeps): () => string {
  let standing: readonly AdapterStanding[] | undefined;
  let text = '';
  return () => {
    const present = adapters();
    if (!standing || !isSame(standing, present)) {
      standing = present.map(({ state, adapter }) => ({ state, adapter }));
      text = JSON.stringify(
        createDocument({
          ...config,
          adapters: present,
          hasNotifications: notifications !== undefined,
          hasReports: reports !== undefined,
          now: now(),
        }),
      );
    }
    return text;
  };
}

function isSame(left: readonly AdapterStanding[], right: readonly AdapterStanding[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ state, adapter }, at) => state === right[at]?.state && adapter === right[at].adapter)
  );
}
