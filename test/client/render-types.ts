/** Renders the document's schemas and calls as TypeScript types. */
import type { JsonSchema } from '../../core/http/openapi/json-schema.ts';
import type { MerchantOperation } from '../../core/http/openapi/merchant-operations.ts';
import type { OpenApiDocument } from '../../core/http/index.ts';

const schemaPlace = '#/components/schemas/';
const tab = '  ';

/** An interface if possible, otherwise a type alias. */
export function renderDeclaration(name: string, schema: JsonSchema): string {
  const type = renderType(schema);
  const head = renderComment(schema.description, '');
  return type.startsWith('{') ? `${head}export interface ${name} ${type}` : `${head}export type ${name} = ${type};`;
}

/** Throws on a kind of schema that the document did not use before. */
export function renderType(schema: JsonSchema, indent = ''): string {
  const { $ref, oneOf, anyOf = oneOf, allOf, type } = schema;
  if (allOf) throw new Error(`no type is known for ${JSON.stringify(schema)}`);
  if ($ref !== undefined) return $ref.slice(schemaPlace.length);
  if (anyOf) return union(anyOf.map((one) => renderType(one, indent)));
  const types = [type ?? 'unknown'].flat();
  return union(types.map((one) => (one === 'null' ? 'null' : renderOne(one, schema, indent))));
}

function renderOne(type: string, schema: JsonSchema, indent: string): string {
  const { items = {}, enum: values = 'const' in schema ? [schema.const] : undefined } = schema;
  if (values) return union(values.filter((value) => value !== null).map(renderLiteral));
  switch (type) {
    case 'integer':
      return 'number';
    case 'number':
      // An amount: the client reads and writes it as decimal text.
      return 'string';
    case 'array': {
      const element = renderType(items, indent);
      return `readonly ${/^\w+$/.test(element) ? element : `(${element})`}[]`;
    }
    case 'object':
      return renderObject(schema, indent);
    default:
      return type;
  }
}

function renderObject(
  { properties, required = [], additionalProperties, maxProperties }: JsonSchema,
  indent: string,
): string {
  if (!properties) {
    const value =
      maxProperties === 0
        ? 'never'
        : typeof additionalProperties === 'object'
          ? renderType(additionalProperties)
          : 'unknown';
    return `Readonly<Record<string, ${value}>>`;
  }
  const inner = indent + tab;
  const members = Object.entries(properties).map(([name, schema]) => {
    const isOptional = !required.includes(name);
    const type = renderType(schema, inner);
    const member = `${inner}readonly ${name}${isOptional ? '?' : ''}: ${type}${isOptional ? ' | undefined' : ''};`;
    return `${renderComment(schema.description, inner)}${member}\n`;
  });
  return `{\n${members.join('')}${indent}}`;
}

/** `unknown` next to other types means input that the service accepts only in order to refuse it. */
function union(types: readonly string[]): string {
  const known = types.filter((type) => type !== 'unknown');
  return known.length > 0 ? [...new Set(known)].join(' | ') : 'unknown';
}

function renderLiteral(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : String(value);
}

/** Breaks a line at spaces into lines of at most `width` characters, except for a longer word. */
function wrap(line: string, width: number): string[] {
  const lines: string[] = [''];
  for (const word of line.split(' ')) {
    const last = lines.at(-1)!;
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const commentWidth = 120;

function renderComment(text: string | undefined, indent: string): string {
  if (!text) return '';
  const escaped = text.replaceAll('*/', '*\\/');
  const oneLine = `${indent}/** ${escaped} */`;
  if (!escaped.includes('\n') && oneLine.length <= commentWidth) return `${oneLine}\n`;
  const lines = escaped.split('\n').flatMap((line) => wrap(line, commentWidth - indent.length - ' * '.length));
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */\n`].join('\n');
}

/**
 * `payByCard(id: number, body: CardPayment, options?: WriteOptions): Promise<PaymentAnswer>;`, and a second method if
 * the answer can also be CSV.
 */
export function renderCall({ method, operation, parameters }: MerchantOperation): string {
  const { operationId, summary, description, requestBody, responses } = operation;
  const ids = parameters.filter((one) => one.in === 'path').map(({ name, schema }) => `${name}: ${renderType(schema)}`);
  const query = parameters.filter((one) => one.in === 'query');
  const queryType = renderType(
    {
      type: 'object',
      properties: Object.fromEntries(query.map(({ name, schema, description }) => [name, { ...schema, description }])),
    },
    tab,
  );
  const body =
    requestBody &&
    `body${requestBody.required ? '' : '?'}: ${renderType(requestBody.content['application/json']!.schema)}`;
  const options = `options?: ${method === 'POST' ? 'WriteOptions' : 'CallOptions'}${query.length > 0 ? `<${queryType}>` : ''}`;
  const given = [...ids, ...(body ? [body] : []), options].join(', ');
  const answer = renderType(responses['200']!.content!['application/json']!.schema);
  const words = [`${summary}.`, description].filter(Boolean).join('\n\n');
  const renderMethod = (name: string, text: string, result: string): string =>
    `${renderComment(text, tab)}${tab}${name}(${given}): Promise<${result}>;\n`;
  const csv = hasCsv(operation)
    ? renderMethod(csvName(operation), `${summary}, as CSV with a header line.`, 'string')
    : '';
  return renderMethod(operationId, words, answer) + csv;
}

export function hasCsv({ responses }: MerchantOperation['operation']): boolean {
  return responses['200']?.content?.['text/csv'] !== undefined;
}

export function csvName({ operationId }: MerchantOperation['operation']): string {
  return `${operationId}Csv`;
}

/** The names of all schemas that a part of the document refers to. */
export function schemasOf(part: unknown, { components }: OpenApiDocument): ReadonlySet<string> {
  const found = new Set<string>();
  const collect = (within: unknown): void => {
    for (const [, place = '', name = ''] of JSON.stringify(within).matchAll(
      /"\$ref":"(#\/components\/\w+\/)([^"]+)"/g,
    )) {
      if (place !== schemaPlace || found.has(name)) continue;
      found.add(name);
      collect(components.schemas[name]);
    }
  };
  collect(part);
  return found;
}

/** The names of all members that are amounts. */
export function amountsOf(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const own = 'properties' in part ? Object.entries(part.properties as Record<string, JsonSchema>) : [];
  const amounts = own.filter(([, { type }]) => [type].flat().includes('number')).map(([name]) => name);
  return [...amounts, ...Object.values(part).flatMap(amountsOf)];
}
