/** Renders a JSON Schema as a list of members. */
import type { JsonSchema } from '../../http/openapi/json-schema.ts';
import { escapeHtml } from '../../html/escape-html.ts';
import { renderInline, type MarkdownPlace } from '../markdown.ts';

const refPrefix = '#/components/schemas/';

export type Schemas = Readonly<Record<string, JsonSchema>>;

/** What the rendering of a schema needs to know about its page. */
export interface SchemaPlace extends MarkdownPlace {
  /** The address of a named schema. */
  readonly schemaAddress: (name: string) => string;
}

export function schemaName({ $ref }: JsonSchema): string | undefined {
  return $ref?.startsWith(refPrefix) ? $ref.slice(refPrefix.length) : undefined;
}

/** Follows a reference to the schema that it names. */
export function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const name = schemaName(schema);
  return name === undefined ? schema : (schemas[name] ?? schema);
}

/** Shows name, type, bounds and description of every member, required members first. */
export function renderMembers(schema: JsonSchema, place: SchemaPlace): string {
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).toSorted(
    ([left], [right]) => Number(required.includes(right)) - Number(required.includes(left)),
  );
  const items = members.map(([name, member]) => {
    const presence = required.includes(name) ? '<b class="required">required</b>' : '';
    return renderMember(name, presence, member, place);
  });
  return `<ul class="members">${items.join('')}</ul>`;
}

/** One member, or one parameter of a call. */
export function renderMember(name: string, presence: string, schema: JsonSchema, place: SchemaPlace): string {
  const { description = '' } = schema;
  return (
    `<li><p class="member"><code>${escapeHtml(name)}</code> <span class="type">${renderType(schema, place)}</span> ${presence}</p>` +
    (description ? `<p>${renderInline(description, place)}</p>` : '') +
    renderInner(schema, place) +
    '</li>'
  );
}

/** Renders the members of an object inside an object. */
function renderInner(schema: JsonSchema, place: SchemaPlace): string {
  const inner = schema.properties ? schema : schema.items?.properties ? schema.items : undefined;
  if (!inner) return '';
  return `<details class="inner"><summary>Members</summary>${renderMembers(inner, place)}</details>`;
}

/** Describes a type, such as `text, 2–14 characters`, or links to named schemas. */
export function renderType(schema: JsonSchema, place: SchemaPlace): string {
  const { allOf, anyOf, oneOf, items, type, enum: values, const: only } = schema;
  const name = schemaName(schema);
  if (name !== undefined) return `<a href="${escapeHtml(place.schemaAddress(name))}">${escapeHtml(name)}</a>`;
  const choices = anyOf ?? oneOf;
  if (choices) return [...new Set(choices.map((one) => renderType(one, place)))].join(' or ');
  if (allOf) return allOf.map((part) => (part.$ref ? renderType(part, place) : 'narrowed as above')).join(', ');
  if (only !== undefined) return `<code>${escapeHtml(JSON.stringify(only))}</code>`;
  if (values) return values.map((value) => `<code>${escapeHtml(JSON.stringify(value))}</code>`).join(' ');
  if (items) return `list of ${renderType(items, place)}`;
  const types = [type ?? 'any JSON value'].flat().map((one) => typeNames[one] ?? one);
  return escapeHtml([types.join(' or '), ...boundsOf(schema)].join(', '));
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
};

function boundsOf({ minLength, maxLength, minimum, maximum, exclusiveMinimum, format, ...more }: JsonSchema): string[] {
  const bounds = [
    rangeOf(minLength, maxLength, ' characters'),
    rangeOf(minimum, maximum, ''),
    exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`,
    format && formatNames[format],
    more.maxItems === undefined ? undefined : `at most ${more.maxItems} entries`,
    more.default === undefined ? undefined : `default ${JSON.stringify(more.default)}`,
  ];
  return bounds.filter((bound) => bound !== undefined && bound !== '') as string[];
}

function rangeOf(from: number | undefined, to: number | undefined, unit: string): string | undefined {
  if (from !== undefined && to !== undefined) return from === to ? `${from}${unit}` : `${from}–${to}${unit}`;
  if (from !== undefined) return `at least ${from}${unit}`;
  return to === undefined ? undefined : `at most ${to}${unit}`;
}

const formatNames: Readonly<Record<string, string>> = {
  date: 'a date',
  'date-time': 'ISO 8601 time',
  email: 'an email address',
  uri: 'a URL',
};
