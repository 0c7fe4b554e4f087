/**
 * The hot paths write through the driver: casting by mongoose costs fifty times as much. What is stored is still what the
 * schema says, because these conversions are made from it.
 */
import { Schema, type Model, type mongo, type SchemaType } from 'mongoose';
import { toDecimal } from './decimals.ts';

export interface Native<T> {
  /** Of the connection, with its write concern. */
  readonly collection: mongo.Collection<{ _id: T extends { readonly _id: infer Id } ? Id : mongo.ObjectId }>;
  /** A whole document as mongoose would store it, defaults included. Throws on a member of its own that the schema does not name. */
  readonly toDocument: (value: T) => mongo.BSON.Document;
  /** Only the members that are given, for `$set`; `$push` takes those of an array from here, too. */
  readonly toMembers: (values: Partial<T>) => mongo.BSON.Document;
}

type ToStored = (value: unknown) => unknown;

interface Form {
  readonly members: ReadonlyMap<string, ToStored>;
  /** What a member that is missing becomes. */
  readonly defaults: readonly (readonly [string, () => unknown])[];
}

const forms = new WeakMap<Schema, Form>();

export function nativeOf<T>(model: Model<T>): Native<T> {
  const form = formOf(model.schema);
  return {
    collection: model.collection as unknown as Native<T>['collection'],
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
 * What is embedded is written as a whole, with what was read of it: that may have members of the next version, whose hosts
 * use the database, too. They are kept. What no version knows is refused by the rule of the collection.
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
  if (!isPlain) throw new Error(`${name}: a ${type.instance} is written through mongoose`);
  return unchanged;
}

/** What the driver stores as mongoose would. */
const { String, Number, Boolean, Date, Buffer, Mixed, ObjectId } = Schema.Types;
const plainTypes = [String, Number, Boolean, Date, Buffer, Mixed, ObjectId] as const;

const unchanged: ToStored = (value) => value;

/** A new array or document each time; the driver makes missing ids of documents itself. */
function defaultOf(type: SchemaType): (() => unknown) | undefined {
  if (type instanceof Schema.Types.ObjectId) return undefined;
  const isList = type instanceof Schema.Types.DocumentArray || type instanceof Schema.Types.Array;
  if (isList && !Object.hasOwn(type.options, 'default')) return () => [];
  const value: unknown = type.options['default'];
  return value === undefined ? undefined : () => value;
}

/** `unknown`: what becomes of a member that the schema does not name; absent: it throws. */
function convert({ members }: Form, given: object, unknown?: ToStored): mongo.BSON.Document {
  const document: mongo.BSON.Document = {};
  for (const [name, value] of Object.entries(given) as [string, unknown][]) {
    if (value === undefined) continue;
    const toStored = members.get(name) ?? unknown;
    if (!toStored) throw new Error(`the schema has no member ${name}`);
    document[name] = value === null ? null : toStored(value);
  }
  return document;
}

function withDefaults(form: Form, given: object, unknown?: ToStored): mongo.BSON.Document {
  const document = convert(form, given, unknown);
  for (const [name, toDefault] of form.defaults) if (!(name in document)) document[name] = toDefault();
  return document;
}
