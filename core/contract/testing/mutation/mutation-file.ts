/** Reads an adapter's `test/mutations.json`: for each kind of fault its places in the code, or why there is none. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { mutationKinds, type MutationKind } from './kinds.ts';

/** A text of one compiled file, and what replaces it. */
export interface Mutation {
  readonly kind: MutationKind;
  /** The file, relative to the package's `dist`. */
  readonly file: string;
  /** A text that occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

export interface MutationFile {
  readonly mutations: readonly Mutation[];
  /** The reason why the adapter cannot have the fault, by kind. */
  readonly absent: Readonly<Partial<Record<MutationKind, string>>>;
}

const Place = v.strictObject({
  file: v.pipe(v.string(), v.regex(/^[\w./-]+\.js$/, 'names a compiled file such as refund.js')),
  from: v.pipe(v.string(), v.nonEmpty()),
  to: v.string(),
});
const Entry = v.union([v.pipe(v.string(), v.minLength(15)), v.pipe(v.array(Place), v.nonEmpty())]);
const kinds = Object.keys(mutationKinds) as MutationKind[];
const Schema = v.strictObject(
  v.entriesFromList(kinds, Entry),
  'is not an entry for a kind of fault: give a list of places, or one sentence that says why the adapter cannot have it',
);

/**
 * Reads the file of the package in `folder`, which must be built. Throws an Error that names the entry if a kind is
 * missing, or if a place does not occur exactly once in its compiled file.
 */
export function readMutationFile(folder: string): MutationFile {
  const path = join(folder, 'test/mutations.json');
  if (!existsSync(path)) throw new Error(`${path} does not exist: say there for each kind of fault where it goes`);
  const read = v.safeParse(Schema, JSON.parse(readFileSync(path, 'utf8')));
  if (!read.success) {
    const said = read.issues.map((issue) => `${v.getDotPath(issue) ?? 'the file'}: ${issue.message}`);
    throw new Error(`${path}: ${said.join('; ')}`);
  }
  const entries = kinds.map((kind) => [kind, read.output[kind]] as const);
  const mutations = entries.flatMap(([kind, entry]) =>
    typeof entry === 'string' ? [] : entry.map((place) => ({ kind, ...place })),
  );
  for (const mutation of mutations) demandOnePlace(folder, path, mutation);
  return {
    mutations,
    absent: Object.fromEntries(entries.filter(([, entry]) => typeof entry === 'string')),
  };
}

function demandOnePlace(folder: string, path: string, { kind, file, from, to }: Mutation): void {
  const code = join(folder, 'dist', file);
  if (!existsSync(code)) throw new Error(`${path}: ${kind}: ${code} does not exist; build the package first`);
  const count = readFileSync(code, 'utf8').split(from).length - 1;
  if (count !== 1) throw new Error(`${path}: ${kind}: "${from}" occurs ${count} times in dist/${file}, not once`);
  if (from === to) throw new Error(`${path}: ${kind}: "from" and "to" are the same text`);
}
