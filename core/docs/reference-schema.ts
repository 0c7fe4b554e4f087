/** Renders a JSON Schema as a table. */
import type { JsonSchema } from '../http/openapi/json-schema.ts';
import { renderInline } from './markdown.ts';
import { escapeHtml } from '../html/escape-html.ts';

const refPrefix = '#/components/schemas/';

/** Shows name, type, bounds and description of every member. A schema without members is one line. */
export function renderSchema(schema: JsonSchema): string {
  const { properties, required = [], description } = schema;
  const intro = description ? `<p>${renderInline(description)}</p>` : '';
  if (!properties) return `${intro}<p>${renderType(schema)}</p>`;
  const rows = Object.entries(properties).map(([name, member]) => {
    const presence = required.includes(name) ? '<b>required</b>' : 'optional';
    return (
      `<tr><td><code>${escapeHtml(name)}</code></td><td>${renderType(member)}, ${presence}</td>` +
      `<td>${renderInline(member.description ?? '')}${renderMembers(member)}</td></tr>`
    );
  });
  return `${intro}<table><tr><th>Member</th><th>Type</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

/** Renders the members of an object inside an object. */
function renderMembers(schema: JsonSchema): string {
  if (!schema.properties) return '';
  const { description: _, ...rest } = schema;
  return `<details><summary>Members</summary>${renderSchema(rest)}</details>`;
}

/** Describes a type, such as `text, 2–14 characters`, or links to named schemas. */
export function renderType(schema: JsonSchema): string {
  const { $ref, allOf, anyOf, oneOf, items, type, enum: values, const: only } = schema;
  if ($ref) return linkTo($ref.slice(refPrefix.length));
  const choices = anyOf ?? oneOf;
  if (choices) return [...new Set(choices.map(renderType))].join(' or ');
  if (allOf) return allOf.map((part) => (part.$ref ? renderType(part) : 'narrowed as above')).join(', ');
  if (only !== undefined) return `<code>${escapeHtml(JSON.stringify(only))}</code>`;
  if (values) return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  if (items) return `list of ${renderType(items)}`;
  const types = [type ?? 'anything'].flat().map((name) => typeNames[name] ?? name);
  return escapeHtml([types.join(' or '), ...boundsOf(schema)].join(', '));
}

function linkTo(name: string): string {
  return `<a href="#schema-${escapeHtml(name)}">${escapeHtml(name)}</a>`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
};

function boundsOf({ minLength, maxLength, minimum, maximum, exclusiveMinimum, format, ...more }: JsonSchema): string[] {
  const lengths =
    minLength !== undefined && maxLength !== undefined
      ? minLength === maxLength
        ? `${minLength} characters`
        : `${minLength}–${maxLength} characters`
      : minLength !== undefined
        ? `at least ${minLength} characters`
        : maxLength !== undefined
          ? `at most ${maxLength} characters`
          : undefined;
  const range =
    minimum !== undefined && maximum !== undefined
      ? `${minimum}–${maximum}`
      : minimum !== undefined
        ? `${minimum} or more`
        : maximum !== undefined
          ? `at most ${maximum}`
          : undefined;
  const bounds = [
    lengths,
    range,
    exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`,
    format && formatNames[format],
    more.maxItems === undefined ? undefined : `at most ${more.maxItems} entries`,
    more.default === undefined ? undefined : `${JSON.stringify(more.default)} unless given`,
  ];
  return bounds.filter((bound) => bound !== undefined && bound !== '') as string[];
}

const formatNames: Readonly<Record<string, string>> = {
  date: 'a day',
  'date-time': 'a time of ISO 8601',
  email: 'an e-mail address',
  uri: 'an address',
};
