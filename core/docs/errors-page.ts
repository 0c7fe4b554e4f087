/** The page of all errors and decline codes. The `type` of every problem leads to it. */
import { declineReasons } from '@paywright/contract';
import { html } from '@remix-run/html-template';
import { errorKinds } from '../base/errors.ts';
import type { ErrorKind } from '../base/errors.ts';
import type { HttpConfig } from '../http/deps.ts';
import { explainErrors } from '../http/openapi/index.ts';
import type { Explanations } from '../http/openapi/index.ts';
import { wordsOf } from '../html/words/index.ts';
import type { Ctx } from '../http/state.ts';
import { renderInline } from './markdown.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { revalidated, sendStored, storeText, type StoredText } from '../html/assets.ts';
import { pageType, renderPage, setPageHeaders, type Page } from '../html/page.ts';

/** `/docs/errors#AUTH001` is the `type` of the problem AUTH001. The page is rendered once. */
export function createErrorsPage(config: HttpConfig): (ctx: Ctx) => void {
  const page = errorsPage(config);
  let stored: StoredText | undefined;
  return (ctx) => {
    setPageHeaders(ctx, page);
    ctx.set('Cache-Control', revalidated);
    stored ??= storeText(renderPage(ctx, page), pageType);
    sendStored(ctx, stored);
  };
}

function errorsPage(config: HttpConfig): Page {
  const explanations = explainErrors(config);
  const kinds = Object.keys(errorKinds) as ErrorKind[];
  const intro =
    '<p>Every failure is one body, <code>application/problem+json</code>. <code>code</code> and <code>error</code> ' +
    'never change their meaning; texts may.</p>';
  return {
    title: 'Errors',
    layout: 'text',
    speech: { language: 'en', locale: 'en', words: wordsOf('en') },
    body: html.raw`<main><h1>Errors</h1>${intro}${kinds.map((kind) => describeKind(kind, explanations[kind]))}${declines}</main>`,
  };
}

function describeKind(kind: ErrorKind, { meaning, cure, details }: Explanations[ErrorKind]): string {
  const { code, status, title } = errorKinds[kind];
  const members = Object.entries(details.properties ?? {}).map(
    ([name, { description = '' }]) => `<li><code>${name}</code>: ${renderInline(description)}</li>`,
  );
  const list = members.length > 0 ? `<p>In <code>details</code>:</p><ul>${members.join('')}</ul>` : '';
  return (
    `<section id="${code}"><h2>${code} ${kind}</h2><p><strong>${escapeHtml(title)}</strong> · HTTP ${status}</p>` +
    `<p>${renderInline(meaning)} ${renderInline(cure)}</p>${list}</section>`
  );
}

const reasons = Object.entries(declineReasons)
  .toSorted(([left], [right]) => (left < right ? -1 : 1))
  .map(([code, words]) => `<li><code>${code}</code> ${words}</li>`);
const declines = `<section id="declines"><h2>Decline codes</h2><ul>${reasons.join('')}</ul></section>`;
