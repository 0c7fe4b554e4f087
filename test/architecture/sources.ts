/** The product's own sources with their imports, as the architecture test and `npm run figures` read them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../support/start-gateway.ts';

export interface Source {
  /** Relative to the repository, with slashes. */
  readonly path: string;
  /** Without comments. */
  readonly code: string;
  /** Packages by their name, our own files by their path from the repository's root. */
  readonly imports: readonly string[];
  /** Those of `imports` that import only types. */
  readonly typeImports: ReadonlySet<string>;
}

export const isTest = (path: string): boolean =>
  /\.test\.ts$|\/test(ing|s)?\/|(^|\/)test-[\w-]+\.ts$|^test\//.test(path);

const withoutComments = (code: string): string =>
  code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

export function readSources(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(dist|node_modules)\//.test(path) && !path.endsWith('.d.ts'))
    .map(readSource);
}

function readSource(path: string): Source {
  const code = withoutComments(readFileSync(join(root, path), 'utf8'));
  const toPath = (name: string): string => (name.startsWith('.') ? join(dirname(path), name) : name);
  const named = [...code.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, name = '']) => toPath(name));
  const types = [...code.matchAll(/\bimport type [^;]*?\bfrom\s*'([^']+)'/g)].map(([, name = '']) => toPath(name));
  return { path, code, imports: named, typeImports: new Set(types) };
}

export const linesOf = (path: string): number => readFileSync(join(root, path), 'utf8').split('\n').length - 1;
