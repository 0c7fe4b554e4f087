/** Renders the first page of the reference, and the page of all objects. */
import { escapeHtml } from '../../html/escape-html.ts';
import type { OpenApiDocument } from '../../http/openapi/index.ts';
import { renderInline, renderMarkdown, type Heading } from '../markdown.ts';
import { renderCode } from '../site/code-blocks.ts';
import type { CallPlace } from './call-page.ts';
import { callPath, type Call, type CallGroup } from './operations.ts';
import { renderMembers, renderType } from './schema.ts';

export interface RenderedReference {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Every call has the anchor that it had when the reference was one page. */
export function renderReferenceIndex(
  document: OpenApiDocument,
  groups: readonly CallGroup[],
  place: CallPlace,
): RenderedReference {
  const { info } = document;
  const { to } = place;
  const headings: Heading[] = [];
  const heading = (id: string, text: string): string => {
    headings.push({ depth: 2, id, text });
    return `<h2 id="${id}">${escapeHtml(text)}</h2>`;
  };
  const basics = heading('basics', 'Basics');
  const sections = groups.map(
    ({ name, description, calls }) =>
      `${heading(anchorOf(name), name)}<p>${renderInline(description, place)}</p>` +
      `<ul class="calls">${calls.map((call) => renderCallLink(call, place)).join('')}</ul>`,
  );
  const events = Object.keys(document.webhooks).map(
    (type) => `<li><a href="${escapeHtml(to(`/docs/events#${type}`))}"><code>${escapeHtml(type)}</code></a></li>`,
  );
  const objects = objectNames(document).map(
    (name) =>
      `<li id="schema-${escapeHtml(name)}"><a href="${escapeHtml(place.schemaAddress(name))}"><code>${escapeHtml(name)}</code></a></li>`,
  );
  const html =
    '<h1 id="top">API reference</h1>' +
    `<p class="lead">${escapeHtml(info.summary)}</p>` +
    `${basics}${renderMarkdown(info.description, place)}` +
    renderCode({
      language: 'sh',
      code: `curl ${place.publicUrl}/payment-requests \\\n  -H "X-API-Key: $KEY" \\\n  -H 'Accept: application/json'`,
    }) +
    sections.join('') +
    `${heading('tag-webhooks', 'Webhooks')}<p>Notifications that the gateway sends to you, each with an example.</p><ul class="names">${events.join('')}</ul>` +
    `${heading('schemas', 'Objects')}<p>The objects in bodies and answers.</p><ul class="names">${objects.join('')}</ul>` +
    `${heading('downloads', 'Downloads')}<ul><li><a href="${escapeHtml(to('/openapi.json'))}">The OpenAPI 3.1 document</a></li>` +
    `<li><a href="${escapeHtml(to('/docs/postman.json'))}">A Postman collection</a></li></ul>`;
  return { html, headings };
}

function renderCallLink(call: Call, place: CallPlace): string {
  const { method, path, operation, title } = call;
  return (
    `<li id="${escapeHtml(operation.operationId)}"><a href="${escapeHtml(place.to(callPath(call)))}">` +
    `<span class="verb ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code> ` +
    `<span class="what">${escapeHtml(title)}</span></a></li>`
  );
}

/** Named schemas, without those of errors: the page of errors explains them. */
export function objectNames({ components }: OpenApiDocument): readonly string[] {
  return Object.keys(components.schemas)
    .filter((name) => !isProblemName(name))
    .toSorted();
}

export function isProblemName(name: string): boolean {
  return /^[A-Z]{2,5}\d{3}$/.test(name);
}

export function renderObjects(document: OpenApiDocument, place: CallPlace): RenderedReference {
  const { schemas } = document.components;
  const names = objectNames(document);
  const sections = names.map((name) => {
    const schema = schemas[name]!;
    const id = `schema-${escapeHtml(name)}`;
    const about = schema.description ? `<p>${renderInline(schema.description, place)}</p>` : '';
    const content = schema.properties
      ? renderMembers(schema, place)
      : `<p class="type">${renderType(schema, place)}</p>`;
    return (
      `<section><h2 id="${id}">${escapeHtml(name)} <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(name)}">#</a></h2>` +
      `${about}${content}</section>`
    );
  });
  return {
    html: `<h1 id="top">Objects</h1><p class="lead">The named objects in bodies, answers and notifications.</p>${sections.join('')}`,
    headings: names.map((name) => ({ depth: 2, id: `schema-${name}`, text: name })),
  };
}

function anchorOf(tag: string): string {
  return `tag-${tag.toLowerCase().replaceAll(' ', '-')}`;
}
