/**
 * MongoDB checks every write against a validator (`$jsonSchema`) that is made from the collection's schema. Mongoose
 * alone is not enough, because the hot paths write through the driver.
 *
 * A start only ever widens the validator that it finds; only the end of a migration narrows it. The validator then
 * accepts everything that any version stored on this database: versions with the same schema version may start in any
 * order, even when an upgrade is rolled back, and none of their writes is refused. That is why a validator can refuse a
 * write and not only warn: a refused write is a bug. A document that was stored before and does not match can still be
 * updated (level `moderate`), so that existing data never blocks a payment.
 */
import { isDeepStrictEqual } from 'node:util';
import { Schema, type Connection, type Model, type SchemaType } from 'mongoose';
import type { Logger } from 'pino';

/** The keywords of `$jsonSchema` that validators use. A validator without any keyword accepts everything. */
export interface Validator {
  /** The collection. The server names it when it refuses a write. */
  readonly title?: string;
  readonly bsonType?: readonly string[];
  readonly properties?: Readonly<Record<string, Validator>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
  readonly items?: Validator;
}

type SchemaPaths = Pick<Schema, 'paths'>;

export interface ValidatedModel extends Pick<Model<unknown>, 'collection' | 'createCollection'> {
  readonly schema: SchemaPaths;
}

/** The validator of each collection that exists; undefined if a collection has no validator. */
export type Validators = ReadonlyMap<string, Validator | undefined>;

export async function readValidators({ db }: Connection): Promise<Validators> {
  const found = await db!.listCollections({ type: 'collection' }, { nameOnly: false }).toArray();
  return new Map(
    found.map(({ name, options }) => [name, options?.['validator']?.['$jsonSchema'] as Validator | undefined] as const),
  );
}

/** Creates the collection with its validator, or widens the validator of a collection that exists. */
export async function ensureValidator(
  { db }: Connection,
  model: ValidatedModel,
  present: Validators,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const { collectionName } = model.collection;
  const own: Validator = { title: collectionName, ...toValidator(model.schema) };
  if (!present.has(collectionName)) {
    await model.createCollection(toOptions(own));
    return;
  }
  const before = present.get(collectionName);
  // A validator without our title was not made by the gateway, so it cannot be merged with ours.
  const wanted = before?.title === collectionName ? mergeValidators(before, own) : own;
  if (isDeepStrictEqual(wanted, before)) return;
  try {
    await db!.command({ collMod: collectionName, ...toOptions(wanted), ...majority });
  } catch (error) {
    if (!isUnauthorized(error)) throw error;
    const cure = 'grant it the role dbAdmin on this database in addition to readWrite, and restart';
    if (before)
      throw new Error(
        `${collectionName} refuses documents of this version, and the database user may not change its validator (collMod): ${cure}`,
        { cause: error },
      );
    log.warn(
      { collection: collectionName },
      `the database does not validate documents, because its user may not set validators (collMod): ${cure}`,
    );
  }
}

/**
 * Sets the validators of some members to those of the schema, and removes members that the schema does not have. Only
 * the end of a migration does this, once no process stores the old types. Lists are passed through: `attempts.capture`.
 */
export async function narrowValidator(
  connection: Connection,
  model: ValidatedModel,
  paths: readonly string[],
): Promise<void> {
  const { collectionName } = model.collection;
  const present = (await readValidators(connection)).get(collectionName);
  // Without our title, a validator is not ours; without any, the database user may not set validators.
  if (present?.title !== collectionName) return;
  const own = toValidator(model.schema);
  const narrowed = paths.reduce((validator, path) => withMemberOf(validator, own, path.split('.')), present);
  if (isDeepStrictEqual(narrowed, present)) return;
  await connection.db!.command({ collMod: collectionName, ...toOptions(narrowed), ...majority });
}

function withMemberOf(one: Validator, own: Validator | undefined, path: readonly string[]): Validator {
  const [name = '', ...rest] = path;
  if (one.items) return { ...one, items: withMemberOf(one.items, own?.items, path) };
  const { [name]: member, ...others } = one.properties ?? {};
  if (!member) return one;
  const wanted = own?.properties?.[name];
  const next = rest.length > 0 ? withMemberOf(member, wanted, rest) : wanted;
  return { ...one, properties: { ...others, ...(next && { [name]: next }) } };
}

const majority = { writeConcern: { w: 'majority', wtimeout: 60_000 } } as const;

function toOptions(validator: Validator) {
  return { validator: { $jsonSchema: validator }, validationLevel: 'moderate', validationAction: 'error' } as const;
}

function isUnauthorized(error: unknown): boolean {
  return (error as { readonly codeName?: unknown }).codeName === 'Unauthorized';
}

/** Members have the types of the schema, or null if that is their default. Other members are refused. Mixed is open. */
export function toValidator(schema: SchemaPaths): Validator {
  return toObjectValidator(Object.entries(schema.paths));
}

function toObjectValidator(paths: readonly (readonly [string, SchemaType])[]): Validator {
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
      ...own.map(([name, type]) => [name, toMemberValidator(type)] as const),
      ...[...folders].map((folder) => [folder, toObjectValidator(within(folder))] as const),
    ]),
    // MongoDB does not accept an empty list.
    ...(required.length > 0 && { required: required.toSorted() }),
    additionalProperties: false,
  };
}

function toMemberValidator(type: SchemaType): Validator {
  const validator = toTypeValidator(type);
  return validator.bsonType && type.options['default'] === null
    ? { ...validator, bsonType: sorted([...validator.bsonType, 'null']) }
    : validator;
}

function toTypeValidator(type: SchemaType): Validator {
  const { DocumentArray, Subdocument, Array: List, Mixed } = Schema.Types;
  if (type instanceof DocumentArray) return { bsonType: ['array'], items: toValidator(type.schema) };
  if (type instanceof Subdocument) return toValidator(type.schema);
  if (type instanceof List) return { bsonType: ['array'], items: toTypeValidator(type.embeddedSchemaType) };
  if (type instanceof Mixed) return {};
  const known = plainTypes.find(([plain]) => type instanceof plain);
  if (!known) throw new Error(`${type.path}: no validator is defined for the schema type ${type.instance}`);
  return { bsonType: known[1] };
}

const { Types } = Schema;
/** A Number is stored as the driver and the server's own sums store it, never as a decimal: decimals are money. */
const plainTypes = [
  [Types.String, ['string']],
  [Types.Number, ['double', 'int', 'long']],
  [Types.Boolean, ['bool']],
  [Types.Date, ['date']],
  [Types.Buffer, ['binData']],
  [Types.Decimal128, ['decimal']],
  [Types.ObjectId, ['objectId']],
] as const;

/** Accepts everything that one of the two accepts: two versions that share a database write under one validator. */
export function mergeValidators(one: Validator, other: Validator): Validator {
  if (!one.bsonType || !other.bsonType) return {};
  const { title = other.title } = one;
  return {
    ...(title !== undefined && { title }),
    bsonType: sorted([...new Set([...one.bsonType, ...other.bsonType])]),
    ...(one.items && other.items && { items: mergeValidators(one.items, other.items) }),
    ...(one.properties && other.properties && mergeMembers(one, other)),
  };
}

function mergeMembers(one: Validator, other: Validator): Validator {
  const { properties: these = {}, required: needed = [] } = one;
  const { properties: those = {}, required: neededThere = [] } = other;
  const names = [...new Set([...Object.keys(these), ...Object.keys(those)])];
  const required = needed.filter((name) => neededThere.includes(name));
  return {
    properties: Object.fromEntries(
      names.map((name) => {
        const [here, there] = [these[name], those[name]];
        return [name, here && there ? mergeValidators(here, there) : (here ?? there!)];
      }),
    ),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

const sorted = (names: readonly string[]): readonly string[] => names.toSorted();
