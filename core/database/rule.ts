/** What a collection takes, as MongoDB checks it at every write: made from the schema, for what is written through the driver too. */
import { Schema, type SchemaType } from 'mongoose';

/** The keywords of `$jsonSchema` that rules have; one without any takes everything. */
export interface Rule {
  /** The collection: the server names it where it refuses a write. */
  readonly title?: string;
  readonly bsonType?: readonly string[];
  readonly properties?: Readonly<Record<string, Rule>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: Rule;
}

export type SchemaPaths = Pick<Schema, 'paths'>;

/** Members have the schema's types, null where that is their default, and no others are there. What is Mixed is open. */
export function ruleOf(schema: SchemaPaths): Rule {
  return ruleOfPaths(Object.entries(schema.paths));
}

function ruleOfPaths(paths: readonly (readonly [string, SchemaType])[]): Rule {
  const own = paths.filter(([name]) => !name.includes('.'));
  const folders = new Set(paths.flatMap(([name]) => (name.includes('.') ? [name.slice(0, name.indexOf('.'))] : [])));
  const within = (folder: string): [string, SchemaType][] =>
    paths
      .filter(([name]) => name.startsWith(`${folder}.`))
      .map(([name, type]) => [name.slice(folder.length + 1), type]);
  const required = own.filter(([, { options }]) => options['required'] === true).map(([name]) => name);
  return {
    bsonType: ['object'],
    properties: Object.fromEntries([
      ...own.map(([name, type]) => [name, ruleOfMember(type)] as const),
      ...[...folders].map((folder) => [folder, ruleOfPaths(within(folder))] as const),
    ]),
    // MongoDB takes no empty list.
    ...(required.length > 0 && { required: required.toSorted() }),
    additionalProperties: false,
  };
}

function ruleOfMember(type: SchemaType): Rule {
  const rule = ruleOfType(type);
  return rule.bsonType && type.options['default'] === null
    ? { ...rule, bsonType: sorted([...rule.bsonType, 'null']) }
    : rule;
}

function ruleOfType(type: SchemaType): Rule {
  const { DocumentArray, Subdocument, Array: List, Mixed } = Schema.Types;
  if (type instanceof DocumentArray) return { bsonType: ['array'], items: ruleOf(type.schema) };
  if (type instanceof Subdocument) return ruleOf(type.schema);
  if (type instanceof List) return { bsonType: ['array'], items: ruleOfType(type.embeddedSchemaType) };
  if (type instanceof Mixed) return {};
  const known = plainTypes.find(([plain]) => type instanceof plain);
  if (!known) throw new Error(`${type.path}: no rule is known for a ${type.instance}`);
  return { bsonType: known[1] };
}

const { Types } = Schema;
/** Numbers as the driver and the server's own sums store them, and never as a decimal: that is money. */
const plainTypes = [
  [Types.String, ['string']],
  [Types.Number, ['double', 'int', 'long']],
  [Types.Boolean, ['bool']],
  [Types.Date, ['date']],
  [Types.Buffer, ['binData']],
  [Types.Decimal128, ['decimal']],
  [Types.ObjectId, ['objectId']],
] as const;

/** What takes all that one of the two takes: two versions that share a database write by one rule. */
export function widen(one: Rule, other: Rule): Rule {
  if (!one.bsonType || !other.bsonType) return {};
  const { title = other.title } = one;
  return {
    ...(title !== undefined && { title }),
    bsonType: sorted([...new Set([...one.bsonType, ...other.bsonType])]),
    ...(one.items && other.items && { items: widen(one.items, other.items) }),
    ...(one.properties && other.properties && widenMembers(one, other)),
  };
}

function widenMembers(one: Rule, other: Rule): Rule {
  const { properties: these = {}, required: needed = [] } = one;
  const { properties: those = {}, required: neededThere = [] } = other;
  const names = [...new Set([...Object.keys(these), ...Object.keys(those)])];
  const required = needed.filter((name) => neededThere.includes(name));
  return {
    properties: Object.fromEntries(
      names.map((name) => {
        const [here, there] = [these[name], those[name]];
        return [name, here && there ? widen(here, there) : (here ?? there!)];
      }),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const sorted = (names: readonly string[]): readonly string[] => names.toSorted();
