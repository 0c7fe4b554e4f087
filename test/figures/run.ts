/** Prints how large the product is and how it is cut: npm run figures. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { coreParts, partOf, parts } from '../architecture/parts.ts';
import { isTest, linesOf, readSources } from '../architecture/sources.ts';
import { root } from '../support/start-gateway.ts';

interface Row {
  readonly figure: string;
  readonly value: number | string;
  /** What the figure must not exceed. */
  readonly limit?: number;
}

const product = ['core', 'adapters', 'workers', 'config']
  .flatMap(readSources)
  .map(({ path }) => ({ path, lines: linesOf(path) }))
  .filter(({ path }) => isProduct(path) && path.endsWith('.ts'));

/** The conformance kit is in a folder `testing`, and is a product of its own. */
function isProduct(path: string): boolean {
  return !isTest(path.replace('core/contract/testing/', 'core/contract/kit/'));
}

const total = (files: readonly { readonly lines: number }[]): number =>
  files.reduce((sum, { lines }) => sum + lines, 0);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function partRows(): { part: string; files: number; lines: number }[] {
  return parts.map(({ name }) => {
    const files = product.filter(({ path }) => partOf(path)?.name === name);
    return { part: name, files: files.length, lines: total(files) };
  });
}

/** Files that lie directly in a folder, tests not counted. */
function looseFiles(folder: string): number {
  return readdirSync(join(root, folder), { withFileTypes: true }).filter(
    (entry) => entry.isFile() && /\.(ts|md)$/.test(entry.name) && !isTest(join(folder, entry.name)),
  ).length;
}

/** Lengths of the product's functions, as the linter counts them. */
function functionLengths(): { readonly name: string; readonly lines: number }[] {
  const folder = mkdtempSync(join(tmpdir(), 'paywright-figures-'));
  const config = join(folder, 'oxlintrc.json');
  const rules = { 'eslint/max-lines-per-function': ['error', { max: 100 }] };
  writeFileSync(config, JSON.stringify({ plugins: [], categories: {}, rules, ignorePatterns: ['**/dist/**'] }));
  const words = ['-c', config, '--format', 'json', 'core', 'workers', 'adapters', 'config'];
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), words, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  rmSync(folder, { recursive: true });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; message: string; filename: string }[] };
  return diagnostics
    .filter(({ code, filename }) => code.includes('max-lines-per-function') && isCounted(filename))
    .map(({ message, filename }) => ({
      name: `${/`(\w+)`/.exec(message)?.[1] ?? 'a function'} in ${relative(root, join(root, filename))}`,
      lines: Number(/lines \((\d+)\)/.exec(message)?.[1]),
    }))
    .sort((a, b) => b.lines - a.lines);
}

/** Scaffold, OpenAPI texts and sandboxes may be longer. */
function isCounted(path: string): boolean {
  return isProduct(path) && !/\/(scaffold|sandbox)\/|openapi/.test(path);
}

function linesUnder(folder: string, pattern: RegExp): number {
  const files = readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  return total(files.filter((path) => !/node_modules|\/dist\//.test(path)).map((path) => ({ lines: linesOf(path) })));
}

/** The names that a module exports, those of `export *` included. */
function exportsOf(path: string): ReadonlySet<string> {
  const code = readFileSync(join(root, path), 'utf8');
  const names = [
    ...code.matchAll(/^export (?:declare )?(?:async )?(?:type|interface|const|function|class) (\w+)/gm),
  ].map(([, name = '']) => name);
  for (const [, list = ''] of code.matchAll(/^export (?:type )?\{([^}]*)\}/gm)) {
    names.push(
      ...list.split(',').flatMap(
        (item) =>
          item
            .trim()
            .replace(/^type /, '')
            .split(' as ')
            .at(-1)
            ?.trim() || [],
      ),
    );
  }
  for (const [, from = ''] of code.matchAll(/^export \* from '([^']+)'/gm)) {
    names.push(...exportsOf(join(dirname(path), from)));
  }
  return new Set(names);
}

function rows(): Row[] {
  const functions = functionLengths();
  const importers = importersOf();
  return [
    {
      figure: 'lines that run a payment (base, database, engine)',
      value: total(product.filter(({ path }) => coreParts.some((name) => partOf(path)?.name === name))),
    },
    { figure: 'product files', value: product.length },
    { figure: 'median lines of a product file', value: median(product.map(({ lines }) => lines)) },
    {
      figure: 'files of at most 15 lines with one importer',
      value: product.filter(({ path, lines }) => lines <= 15 && importers.get(path) === 1).length,
    },
    { figure: 'loose files in core', value: looseFiles('core'), limit: 4 },
    { figure: 'loose files in core/contract', value: looseFiles('core/contract'), limit: 10 },
    { figure: 'loose files in workers/supervisor', value: looseFiles('workers/supervisor'), limit: 8 },
    { figure: 'lines of core/engine/payments/index.ts', value: linesOf('core/engine/payments/index.ts'), limit: 110 },
    {
      figure: 'functions of more than 150 lines',
      value: functions.filter(({ lines }) => lines > 150).length,
      limit: 0,
    },
    {
      figure: 'longest function',
      value: functions[0] ? `${functions[0].lines} (${functions[0].name})` : 'none over 100',
    },
    { figure: 'lines of sample messages of adapter tests', value: linesUnder('adapters', /^messages\.ts$/) },
    { figure: 'exports of @paywright/contract', value: exportsOf('core/contract/index.ts').size },
    { figure: 'lines of README.md', value: linesOf('README.md'), limit: 120 },
  ];
}

function importersOf(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path, imports } of ['core', 'adapters', 'workers', 'config'].flatMap(readSources)) {
    if (isTest(path)) continue;
    for (const name of new Set(imports)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

const adapterFolders = new Set(
  product.filter(({ path }) => path.startsWith('adapters/')).map(({ path }) => dirname(path).split('/')[1]),
);
const table = [...partRows(), { part: `adapters (${adapterFolders.size})`, ...sizeOf('adapters/') }];

function sizeOf(folder: string): { files: number; lines: number } {
  const files = product.filter(({ path }) => path.startsWith(folder));
  return { files: files.length, lines: total(files) };
}

process.stdout.write(`${'part'.padEnd(18)}${'files'.padStart(7)}${'lines'.padStart(9)}\n`);
for (const { part, files, lines } of table) {
  process.stdout.write(`${part.padEnd(18)}${String(files).padStart(7)}${String(lines).padStart(9)}\n`);
}
process.stdout.write('\n');
let exceeded = 0;
for (const { figure, value, limit } of rows()) {
  const isOver = limit !== undefined && Number(value) > limit;
  if (isOver) exceeded += 1;
  const bound = limit === undefined ? '' : `  (at most ${limit}${isOver ? ': EXCEEDED' : ''})`;
  process.stdout.write(`${figure.padEnd(52)}${value}${bound}\n`);
}
process.exitCode = exceeded > 0 ? 1 : 0;
