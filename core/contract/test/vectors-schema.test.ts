/** Compares the published JSON Schema of vectors with the schema that reads them. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { VectorFile } from '../testing/vector-file.ts';
import { twoStepVectors } from './acme/two-step.ts';
import { createVectors } from './acme/vectors.ts';

interface JsonSchema {
  readonly $ref?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly type?: string | readonly string[];
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
}

/** The part of a valibot schema that this test walks. */
interface Shape {
  readonly type: string;
  readonly wrapped?: Shape;
  readonly item?: Shape;
  readonly entries?: Readonly<Record<string, Shape>>;
  readonly pipe?: readonly [Shape, ...unknown[]];
}

const file = createRequire(import.meta.url).resolve('@paywright/contract/vectors.schema.json');
const schema = JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;

/** Without references, and without the null that a nullish member allows. */
function plain(node: JsonSchema): JsonSchema {
  if (node.$ref !== undefined) return plain(schema.$defs![node.$ref.replace('#/$defs/', '')]!);
  const rest = node.anyOf?.filter(({ type }) => type !== 'null');
  return rest?.length === 1 ? plain(rest[0]!) : node;
}

function isOptional({ type }: Shape): boolean {
  return type === 'optional' || type === 'nullish';
}

/** Every object and list with its members, and which of them are required. */
function differences(path: string, shape: Shape, node: JsonSchema): string[] {
  if (shape.pipe && shape.pipe[0] !== shape) return differences(path, shape.pipe[0], node);
  if (shape.wrapped) return differences(path, shape.wrapped, node);
  const json = plain(node);
  if (shape.type === 'array') {
    return json.items ? differences(`${path}[]`, shape.item!, json.items) : [`${path}: a list in one only`];
  }
  if (!shape.entries) return [];
  const [read, published] = [Object.keys(shape.entries), Object.keys(json.properties ?? {})];
  const needed = read.filter((name) => !isOptional(shape.entries![name]!));
  const odd = [
    ...read.filter((name) => !published.includes(name)),
    ...published.filter((name) => !read.includes(name)),
  ];
  return [
    ...odd.map((name) => `${path}.${name}: in one only`),
    ...(needed.toSorted().join() === (json.required ?? []).toSorted().join() ? [] : [`${path}: required differs`]),
    ...read
      .filter((name) => published.includes(name))
      .flatMap((name) => differences(`${path}.${name}`, shape.entries![name]!, json.properties![name]!)),
  ];
}

describe('vectors.schema.json', () => {
  const validate = new Ajv2020({ strict: false }).compile(schema);

  it('names the members that the runner reads, and no others', () => {
    expect(differences('file', VectorFile, schema)).to.deep.equal([]);
  });

  it('accepts vectors, and refuses what the runner refuses', () => {
    const plainFile = JSON.parse(JSON.stringify(createVectors())) as { submissions: Record<string, unknown>[] };
    expect(validate(plainFile), JSON.stringify(validate.errors)).to.equal(true);
    expect(validate(JSON.parse(JSON.stringify(twoStepVectors))), JSON.stringify(validate.errors)).to.equal(true);
    const [first] = plainFile.submissions;
    const both = { ...first, exchanges: [{ request: null, reply: null }] };
    for (const wrong of [
      {},
      { options: {}, callbacks: [{ name: 'x' }] },
      { options: {}, submissions: [both] },
      { options: {}, submissions: [{ name: 'x', payment: {}, expect: {}, exchanges: [] }] },
    ]) {
      expect(validate(wrong), JSON.stringify(wrong)).to.equal(false);
    }
  });
});
