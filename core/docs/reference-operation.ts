/** Renders one call of the API, or one notification, as HTML. */
import type { OpenApiDocument } from '../http/openapi/index.ts';
import type { MediaType, Operation, Parameter, RequestBody, Response } from '../http/openapi/model.ts';
import { renderInline, renderMarkdown } from './markdown.ts';
import { escapeHtml } from '../html/escape-html.ts';
import { renderSchema, renderType } from './reference-schema.ts';

type Components = OpenApiDocument['components'];

export interface Call {
  /** Absent for a notification, which has no path. */
  readonly path?: string;
  readonly verb: 'GET' | 'POST';
  readonly operation: Operation;
}

/** The call is folded. A link to its id unfolds it. */
export function renderCall({ path, verb, operation }: Call, components: Components, publicUrl: string): string {
  const { operationId, summary, description, requestBody, responses } = operation;
  const name = path === undefined ? '' : `<b class="verb">${verb}</b> <code>${escapeHtml(path)}</code> `;
  return (
    `<details class="call"><summary>${name}${renderInline(summary)}</summary><div id="${escapeHtml(operationId)}">` +
    (description ? renderMarkdown(description) : '') +
    renderParameters(operation, components) +
    (requestBody ? renderBody(requestBody, path === undefined ? undefined : { path, publicUrl, operation }) : '') +
    `<h4>Answers</h4>${renderResponses(responses)}</div></details>`
  );
}

function renderParameters({ parameters = [] }: Operation, components: Components): string {
  const rows = parameters.map((given) => {
    const {
      name,
      in: place,
      required,
      description,
      schema,
    } = '$ref' in given ? resolve(given.$ref, components) : given;
    return (
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${place}${required ? ', <b>required</b>' : ''}</td>` +
      `<td>${renderType(schema)}</td><td>${renderInline(description)}</td></tr>`
    );
  });
  if (rows.length === 0) return '';
  const head = '<tr><th>Name</th><th>In</th><th>Type</th><th>Meaning</th></tr>';
  return `<h4>Parameters</h4><table>${head}${rows.join('')}</table>`;
}

function resolve(reference: string, { parameters }: Components): Parameter {
  return parameters[reference.slice('#/components/parameters/'.length)]!;
}

interface Target {
  readonly path: string;
  readonly publicUrl: string;
  readonly operation: Operation;
}

/** All content types of a body have the same schema, so the first one is shown. */
function renderBody({ content, required, description }: RequestBody, target: Target | undefined): string {
  const types = Object.keys(content);
  const [type = '', media] = Object.entries(content)[0] ?? [];
  const names = types.map((one) => `<code>${escapeHtml(one)}</code>`).join(', ');
  const examples = media ? examplesOf(media) : [];
  const shown = examples.map(({ summary, value }) => {
    const text = target ? curlOf(target, type, value) : JSON.stringify(value, null, 2);
    return `<details><summary>Example: ${escapeHtml(summary)}</summary><pre>${escapeHtml(text)}</pre></details>`;
  });
  const { schema } = media ?? {};
  return (
    `<h4>Body</h4><p>${names}${required ? '' : '; may be absent'}</p>` +
    (description ? `<p>${renderInline(description)}</p>` : '') +
    (schema ? (schema.properties ? renderSchema(schema) : `<p>${renderType(schema)}</p>`) : '') +
    shown.join('')
  );
}

interface ShownExample {
  readonly summary: string;
  readonly value: unknown;
}

function examplesOf({ example, examples = {} }: MediaType): ShownExample[] {
  const named = Object.values(examples).flatMap((one) => ('$ref' in one ? [] : [one]));
  return [...(example === undefined ? [] : [{ summary: 'one', value: example }]), ...named];
}

/** A command for a shell, with the API key in `$KEY`. */
function curlOf({ path, publicUrl, operation }: Target, type: string, value: unknown): string {
  const { parameters = [], security } = operation;
  const [id] = parameters.flatMap((one) => ('name' in one && one.in === 'path' ? [String(one.example)] : []));
  const body = type.endsWith('json')
    ? JSON.stringify(value, null, 2)
    : String(new URLSearchParams(value as Record<string, string>));
  return [
    `curl -i ${publicUrl}${path.replace(/\{\w+\}/, id ?? '')}`,
    ...(security?.length === 0 ? [] : [`  -H "X-API-Key: $KEY"`]),
    `  -H 'Content-Type: ${type}'`,
    `  -d '${body.replaceAll("'", `'\\''`)}'`,
  ].join(' \\\n');
}

function renderResponses(responses: Readonly<Record<string, Response>>): string {
  const rows = Object.entries(responses).map(([status, { description, content = {}, headers = {} }]) => {
    const names = Object.keys(headers).map((name) => `<code>${escapeHtml(name)}</code>`);
    return (
      `<tr><td>${escapeHtml(status)}</td><td>${renderInline(description)}` +
      (names.length > 0 ? `<details><summary>Headers</summary>${names.join(', ')}</details>` : '') +
      `</td><td>${Object.entries(content).map(renderMedia).join('<br>')}</td></tr>`
    );
  });
  return `<table><tr><th>Status</th><th>Meaning</th><th>Body</th></tr>${rows.join('')}</table>`;
}

function renderMedia([type, { schema, examples = {} }]: [type: string, media: MediaType]): string {
  const references = Object.values(examples).flatMap((one) => ('$ref' in one ? [one.$ref.split('/').at(-1)!] : []));
  const links = references.map((name) => `<a href="#example-${escapeHtml(name)}">${escapeHtml(name)}</a>`);
  const shown = links.length > 0 ? ` (examples: ${links.join(', ')})` : '';
  return `<code>${escapeHtml(type)}</code> ${renderType(schema)}${shown}`;
}
