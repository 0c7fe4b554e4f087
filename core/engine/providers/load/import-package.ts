/**
 * Imports a package by name, as an `import` statement in a file of a given folder would: same lookup in `node_modules`,
 * same `exports`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as v from 'valibot';

const Package = v.looseObject({
  exports: v.optional(v.unknown()),
  main: v.optional(v.string()),
  version: v.optional(v.string(), '0.0.0'),
});
const conditions = new Set(['node', 'import', 'default']);

/**
 * Imports the module of `specifier`: `name` or `@scope/name`, with or without `/subpath`. The package is looked up from
 * each folder in turn. Rejects with an Error that says what is missing, or with the error that the module throws.
 */
export async function importPackage(specifier: string, folders: readonly string[]): Promise<unknown> {
  const [, name, subpath = ''] = /^((?:@[^/\s]+\/)?[^@./\s][^/\s]*)(\/.+)?$/.exec(specifier) ?? [];
  if (!name) throw new Error(`"${specifier}" is not a package name`);
  const home = folders.map((folder) => findPackage(folder, name)).find((found) => found !== undefined);
  if (!home) {
    const lookedUpFrom = [...new Set(folders)].join(', then ');
    throw new Error(`the package ${name} is not installed: looked up from ${lookedUpFrom}; install it in one of them`);
  }
  return importEntry(home, name, subpath);
}

/** Returns the version of a package, looked up from each folder in turn. Undefined if it is not installed. */
export function packageVersion(name: string, folders: readonly string[]): string | undefined {
  const home = folders.map((folder) => findPackage(folder, name)).find((found) => found !== undefined);
  return home === undefined ? undefined : readPackage(home).version;
}

/** Imports the module of the package in this folder. `subpath` is empty, or for example `/sandbox`. */
export async function importFolder(folder: string, subpath = ''): Promise<unknown> {
  if (!existsSync(join(folder, 'package.json'))) throw new Error(`${folder} is not a package: it has no package.json`);
  return importEntry(folder, `in ${folder}`, subpath);
}

async function importEntry(home: string, name: string, subpath: string): Promise<unknown> {
  const file = entryOf(home, `.${subpath}`);
  if (!file) throw new Error(`the package ${name} has no export ".${subpath}" for import`);
  return import(pathToFileURL(file).href);
}

/** Finds the nearest `node_modules/<name>` in the folder or above it, as Node does. */
function findPackage(folder: string, name: string): string | undefined {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const home = join(at, 'node_modules', name);
    if (existsSync(join(home, 'package.json'))) return home;
    if (at === dirname(at)) return undefined;
  }
}

function readPackage(home: string): v.InferOutput<typeof Package> {
  return v.parse(Package, JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')));
}

// Node's own functions do not fit: `require.resolve` refuses a package that only has exports for `import`, and
// `import.meta.resolve` has no parameter for the folder.
function entryOf(home: string, subpath: string): string | undefined {
  const { exports, main = 'index.js' } = readPackage(home);
  if (exports === undefined || exports === null) return join(home, subpath === '.' ? main : subpath);
  const entries =
    isRecord(exports) && Object.keys(exports).some((key) => key.startsWith('.')) ? exports : { '.': exports };
  const target = Object.hasOwn(entries, subpath) ? targetOf(entries[subpath]) : undefined;
  const file = target === undefined ? undefined : join(home, target);
  return file && !relative(home, file).startsWith('..') ? file : undefined;
}

function targetOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(targetOf).find((target) => target !== undefined);
  if (!isRecord(value)) return undefined;
  for (const [condition, inner] of Object.entries(value)) {
    const target = conditions.has(condition) ? targetOf(inner) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
