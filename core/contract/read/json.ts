/**
 * Strict JSON (RFC 8259) that keeps the spelling of every number, refuses duplicate members and deep nesting, and has
 * no special names: `__proto__` is a member like any other. Signatures over JSON, and money in JSON, need this.
 */
import { forEachInSlices } from './in-slices.ts';
import { maxJsonValues } from './json-values.ts';

/** How often a number had to become text. */
let inexactNumbers = 0;

/** A number exactly as it was written; `25.90` stays `25.90`. */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The value, if a double holds it exactly as a whole number; otherwise undefined. */
  toSafeInteger(): number | undefined {
    const value = Number(this.text);
    return /^-?\d+$/.test(this.text) && Number.isSafeInteger(value) ? value : undefined;
  }

  /** Lets `JSON.stringify` of a read value give JSON again; a number that a double cannot hold becomes text. */
  toJSON(): number | string {
    const value = Number(this.text);
    if (String(value) === this.text) return value;
    inexactNumbers += 1;
    return this.text;
  }
}

/** A JSON value whose numbers keep their spelling. An object is a Map in the order received. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;
export type JsonObject = ReadonlyMap<string, JsonValue>;

export interface JsonLimits {
  /** The deepest nesting of objects and arrays; 64 by default. */
  readonly maxDepth?: number;
  /** The most values: objects, lists and all values in them. By default as many as a callback of 1 MiB may hold. */
  readonly maxValues?: number;
}

/** Recognised by its name across copies of this package. */
export class JsonError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JsonError';
  }
}

/** Reads one JSON text. Throws a `JsonError` that names the position, never the content. */
export function readJsonText(text: string, limits?: JsonLimits): JsonValue {
  return new Reader(text, limits, asMaps).whole() as JsonValue;
}

/** Defines how a reader keeps the members of an object. */
interface Objects<T> {
  create(): T;
  has(object: T, name: string): boolean;
  add(object: T, name: string, value: unknown): void;
}

const asMaps: Objects<Map<string, unknown>> = {
  create: () => new Map(),
  has: (object, name) => object.has(name),
  add: (object, name, value) => void object.set(name, value),
};

/** Objects have no prototype, so that every name is a member like any other. */
const asPlainObjects: Objects<Record<string, unknown>> = {
  create: () => Object.create(null) as Record<string, unknown>,
  has: (object, name) => name in object,
  add: (object, name, value) => void (object[name] = value),
};

const numberForm = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const [quote, backslash, blank] = [0x22, 0x5c, 0x20];
/** Marks an object or list whose end is not read yet. */
const opened = Symbol('opened');
type Open<T> = { readonly items: unknown[] } | { readonly members: T; name: string; count: number };

const valuesOfPiece = 256;
/**
 * The most members of one object, far more than any message has. The engine grows an object's table of names in one
 * step, which cannot be divided into slices.
 */
const maxMembers = 10_000;

class Reader<T> {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #maxValues: number;
  readonly #objects: Objects<T>;
  readonly #open: Open<T>[] = [];
  #read: unknown;
  #at = 0;
  #values = 0;

  constructor(
    text: string,
    { maxDepth = 64, maxValues = maxJsonValues(2 ** 20) }: JsonLimits = {},
    objects: Objects<T>,
  ) {
    this.#text = text;
    this.#maxDepth = maxDepth;
    this.#maxValues = maxValues;
    this.#objects = objects;
  }

  whole(): unknown {
    for (const _ of this.pieces());
    return this.value;
  }

  /** The value that was read; available after the whole text is read. */
  get value(): unknown {
    return this.#read;
  }

  /** Reads to the end, in pieces that each take well under a millisecond. */
  *pieces(): Generator<undefined, void> {
    for (;;) {
      const value = this.#value();
      if (value !== opened && this.#put(value)) return;
      if (this.#values % valuesOfPiece === 0) yield;
    }
  }

  #error(what: string): JsonError {
    return new JsonError(`not JSON: ${what} at position ${this.#at}`);
  }

  // Compares character codes: a regular expression for each space would cost more than everything else.
  #skip(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== blank && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at += 1;
    }
  }

  #take(expected: string): boolean {
    if (!this.#text.startsWith(expected, this.#at)) return false;
    this.#at += expected.length;
    return true;
  }

  /** A value that holds no other values, or `opened` if its content comes next. */
  #value(): unknown {
    this.#values += 1;
    if (this.#values > this.#maxValues) throw this.#error(`more than ${this.#maxValues} values`);
    this.#skip();
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#object();
      case '[':
        return this.#array();
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #word(word: string, value: boolean | null): boolean | null {
    if (!this.#take(word)) throw this.#error('no value');
    return value;
  }

  #number(): JsonNumber {
    const from = this.#at;
    numberForm.lastIndex = from;
    if (!numberForm.test(this.#text)) throw this.#error('no value');
    this.#at = numberForm.lastIndex;
    return new JsonNumber(this.#text.slice(from, this.#at));
  }

  #nest(): void {
    if (this.#open.length === this.#maxDepth) throw this.#error(`more than ${this.#maxDepth} levels`);
    this.#at += 1;
    this.#skip();
  }

  #object(): unknown {
    const members = this.#objects.create();
    this.#nest();
    if (this.#take('}')) return members;
    this.#open.push({ members, name: this.#name(members), count: 1 });
    return opened;
  }

  #array(): unknown {
    const items: unknown[] = [];
    this.#nest();
    if (this.#take(']')) return items;
    this.#open.push({ items });
    return opened;
  }

  #name(members: T): string {
    this.#skip();
    if (this.#text.charCodeAt(this.#at) !== quote) throw this.#error('no member name');
    const name = this.#string();
    if (this.#objects.has(members, name)) throw this.#error('a member twice');
    this.#skip();
    if (!this.#take(':')) throw this.#error('no colon');
    return name;
  }

  /** Puts a value into its object or list, and closes that if it ends here, level by level. True: the text ends. */
  #put(value: unknown): boolean {
    let whole = value;
    for (;;) {
      const holder = this.#open.at(-1);
      this.#skip();
      if (!holder) return this.#end(whole);
      if ('items' in holder) {
        holder.items.push(whole);
        if (this.#take(',')) return false;
        if (!this.#take(']')) throw this.#error('no end of array');
        whole = holder.items;
      } else {
        this.#objects.add(holder.members, holder.name, whole);
        if (this.#take(',')) {
          holder.count += 1;
          if (holder.count > maxMembers) throw this.#error(`more than ${maxMembers} members`);
          holder.name = this.#name(holder.members);
          return false;
        }
        if (!this.#take('}')) throw this.#error('no end of object');
        whole = holder.members;
      }
      this.#open.pop();
    }
  }

  #end(value: unknown): true {
    if (this.#at < this.#text.length) throw this.#error('text after the end');
    this.#read = value;
    return true;
  }

  #string(): string {
    const from = this.#at;
    this.#at += 1;
    let isPlain = true;
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      this.#at += 1;
      if (code === quote) break;
      if (!(code >= blank)) throw this.#error('no end of text');
      if (code === backslash) {
        isPlain = false;
        this.#at += 1;
      }
    }
    return isPlain ? this.#text.slice(from + 1, this.#at - 1) : this.#unescaped(this.#text.slice(from, this.#at));
  }

  /** Uses the engine's parser, because a text may consist only of escapes. */
  #unescaped(text: string): string {
    try {
      return JSON.parse(text) as string;
    } catch {
      throw this.#error('unknown escape');
    }
  }
}

/**
 * Writes a read value compactly, with numbers as spelled. `sorted` orders members by UTF-16 code units at every depth.
 */
export function writeJson(value: JsonValue, { sorted = false }: { readonly sorted?: boolean } = {}): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value instanceof JsonNumber) return value.text;
  if (value instanceof Map) {
    const members = [...(value as JsonObject)];
    if (sorted) members.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member, { sorted })}`).join(',')}}`;
  }
  return `[${(value as readonly JsonValue[]).map((item) => writeJson(item, { sorted })).join(',')}]`;
}

/**
 * Converts a read value to ordinary objects (without prototype) and arrays, for a schema to check. Numbers stay
 * `JsonNumber`, so that a schema states with `jsonInteger` and the like which numbers it accepts.
 */
export function toPlain(value: JsonValue): unknown {
  if (value instanceof Map) {
    const object: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
    for (const [name, member] of value as JsonObject) object[name] = toPlain(member);
    return object;
  }
  return Array.isArray(value) ? value.map((item) => toPlain(item as JsonValue)) : value;
}

/** Reads a message in the form of `toPlain`, in one go; `undefined` if it is not strict JSON. */
export function readJson(text: string | undefined, limits?: JsonLimits): unknown {
  if (text === undefined) return undefined;
  try {
    return new Reader(text, limits, asPlainObjects).whole();
  } catch (error) {
    return undefinedOf(error);
  }
}

/**
 * Like `readJson`, for long messages: it reads in slices, and the event loop serves other work in between.
 *
 * @deprecated Will be removed in 3.0. Use `readJsonObjectInSlices`.
 */
export async function readJsonInSlices(text: string | undefined, limits?: JsonLimits): Promise<unknown> {
  if (text === undefined) return undefined;
  const reader = new Reader(text, limits, asPlainObjects);
  try {
    await forEachInSlices(reader.pieces(), () => undefined);
    return reader.value;
  } catch (error) {
    return undefinedOf(error);
  }
}

function undefinedOf(error: unknown): undefined {
  if (!(error instanceof JsonError)) throw error;
}

/** Like `JSON.stringify`, but writes every `JsonNumber` digit for digit instead of through a double. */
export function stringifyExact(value: unknown): string {
  const before = inexactNumbers;
  const text = JSON.stringify(value);
  // A number that a double spells alike comes out the same, and most do.
  return before === inexactNumbers ? text : writeExact(value);
}

function writeExact(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value))
    return `[${value.map((item) => (item === undefined ? 'null' : writeExact(item))).join(',')}]`;
  if (value === null || typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeExact(member)}`).join(',')}}`;
}
