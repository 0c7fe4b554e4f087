/**
 * The part of the OpenAPI document that merchants need: their calls, their notifications, and what these refer to.
 *
 * Code generators read this view, so it is simpler than the complete document in two ways. `payH2h` stands for the
 * addresses of all providers, and every error has one schema, because most generators merge or refuse a choice of
 * twenty.
 */
import { schemaRef, type JsonSchema } from './json-schema.ts';
import type { Example, MediaType, OpenApiDocument, Operation, PathItem } from './model.ts';
import { toOneProblem } from './one-problem.ts';

export function toMerchantView(document: OpenApiDocument): OpenApiDocument {
  const groups = document['x-tagGroups'].filter(({ name }) => name === merchantGroup);
  const tags = new Set(groups.flatMap((group) => group.tags));
  const isMerchants = ({ tags: own }: Operation): boolean => own.every((tag) => tags.has(tag));
  const paths = Object.entries(document.paths).filter(
    ([path, { get, post }]) => !isOfOneProvider(path) && [get, post].every((one) => !one || isMerchants(one)),
  );
  const { schemas, examples } = document.components;
  const kinds = Object.entries(schemas).filter(([name]) => isErrorCode(name));
  return prune({
    ...document,
    tags: document.tags.filter(({ name }) => tags.has(name)),
    'x-tagGroups': groups,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, mapOperations(item, withOneProblem)])),
    components: {
      ...document.components,
      schemas: {
        ...Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, replaceKinds(schema)])),
        ...toOneProblem(Object.fromEntries(kinds)),
      },
      examples: { ...examples, ...Object.fromEntries(kinds.map(([code, schema]) => [code, exampleOf(schema)])) },
    },
  });
}

/** The group of the tags of merchants. */
export const merchantGroup = 'For merchants';

const schemaPlace = '#/components/schemas/';
const problem = schemaRef('Problem');

/** True for the schema of a kind of error, which has the name of its code. */
export function isErrorCode(schemaName: string): boolean {
  return /^[A-Z0-9]+\d{3}$/.test(schemaName);
}

/** `/payments/h2h/11`: `/payments/h2h/{id}` describes it as well. */
function isOfOneProvider(path: string): boolean {
  return /^\/payments\/h2h\/\d+$/.test(path);
}

function mapOperations({ get, post, ...item }: PathItem, map: (operation: Operation) => Operation): PathItem {
  return { ...item, ...(get && { get: map(get) }), ...(post && { post: map(post) }) };
}

function withOneProblem(operation: Operation): Operation {
  const responses = Object.entries(operation.responses).map(([status, { content, ...response }]) => {
    const media = Object.entries(content ?? {}).map(([type, one]) => [type, asProblem(one)] as const);
    return [status, { ...response, ...(content && { content: Object.fromEntries(media) }) }] as const;
  });
  return { ...operation, responses: Object.fromEntries(responses) };
}

/** The schema of all errors, with an example of each kind that the answer may have. */
function asProblem(media: MediaType): MediaType {
  const codes = kindsIn(media.schema);
  if (codes.length === 0) return media;
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return { schema: problem, examples: Object.fromEntries(examples) };
}

/** The codes of the kinds of error that a schema is a choice of. */
function kindsIn({ $ref, oneOf = $ref === undefined ? [] : [{ $ref }] }: JsonSchema): string[] {
  const names = oneOf.map((one) => one.$ref?.slice(schemaPlace.length) ?? '');
  return names.every(isErrorCode) ? names : [];
}

function replaceKinds(schema: JsonSchema): JsonSchema {
  if (kindsIn(schema).length > 0) return problem;
  const { properties } = schema;
  if (!properties) return schema;
  const replaced = Object.entries(properties).map(([name, member]) => [name, replaceKinds(member)]);
  return { ...schema, properties: Object.fromEntries(replaced) as Record<string, JsonSchema> };
}

function exampleOf({ title = '', examples = [] }: JsonSchema): Example {
  return { summary: title, value: examples[0] };
}

type Components = OpenApiDocument['components'];

/** Removes the components that no operation refers to, directly or through other components. */
function prune(document: OpenApiDocument): OpenApiDocument {
  const { components, ...roots } = document;
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      const place = `${kind}/${name}`;
      if (used.has(place)) continue;
      used.add(place);
      visit(components[kind as keyof Components][name]);
    }
  };
  visit(roots);
  const kept = Object.entries(components).map(([kind, byName]) => {
    const isUsed = ([name]: [string, unknown]): boolean => kind === 'securitySchemes' || used.has(`${kind}/${name}`);
    return [kind, Object.fromEntries(Object.entries(byName as object).filter(isUsed))];
  });
  return { ...document, components: Object.fromEntries(kept) as Components };
}
