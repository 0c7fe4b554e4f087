/**
 * Generates the table of adapters in adapters/README.md from their manifests and the opening comments of their
 * `index.ts`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProviderAdapter } from '@paywright/contract';
import { listAdapterPackages } from '../engine/providers/load/adapter-packages.ts';

const begin = '<!-- made by `paywright adapters table --write` -->';
const end = '<!-- end of the table -->';

const abilities = ['complete', 'fetchStatus', 'capture', 'void', 'close', 'refund', 'markSeen'] as const;

/** The row of an adapter of the repository. */
export interface AdapterRow {
  readonly adapter: string;
  readonly code: number;
  readonly input: readonly string[];
  readonly methods: readonly string[];
  readonly routes: readonly string[];
  readonly abilities: readonly string[];
  /** A description of the adapter in one or two sentences. */
  readonly style: string;
}

/** Throws an Error that names an adapter that is not built or has no opening comment. */
export async function readAdapterRows(root: string): Promise<readonly AdapterRow[]> {
  const packages = await listAdapterPackages(root);
  return Promise.all(
    packages.map(async ({ folder, adapter }) => {
      if (!adapter) throw new Error(`adapters/${folder} is not built, or cannot be imported: npm run build`);
      return { ...rowOf(folder, adapter), style: await styleOf(root, folder) };
    }),
  );
}

/** Markdown as Prettier formats it. Throws like `readAdapterRows`. */
export async function adaptersTable(root: string): Promise<string> {
  const rows = await readAdapterRows(root);
  const head = ['adapter', 'code', 'input', 'methods', 'routes', 'abilities'];
  const cells = rows.map(({ adapter, code, input, methods, routes, abilities: able }) => [
    `[${adapter}](${adapter}/README.md)`,
    String(code),
    ...[input, methods, routes, able].map((words) => words.join(', ')),
  ]);
  const styles = rows.map(({ adapter, style }) => `- **${adapter}**: ${style}`);
  return [...aligned([head, ...cells]), '', ...styles].join('\n');
}

function rowOf(adapter: string, { manifest, callbacks, ...methods }: ProviderAdapter): Omit<AdapterRow, 'style'> {
  return {
    adapter,
    code: manifest.code,
    input: manifest.inputs,
    methods: manifest.ways.map(({ method }) => method),
    routes: callbacks.map(({ method, path }) => `${method} ${path}`),
    abilities: [
      ...abilities.filter((name) => methods[name]),
      ...(manifest.ways.some(({ threeDs }) => threeDs === 'enforced') ? ['3D Secure'] : []),
    ],
  };
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, at) => Math.max(...rows.map((row) => row[at]!.length)));
  const line = (row: readonly string[]): string => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head!, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body];
}

/** The text of the comment that opens `index.ts`, up to the name of the protocol's documents. */
async function styleOf(root: string, folder: string): Promise<string> {
  const text = await readFile(join(root, 'adapters', folder, 'index.ts'), 'utf8');
  const [, comment = ''] = /^\/\*\*([^]*?)\*\//.exec(text) ?? [];
  const said = comment.replaceAll('*', ' ').replaceAll(/\s+/g, ' ').trim().split(' Protocol:')[0]!;
  if (!said.endsWith('.')) {
    throw new Error(
      `adapters/${folder}/index.ts must start with a comment that describes the adapter: see the other adapters`,
    );
  }
  return said;
}

/** The guide with the current table. Throws an Error if the guide does not have the marker lines. */
export async function withTable(guide: string, root: string): Promise<string> {
  const [from, to] = [guide.indexOf(begin), guide.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`adapters/README.md must contain the lines ${begin} and ${end}`);
  return `${guide.slice(0, from + begin.length)}\n\n${await adaptersTable(root)}\n\n${guide.slice(to)}`;
}
