/**
 * Renders the API reference as one page, made from the OpenAPI document. The page has no script, names no other host
 * and uses relative addresses, so that it works under every host name and behind a path prefix.
 */
import { hash } from '@paywright/contract';
import { groupBy } from '../base/group-by.ts';
import { currentVersion, deprecatedVersion } from '../http/middleware/versions.ts';
import type { OpenApiDocument } from '../http/openapi/index.ts';
import type { Ctx } from '../http/state.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { revalidated, sendStored, type StoredText } from '../html/assets.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { renderCall } from './reference-operation.ts';
import type { Call } from './reference-operation.ts';
import { renderSchema } from './reference-schema.ts';

const style =
  ':root{color-scheme:light dark}body{margin:0;font:1rem/1.5 system-ui,sans-serif;display:grid;' +
  'grid-template-columns:minmax(14rem,20rem) minmax(0,1fr)}' +
  'nav{position:sticky;top:0;height:100vh;overflow:auto;box-sizing:border-box;padding:1rem;font-size:.85rem;' +
  'border-right:1px solid #8884}nav ul{list-style:none;margin:0 0 .8rem;padding:0}nav li{margin:.15rem 0}' +
  'nav a{text-decoration:none}nav h2{font-size:1rem;margin:1rem 0 .3rem}nav h3{font-size:.85rem;margin:.6rem 0 .2rem}' +
  'main{padding:1rem 2rem 50vh;max-width:70rem}h2{margin-top:3rem}h4{margin:1rem 0 .3rem}' +
  'code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{overflow:auto;padding:.8rem;background:#8882}' +
  'table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;' +
  'padding:.3rem .6rem .3rem 0;border-bottom:1px solid #8883}td:first-child{white-space:nowrap}td code{overflow-wrap:anywhere}' +
  '.call{border:1px solid #8884;border-radius:.4rem;margin:.5rem 0;padding:.4rem .8rem}' +
  'summary{cursor:pointer}.verb{display:inline-block;min-width:3rem;color:#076}:target{scroll-margin-top:3rem}' +
  '@media(max-width:50rem){body{display:block}nav{position:static;height:auto;border:0}main{padding:0 1rem}}';

const digest = hash('sha256', style).toString('base64');
const policy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  `style-src 'sha256-${digest}'; img-src data:`;

const { version, supportEnded } = deprecatedVersion;
const versions =
  '<section id="versions"><h2>Versions</h2>' +
  `<p>The version is ${currentVersion}. Every path for merchants is served with and without the prefix <code>/v2</code>; ` +
  `the header <code>X-API-Version</code> may name <code>${currentVersion}</code> or <code>${version}</code>.</p>` +
  `<p>The support of ${version} ended on ${supportEnded}. It still works: every answer carries ` +
  '<code>Deprecation</code>, <code>Sunset</code> and <code>Warning</code>, and you are notified once a day by ' +
  '<code>api.version.deprecated</code>. To upgrade, send no such header, or ' +
  `<code>${currentVersion}</code>: all 2.x versions are compatible. Any other version is ` +
  '<a href="docs/errors#VER001">VER001</a>.</p></section>';

export function sendReferencePage(ctx: Ctx, page: StoredText): void {
  ctx.set({ 'Content-Security-Policy': policy, 'Cache-Control': revalidated });
  sendStored(ctx, page);
}

/** Renders the whole page. `publicUrl` is the address in the example calls. */
export function renderReferencePage(document: OpenApiDocument, publicUrl: string): string {
  const { info, components, tags } = document;
  const { title, summary, description } = info;
  const callsByTag = callsOf(document);
  const groups = document['x-tagGroups'].map((group) => ({
    name: group.name,
    tags: tags.filter(({ name }) => group.tags.includes(name) && callsByTag.has(name)),
  }));

  const menu = groups.map(
    (group) =>
      `<h2>${escapeHtml(group.name)}</h2>` +
      group.tags.map(({ name }) => `<h3>${escapeHtml(name)}</h3>${renderMenu(callsByTag.get(name)!)}`).join(''),
  );
  const sections = groups.map((group) =>
    group.tags
      .map(
        (tag) =>
          `<section><h2 id="${anchorOf(tag.name)}">${escapeHtml(tag.name)}</h2><p>${renderInline(tag.description)}</p>` +
          `${callsByTag
            .get(tag.name)!
            .map((call) => renderCall(call, components, publicUrl))
            .join('')}</section>`,
      )
      .join(''),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) =>
    fold(`schema-${name}`, name, renderSchema(schema)),
  );
  const examples = Object.entries(components.examples).map(([name, example]) =>
    fold(`example-${name}`, example.summary, `<pre>${escapeHtml(JSON.stringify(example.value, null, 2))}</pre>`),
  );

  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width,initial-scale=1">' +
    `<title>${escapeHtml(title)}: the interface</title><link rel="icon" href="data:,"><style>${style}</style></head>` +
    `<body><nav><a href="#top">${escapeHtml(title)} ${escapeHtml(info.version)}</a>${menu.join('')}` +
    '<h2>More</h2><ul><li><a href="#schemas">Schemas</a></li><li><a href="#examples">Examples of answers</a></li>' +
    '<li><a href="#versions">Versions</a></li><li><a href="docs/errors">All errors</a></li>' +
    '<li><a href="openapi.json">The OpenAPI document</a></li>' +
    '<li><a href="docs/postman.json">A Postman collection</a></li></ul></nav>' +
    `<main id="top"><h1>${escapeHtml(title)}</h1><p>${escapeHtml(summary)}</p>${renderMarkdown(description)}` +
    sections.join('') +
    `<section><h2 id="schemas">Schemas</h2>${schemas.join('')}</section>` +
    `<section><h2 id="examples">Examples of answers</h2>${examples.join('')}</section>${versions}</main></body></html>`
  );
}

/** Calls and notifications by tag, in the order of the document. */
function callsOf({ paths, webhooks }: OpenApiDocument): ReadonlyMap<string, readonly Call[]> {
  const calls = Object.entries(paths).flatMap(([path, { get, post }]): Call[] => [
    ...(post ? [{ path, verb: 'POST' as const, operation: post }] : []),
    ...(get ? [{ path, verb: 'GET' as const, operation: get }] : []),
  ]);
  const notifications = Object.values(webhooks).flatMap(({ post }): Call[] =>
    post ? [{ verb: 'POST', operation: post }] : [],
  );
  const tagged = [...calls, ...notifications].flatMap((call) => call.operation.tags.map((tag) => ({ tag, call })));
  const byTag = groupBy(tagged, ({ tag }) => tag);
  return new Map(Array.from(byTag, ([tag, ofTag]) => [tag, ofTag.map(({ call }) => call)]));
}

function renderMenu(calls: readonly Call[]): string {
  const items = calls.map(
    ({ operation: { operationId, summary } }) =>
      `<li><a href="#${escapeHtml(operationId)}">${renderInline(summary)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

/** A link to the id inside the section unfolds it. */
function fold(id: string, title: string, body: string): string {
  return `<details class="call"><summary>${escapeHtml(title)}</summary><div id="${escapeHtml(id)}">${body}</div></details>`;
}

function anchorOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
}
