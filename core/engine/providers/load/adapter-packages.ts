/** Lists the adapters in this repository. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { v, type ProviderAdapter } from '@paywright/contract';
import { importPackage } from './import-package.ts';

export interface AdapterPackage {
  /** The name of its folder below `adapters/`. */
  readonly folder: string;
  readonly name: string;
  /** Undefined if it is not built, or cannot be imported. */
  readonly adapter: ProviderAdapter | undefined;
}

const Package = v.pipe(v.string(), v.parseJson(), v.object({ name: v.string() }));
const Module = v.object({ default: v.custom<ProviderAdapter>(isAdapter) });

function isAdapter(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'manifest' in value;
}

/**
 * Lists the packages in the order of their codes. Packages without an adapter come last. An installed gateway has no
 * folder of adapters, so its list is empty.
 */
export async function listAdapterPackages(root: string): Promise<AdapterPackage[]> {
  const entries = await readdir(join(root, 'adapters'), { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const found = await Promise.all(folders.map(async (folder) => readPackage(root, folder)));
  const codeOf = ({ adapter }: AdapterPackage): number => adapter?.manifest.code ?? Number.MAX_SAFE_INTEGER;
  return found.flat().sort((a, b) => codeOf(a) - codeOf(b) || a.folder.localeCompare(b.folder));
}

async function readPackage(root: string, folder: string): Promise<AdapterPackage[]> {
  const text = await readFile(join(root, 'adapters', folder, 'package.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const { name } = v.parse(Package, text);
  const module = await importPackage(name, [root]).catch(() => undefined);
  const read = v.safeParse(Module, module);
  return [{ folder, name, adapter: read.success ? read.output.default : undefined }];
}
