/**
 * Finds the package of an adapter that an operator names: by its name in the config, by the name of the package, or by
 * the folder of the package. Packages are looked up from the folders of the config files, then from the working
 * directory, then from the gateway's folder.
 */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { v } from '@paywright/contract';
import type { LoadedConfig } from '../../config/load-config.ts';
import { importFolder, importPackage } from '../engine/providers/index.ts';

export interface NamedPackage {
  /** The name of the adapter in the config, if the config lists the adapter or the package. */
  readonly listed: string | undefined;
  /** Imports a module of the package: `''` is the adapter, `/sandbox` its sandbox. An error names what was tried. */
  readonly load: (subpath: string) => Promise<unknown>;
}

type PackageSources = Pick<LoadedConfig, 'config' | 'adapterDirs' | 'files' | 'root'>;

/** `read` returns the config, which a folder does not need. */
export async function findAdapterPackage(given: string, read: () => Promise<PackageSources>): Promise<NamedPackage> {
  const isFolder = /^\.{1,2}([/\\]|$)/.test(given) || isAbsolute(given);
  if (isFolder) return { listed: undefined, load: async (subpath) => importFolder(resolve(given), subpath) };
  const { config, adapterDirs, files, root } = await read();
  const { adapters } = config;
  const listed = Object.keys(adapters).find((name) => name === given || adapters[name]?.package === given);
  if (listed === undefined && /^[^@].*[/\\]/.test(given)) throw new Error(await looksLikeFolder(given));
  const packageName = (listed !== undefined && adapters[listed]?.package) || given;
  const configFolders = files.map((file) => dirname(file)).toReversed();
  const folders = [
    ...(listed === undefined ? [] : [adapterDirs[listed] ?? root]),
    ...configFolders,
    process.cwd(),
    root,
  ];
  return { listed, load: async (subpath) => importPackage(`${packageName}${subpath}`, folders) };
}

const Package = v.pipe(v.string(), v.parseJson(), v.object({ name: v.string() }));

/** The error for a folder without `./`, such as `adapters/acme`. It names the package if the folder has one. */
async function looksLikeFolder(given: string): Promise<string> {
  const text = await readFile(join(given, 'package.json'), 'utf8').catch(() => '');
  const read = v.safeParse(Package, text);
  return `"${given}" looks like a folder: write ./${given}${read.success ? ` or ${read.output.name}` : ', or the name of a package'}`;
}
