/** Converts a table of fields into the JSON Schema of a body. */
import type { Bounds, FieldTable } from '../input/field-table.ts';
import { instant } from '../input/query.ts';
import { schemaRef, type JsonSchema } from './json-schema.ts';

// Wider than the patterns of the reader, so that the regular expressions of every tool can read them.
const emailPattern = '^[^\\s@]+@[^\\s@]+$';
const urlPattern = '^[Hh][Tt][Tt][Pp][Ss]?://\\S+$';

/**
 * The schemas of a body and of the objects in it, by name. Members that the table does not name are ignored, so the
 * schemas allow them.
 */
export function toBodySchemas(name: string, fields: FieldTable, description?: string): Record<string, JsonSchema> {
  const inner = Object.values(fields).map((bounds) =>
    bounds.type === 'object' ? toBodySchemas(bounds.schema, bounds.fields) : {},
  );
  return Object.assign({ [name]: toBodySchema(fields, description) }, ...inner) as Record<string, JsonSchema>;
}

function toBodySchema(fields: FieldTable, description: string | undefined): JsonSchema {
  const entries = Object.entries(fields).map(([name, bounds]) => [name, toFieldSchema(bounds)]);
  const required = Object.keys(fields).filter((name) => fields[name]?.required);
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(entries) as Record<string, JsonSchema>,
    ...(required.length > 0 && { required }),
  };
}

function toFieldSchema(bounds: Bounds): JsonSchema {
  const { type, nullable, note: description } = bounds;
  const orNull = <const T extends string>(name: T): T | readonly [T, 'null'] => (nullable ? [name, 'null'] : name);
  switch (type) {
    case 'boolean':
      return { type: orNull('boolean'), description };
    case 'integer':
      return { type: orNull('integer'), format: 'int32', minimum: bounds.min, maximum: bounds.max, description };
    case 'amount': {
      const least = bounds.positive ? { exclusiveMinimum: 0 } : { minimum: 0 };
      return { type: orNull('number'), format: 'double', ...least, description };
    }
    case 'object':
      return { ...schemaRef(bounds.schema), description };
    case 'text':
    case 'email':
    case 'url':
    case 'time': {
      const { min, max } = bounds;
      return {
        type: orNull('string'),
        ...(type === 'email' && { format: 'email', pattern: emailPattern }),
        ...(type === 'url' && { format: 'uri', pattern: urlPattern }),
        ...(type === 'time' && { pattern: instant.schema.pattern! }),
        ...(min && { minLength: min }),
        ...(max !== undefined && { maxLength: max }),
        description,
      };
    }
  }
}
