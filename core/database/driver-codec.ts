/**
 * A codec converts documents to what the MongoDB driver stores. The hot paths write through the driver, because casting
 * by mongoose costs fifty times as much. The stored documents still match the schema, because the conversions are made
 * from it.
 */
import { Schema, type Model, type mongo, type SchemaType } from 'mongoose';
import { toDecimal } from './decimals.ts';

export interface DriverCodec<T> {
  /** The collection of the connection, with the connection's write concern. */
  readonly collection: mongo.Collection<{ _id: T extends { readonly _id: infer Id } ? Id : mongo.ObjectId }>;
  /**
   * Converts a whole document as mongoose would store it, with defaults. Throws on a top-level member that the schema
   * does not have.
   */
  readonly toDocument: (value: T) => mongo.BSON.Document;
  /** Converts only the given members, for `$set`. The entries of a `$push` come from here, too. */
  readonly toMembers: (values: Partial<T>) => mongo.BSON.Document;
}

type ToStored = (value: unknown) => unknown;

interface Form {
  readonly members: ReadonlyMap<string, ToStored>;
  /** The default values of missing members. */
  readonly defaults: readonly (readonly [string, () => unknown])[];
}

const forms = new WeakMap<Schema, Form>();

export function driverCodecOf<T>(model: Model<T>): DriverCodec<T> {
  const form = formOf(model.schema);
  return {
    collection: model.collection as unknown as DriverCodec<T>['collection'],
    toDocument: (value) => withDefaults(form, value as object),
    toMembers: (values) => convert(form, values),
  };
}

function formOf(schema: Schema): Form {
  const known = forms.get(schema);
  if (known) return known;
  const paths = Object.entries(schema.paths);
  const form = {
    members: new Map(paths.map(([name, type]) => [name, toStoredOf(name, type)])),
    defaults: paths.flatMap(([name, type]) => {
      const toDefault = defaultOf(type);
      return toDefault ? [[name, toDefault] as const] : [];
    }),
  };
  forms.set(schema, form);
  return form;
}

/**
 * An embedded document is written as a whole, with all members that were read. Some may be members of the next version,
 * whose hosts use the same database: they are kept. A member that no version knows is refused by the collection's
 * validator.
 */
function toStoredOf(name: string, type: SchemaType): ToStored {
  if (type instanceof Schema.Types.DocumentArray || type instanceof Schema.Types.Subdocument) {
    const form = formOf(type.schema);
    const toStored: ToStored = (value) => withDefaults(form, value as object, unchanged);
    return type instanceof Schema.Types.Subdocument ? toStored : (values) => (values as unknown[]).map(toStored);
  }
  if (type instanceof Schema.Types.Array) {
    const toStored = toStoredOf(name, type.embeddedSchemaType);
    return toStored === unchanged ? unchanged : (values) => (values as unknown[]).map(toStored);
  }
  if (type instanceof Schema.Types.Decimal128) return (value) => toDecimal(value as string);
  const isPlain = plainTypes.some((plain) => type instanceof plain) && !name.includes('.');
  if (!isPlain)
    throw new Error(`${name}: the driver cannot write the schema type ${type.instance}; write it through mongoose`);
  return unchanged;
}

/** Types whose values the driver stores exactly as mongoose would. */
const { String, Number, Boolean, Date, Buffer, Mixed, ObjectId } = Schema.Types;
const plainTypes = [String, Number, Boolean, Date, Buffer, Mixed, ObjectId] as const;

const unchanged: ToStored = (value) => value;

/** Returns a new array or document on each call. The driver creates missing ids of documents. */
function defaultOf(type: SchemaType): (() => unknown) | undefined {
  if (type instanceof Schema.Types.ObjectId) return undefined;
  const isList = type instanceof Schema.Types.DocumentArray || type instanceof Schema.Types.Array;
  if (isList && !Object.hasOwn(type.options, 'default')) return () => [];
  const value: unknown = type.options['default'];
  return value === undefined ? undefined : () => value;
}

/** `unknown` converts a member that the schema does not have. Without it, the conversion throws on such a member. */
function convert({ members }: Form, given: object, unknown?: ToStored): mongo.BSON.Document {
  const document: mongo.BSON.Document = {};
  // Without `Object.entries`, which would make a list for each of the hundred members of a payment.
  for (const name of Object.keys(given)) {
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    const toStored = members.get(name) ?? unknown;
    if (!toStored) throw new Error(`the schema has no member "${name}"`);
    document[name] = value === null ? null : toStored(value);
  }
  return document;
}

function withDefaults(form: Form, given: object, unknown?: ToStored): mongo.BSON.Document {
  const document = convert(form, given, unknown);
  for (const [name, toDefault] of form.defaults) if (!(name in document)) document[name] = toDefault();
  return document;
}
