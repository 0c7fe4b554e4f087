/** The pages of the documentation: the interface's document, rendered, and all errors. */
import { hash } from '@gateway/contract';
import { declineReasons, errorKinds } from '../../errors.ts';
import type { ErrorKind } from '../../errors.ts';
import { currentVersion, deprecatedVersion } from '../middleware/versions.ts';
import { explanations } from '../openapi/index.ts';
import type { Ctx } from '../state.ts';
import { escapeHtml, sendPage } from './page.ts';

const style =
  'body{margin:0}.about{font:1rem/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1.25rem;color:#222}' +
  '.about a{color:#064}';

const digest = hash('sha256', style).toString('base64');
// The renderer draws its icons from data addresses, and reads the document from here.
const policy =
  "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; script-src 'self'; " +
  `style-src 'self' 'sha256-${digest}'; img-src 'self' data:; connect-src 'self'`;

const { version, supportEnded } = deprecatedVersion;
const about =
  '<main class="about"><h1>The interface</h1>' +
  '<p><a href="openapi.json">The document</a> (OpenAPI 3.1) · <a href="docs/errors">All errors</a> · ' +
  '<a href="#versions">Versions</a></p>' +
  '<section id="versions"><h2>Versions</h2>' +
  `<p>The version is ${currentVersion}. Every address of merchants is served bare and under <code>/v2</code>; ` +
  `the header <code>X-API-Version</code> may name <code>${currentVersion}</code> or <code>${version}</code>.</p>` +
  `<p>${version} is past its support since ${supportEnded}. It still works: every answer carries ` +
  '<code>Deprecation</code>, <code>Sunset</code> and <code>Warning</code>, and its owner is told once a day by ' +
  '<code>api.version.deprecated</code>. To move on, send no such header, or ' +
  `<code>${currentVersion}</code>: all 2.x versions are compatible. Any other version is ` +
  '<a href="docs/errors#VER001">VER001</a>.</p></section></main>';

/** Relative addresses, so that it works below a prefix too. */
export function sendDocsPage(ctx: Ctx): void {
  ctx.status = 200;
  ctx.set('Content-Security-Policy', policy);
  ctx.body =
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width,initial-scale=1"><title>Payment gateway: the interface</title>' +
    '<link rel="icon" href="docs/assets/favicon-32x32.png"><link rel="stylesheet" href="docs/assets/swagger-ui.css">' +
    `<style>${style}</style></head><body>${about}<div id="interface"></div>` +
    '<script src="docs/assets/swagger-ui-bundle.js"></script><script src="docs/assets/start.js"></script></body></html>';
  ctx.type = 'text/html; charset=utf-8';
}

/** The renderer's settings. No address but ours: it would show a badge of a public validator. */
export const startScript =
  "SwaggerUIBundle({url:'openapi.json',dom_id:'#interface',deepLinking:true,docExpansion:'list'," +
  'defaultModelsExpandDepth:0,validatorUrl:null})';

/** `/docs/errors#AUTH001` is the `type` of a problem. */
export function sendErrorsPage(ctx: Ctx): void {
  const kinds = Object.keys(errorKinds) as ErrorKind[];
  const intro =
    '<p>Every failure is one body, <code>application/problem+json</code>. <code>code</code> and <code>error</code> ' +
    'never change their meaning; words may.</p>';
  sendPage(ctx, 200, { title: 'Errors', body: intro + kinds.map(describeKind).join('') + declines });
}

function describeKind(kind: ErrorKind): string {
  const { code, status, title } = errorKinds[kind];
  const { meaning, cure, details } = explanations[kind];
  const members = Object.entries(details.properties ?? {}).map(
    ([name, { description = '' }]) => `<li><code>${name}</code>: ${toHtml(description)}</li>`,
  );
  const list = members.length > 0 ? `<p>In <code>details</code>:</p><ul>${members.join('')}</ul>` : '';
  return (
    `<section id="${code}"><h2>${code} ${kind}</h2><p><strong>${escapeHtml(title)}</strong> · HTTP ${status}</p>` +
    `<p>${toHtml(meaning)} ${toHtml(cure)}</p>${list}</section>`
  );
}

const reasons = Object.entries(declineReasons)
  .toSorted(([left], [right]) => (left < right ? -1 : 1))
  .map(([code, words]) => `<li><code>${code}</code> ${words}</li>`);
const declines = `<section id="declines"><h2>Decline codes</h2><ul>${reasons.join('')}</ul></section>`;

/** Text whose names stand between backquotes. */
function toHtml(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
