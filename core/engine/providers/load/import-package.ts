/**
 * Imports a package by name as seen from a given folder, with the `exports` that an `import` written there would use.
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
 * The module that `specifier` (`name`, `@scope/name`, either with `/subpath`) names, looked up from each folder in
 * turn. Throws an Error that says what is missing, and whatever the module throws.
 */
export async function importPackage(specifier: string, folders: readonly string[]): Promise<unknown> {
  const [, name, subpath = ''] = /^((?:@[^/\s]+\/)?[^@./\s][^/\s]*)(\/.+)?$/.exec(specifier) ?? [];
  if (!name) throw new Error(`"${specifier}" is no package name`);
  const home = folders.map((folder) => findPackage(folder, name)).find((found) => found !== undefined);
  if (!home) {
    const places = [...new Set(folders)].join(', then ');
    throw new Error(`the package ${name} is not installed: looked up from ${places}; install it in one of them`);
  }
  return importEntry(home, name, subpath);
}

/** The version of a package, looked up from each folder in turn. Undefined: it is not installed. */
export function packageVersion(name: string, folders: readonly string[]): string | undefined {
  const home = folders.map((folder) => findPackage(folder, name)).find((found) => found !== undefined);
  return home === undefined ? undefined : readPackage(home).version;
}

/** The module of the package in this folder; `subpath` is empty, or like `/sandbox`. */
export async function importFolder(folder: string, subpath = ''): Promise<unknown> {
  if (!existsSync(join(folder, 'package.json'))) throw new Error(`${folder} is no package: it has no package.json`);
  return importEntry(folder, `in ${folder}`, subpath);
}

async function importEntry(home: string, name: string, subpath: string): Promise<unknown> {
  const file = entryOf(home, `.${subpath}`);
  if (!file) throw new Error(`the package ${name} exports no ".${subpath}" to an import`);
  return import(pathToFileURL(file).href);
}

/** The nearest `node_modules/<name>` above the folder, as Node resolves it. */
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

// `require.resolve` refuses a package that only exports to `import`, and `import.meta.resolve` takes no folder.
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
