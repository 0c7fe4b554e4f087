/**
 * One schema for all errors. Its `details` have the members of every kind, each typed and optional: a program reads
 * `code`, then the members of that kind.
 */
import { groupBy } from '../../base/group-by.ts';
import { object, schemaRef } from './json-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** The schemas of all errors, by name. `kinds`: the schema of each kind, by its code. */
export function toOneProblem(
  kinds: Readonly<Record<string, JsonSchema>>,
): Record<'Problem' | 'ProblemDetails', JsonSchema> {
  const all = Object.entries(kinds).map(([code, schema]) => ({ code, schema, members: schema.properties! }));
  const [{ members: first } = { members: {} }] = all;
  const codes = all.map(({ code, schema }) => `${code} ${schema.title}`).join('; ');
  const names = all.map(({ members }) => String(members['error']!.const)).join(', ');
  const found = all.flatMap(({ code, members }) =>
    Object.entries(members['details']!.properties ?? {}).map(([name, member]) => ({ name, code, member })),
  );
  const details = Array.from(
    groupBy(found, ({ name }) => name),
    ([name, same]) => [name, merge(same)],
  );
  const problem = object(
    {
      ...first,
      type: { type: 'string', format: 'uri', description: 'The documentation of this kind of error.' },
      status: { type: 'integer', minimum: 400, maximum: 599, description: 'The HTTP status.' },
      error: { type: 'string', description: `The kind in capitals. New kinds may be added. Now: ${names}.` },
      code: { type: 'string', description: `The code of the kind. New codes may be added. Now: ${codes}.` },
      details: schemaRef('ProblemDetails'),
    },
    { description: 'An error. `code` tells the kinds apart; texts may change.' },
  );
  const problemDetails: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(details) as Record<string, JsonSchema>,
    description: 'Facts about the error. Each code has its own members.',
  };
  return { Problem: problem, ProblemDetails: problemDetails };
}

interface Found {
  readonly name: string;
  readonly code: string;
  readonly member: JsonSchema;
}

/** A member that several kinds may have. Its text is that of the first; its values are those of all. */
function merge(same: readonly Found[]): JsonSchema {
  const [{ member }] = same as readonly [Found];
  const { const: _, enum: __, description = '', ...schema } = member;
  const codes = [...new Set(same.map(({ code }) => code))];
  const isGeneral = same.length > 6;
  return { ...schema, description: isGeneral ? description : `${codes.join(', ')}: ${description}` };
}
