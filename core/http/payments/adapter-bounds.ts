/** Reads from an adapter's manifest what the OpenAPI document needs: narrowed bounds, and a unit for its examples. */
import * as v from 'valibot';
import type { AdapterManifest } from '../deps.ts';
import type { JsonSchema } from '../openapi/json-schema.ts';

/** Converts an example body to a unit that the adapter accepts and that its bounds allow. */
export function inOwnUnit({ units, currencies, bounds }: AdapterManifest, body: object): object {
  const known = units ? Object.keys(units) : Array.isArray(currencies) ? (currencies as readonly string[]) : ['EUR'];
  const bodies = [...known.filter((unit) => unit === 'EUR'), ...known].map((unit) => ({ ...body, unit }));
  return bodies.find((one) => !bounds || v.safeParse(bounds, one).success) ?? bodies[0] ?? body;
}

/**
 * Describes a manifest's `bounds`: as text with one sentence per narrowed field, and as JSON Schema where possible
 * (patterns, and what the adapter adds with `v.metadata`).
 */
export function narrowed(
  bounds: v.GenericSchema | undefined,
  base: JsonSchema,
): { readonly schema: JsonSchema; readonly notes: readonly string[] } {
  const fields = Object.entries(entriesOf(bounds)).map(([name, schema]) => [name, rulesOf(schema)] as const);
  const notes = fields.flatMap(([name, { words }]) => words.map((word) => `\`${name}\` ${word}.`));
  const described = fields.filter(([, { schema }]) => Object.keys(schema).length > 0);
  if (described.length === 0) return { schema: base, notes };
  const properties = Object.fromEntries(described.map(([name, { schema }]) => [name, schema]));
  return { schema: { allOf: [base, { type: 'object', properties }] }, notes };
}

type Part = v.BaseSchema<unknown, unknown, v.BaseIssue<unknown>> | v.PipeItem<unknown, unknown, v.BaseIssue<unknown>>;

/** The fields of an object schema, with or without a pipe around it. */
function entriesOf(schema: v.GenericSchema | undefined): Readonly<Record<string, v.GenericSchema>> {
  const [object] = partsOf(schema);
  return object && 'entries' in object ? (object.entries as Record<string, v.GenericSchema>) : {};
}

function partsOf(schema: v.GenericSchema | undefined): readonly Part[] {
  if (!schema) return [];
  return 'pipe' in schema ? (schema.pipe as readonly Part[]) : [schema];
}

function rulesOf(field: v.GenericSchema): { readonly words: readonly string[]; readonly schema: JsonSchema } {
  const inner = 'wrapped' in field ? (field.wrapped as v.GenericSchema) : field;
  const parts = partsOf(inner);
  return {
    words: parts.flatMap((part) => ('message' in part && typeof part.message === 'string' ? [part.message] : [])),
    schema: Object.assign({}, ...parts.map(toSchema)) as JsonSchema,
  };
}

function toSchema(part: Part): JsonSchema {
  if (part.type === 'regex' && 'requirement' in part && part.requirement instanceof RegExp && !part.requirement.flags) {
    return { type: 'string', pattern: part.requirement.source };
  }
  return part.type === 'metadata' && 'metadata' in part ? (part.metadata as JsonSchema) : {};
}
