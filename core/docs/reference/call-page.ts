/** Renders the page of one call: what it takes and answers on the left, examples and "try it" on the right. */
import { escapeHtml } from '../../html/escape-html.ts';
import type { OpenApiDocument } from '../../http/openapi/index.ts';
import type { MediaType, RequestBody, Response } from '../../http/openapi/model.ts';
import { renderInline, renderMarkdown } from '../markdown.ts';
import { renderFold, renderTabs } from '../site/code-blocks.ts';
import type { Call } from './operations.ts';
import { callPath } from './operations.ts';
import { bodyOf, exampleOf, examplesOf, samplesOf } from './samples.ts';
import { renderMember, renderMembers, renderType, resolve, schemaName, type SchemaPlace } from './schema.ts';

export interface CallPlace extends SchemaPlace {
  /** The address of a path of the service, relative to the page. */
  readonly to: (target: string) => string;
  readonly publicUrl: string;
}

export function renderCallPage(
  call: Call,
  document: OpenApiDocument,
  others: readonly Call[],
  place: CallPlace,
): string {
  const { operation, method, path, title, scopes } = call;
  // The scope is shown next to the address.
  const description = (operation.description ?? '').replaceAll(/(?:^|\n\n)Scope: `[\w:]+`\./g, '');
  const scope = scopes.map(
    (name) => `<a class="scope" href="${escapeHtml(place.to('/docs/authentication#scopes'))}">${escapeHtml(name)}</a>`,
  );
  return (
    `<div class="call"><div class="text"><h1>${renderInline(title)}</h1>` +
    `<p class="address"><span class="verb ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code> ${scope.join(' ')}${renderTryLink(call)}</p>` +
    renderMarkdown(description, place) +
    (others.length > 0 ? renderProviders(others, place) : '') +
    renderParameters(call, place) +
    (operation.requestBody ? renderBody(operation.requestBody, document, place) : '') +
    renderAnswers(operation.responses, place) +
    `</div><div class="samples">${renderSamples(call, document, place)}${renderTry(call)}</div></div>`
  );
}

/** The providers of this gateway, each of which has a path of its own. */
function renderProviders(calls: readonly Call[], { to }: CallPlace): string {
  const items = calls.map(
    (call) =>
      `<li><a href="${escapeHtml(to(callPath(call)))}"><code>${escapeHtml(call.path)}</code> ${escapeHtml(call.title)}</a></li>`,
  );
  return `<h2 id="providers">Providers of this gateway</h2><ul>${items.join('')}</ul>`;
}

function renderParameters({ parameters }: Call, place: CallPlace): string {
  return (['path', 'query', 'header'] as const)
    .map((kind) => {
      const shown = parameters.filter((one) => one.in === kind);
      if (shown.length === 0) return '';
      const items = shown.map(({ name, required, description, schema }) =>
        renderMember(name, required ? '<b class="required">required</b>' : '', { ...schema, description }, place),
      );
      return `<h2 id="${kind}">${headings[kind]}</h2><ul class="members">${items.join('')}</ul>`;
    })
    .join('');
}

const headings = { path: 'Path', query: 'Query', header: 'Headers' } as const;

/** All content types of a body have the same schema. */
function renderBody(
  { content, required, description }: RequestBody,
  document: OpenApiDocument,
  place: CallPlace,
): string {
  const [media] = Object.values(content);
  if (!media) return '';
  const schema = resolve(media.schema, document.components.schemas);
  const note = required ? '' : '<p>The body may be absent.</p>';
  const members = schema.properties
    ? renderMembers(schema, place)
    : `<p class="type">${renderType(media.schema, place)}</p>`;
  return `<h2 id="body">Body</h2>${note}${description ? `<p>${renderInline(description, place)}</p>` : ''}${members}`;
}

function renderAnswers(responses: Readonly<Record<string, Response>>, place: CallPlace): string {
  const items = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const types = Object.entries(content).map(([type, media]) => renderMedia(type, media, place));
    const look = status.startsWith('2') ? 'good' : 'bad';
    return (
      `<li><p class="member"><span class="status ${look}">${escapeHtml(status)}</span> ${renderProblemCodes(description, place)}</p>` +
      `${types.join('')}</li>`
    );
  });
  return `<h2 id="answers">Answers</h2><ul class="members">${items.join('')}</ul>`;
}

/** `PAY001: …` in the description of a failure leads to the error. */
function renderProblemCodes(description: string, place: CallPlace): string {
  return renderInline(description, place).replaceAll(
    /\b([A-Z]{2,5}\d{3})\b(?=:)/g,
    (code) => `<a href="${escapeHtml(place.to(`/docs/errors#${code}`))}">${code}</a>`,
  );
}

/** Failures all have the same format, which the page of errors explains. */
function renderMedia(type: string, { schema }: MediaType, place: CallPlace): string {
  if (type === 'application/problem+json') return '';
  const content = typeof schema.const === 'string' ? ` <code>${escapeHtml(schema.const)}</code>` : '';
  const named = schemaName(schema) === undefined ? content : ` ${renderType(schema, place)}`;
  return `<p class="type"><code>${escapeHtml(type)}</code>${named}</p>`;
}

function renderSamples(call: Call, document: OpenApiDocument, { publicUrl }: CallPlace): string {
  const { requestBody, responses } = call.operation;
  const media = requestBody?.content['application/json'] ?? Object.values(requestBody?.content ?? {})[0];
  const more = requestBody?.required && media ? examplesOf(media, document.components.examples).slice(1) : [];
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.entries(content))
    .filter(([type]) => type !== 'text/plain')
    .flatMap(([type, one]) => examplesOf(one, document.components.examples).map((example) => ({ type, ...example })));
  return (
    `<h2 class="small">Example</h2>${renderTabs(samplesOf(call, publicUrl), 'sample')}` +
    more
      .map(({ summary, value }) => renderFold(`Body: ${summary}`, { language: 'json', code: toText(value) }))
      .join('') +
    (answers.length > 0 ? '<h2 class="small">Answer</h2>' : '') +
    answers
      .map(({ summary, value, type }, at) => {
        const language = type.endsWith('json') ? 'json' : 'text';
        return renderFold(summary === 'Example' ? type : summary, { language, code: toText(value) }, at === 0);
      })
      .join('')
  );
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** A stream never ends, so it is not offered. */
function canTry({ operation }: Call): boolean {
  return !operation.responses['200']?.content?.['text/event-stream'];
}

/** Leads to the form, which may be below the edge of the window. The script shows it with the form. */
function renderTryLink(call: Call): string {
  return canTry(call) ? ' <a href="#try" data-try hidden>Try it</a>' : '';
}

/** The script shows the form and sends it. */
function renderTry(call: Call): string {
  const { method, path, parameters } = call;
  if (!canTry(call)) return '';
  const fieldsIn = (place: 'path' | 'query'): string[] =>
    parameters
      .filter((one) => one.in === place)
      .map((parameter) => {
        const { name, in: kind } = parameter;
        const value = kind === 'path' ? escapeHtml(exampleOf(parameter)) : '';
        const keeps = kind === 'path' && path.startsWith('/payment-requests/') ? ' data-keeps' : '';
        return (
          `<label>${escapeHtml(name)}<input name="${escapeHtml(name)}" data-in="${kind}" value="${value}"` +
          `${keeps}${kind === 'path' ? ' required' : ''} autocomplete="off"></label>`
        );
      });
  const query = fieldsIn('query');
  const fields =
    fieldsIn('path').join('') +
    (query.length > 0 ? `<details><summary>Query</summary>${query.join('')}</details>` : '');
  const body = bodyOf(call);
  const text = body === undefined ? '' : escapeHtml(JSON.stringify(withoutAddress(body), null, 2));
  const area =
    body === undefined
      ? ''
      : `<label>Body<textarea rows="${Math.min(text.split('\n').length, 12)}" spellcheck="false" autocomplete="off">${text}</textarea></label>`;
  return (
    `<section class="try" hidden data-method="${method}" data-path="${escapeHtml(path)}" aria-labelledby="try">` +
    '<h2 id="try" class="small">Try it</h2><form autocomplete="off">' +
    '<label>Test API key<input name="key" type="password" placeholder="gk_test_…" required autocomplete="off"></label>' +
    `${fields}${area}<button class="main">Send test call</button>` +
    '<p class="hint">Sent to this gateway only, with a new <code>Idempotency-Key</code> each time. Live keys are refused.</p>' +
    '</form><output></output></section>'
  );
}

/** An invented receiver would only produce failed deliveries. */
function withoutAddress(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body;
  const { notifyUrl: _, ...rest } = body as Readonly<Record<string, unknown>>;
  return rest;
}
