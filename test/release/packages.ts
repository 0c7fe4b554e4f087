/** The packages of a release: their folders, their versions, and the manifest that the service is published with. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../clients/run-program.ts';

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly overrides?: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

/** The contract has a version of its own: adapters name the contract that they were written for. */
const contractFolder = 'core/contract';

/** The folders of the libraries that are released together with the service, relative to the repository. */
export async function libraryFolders(repository: string): Promise<string[]> {
  const names = await readdir(join(repository, 'adapters'), { withFileTypes: true });
  const adapters = names.filter((entry) => entry.isDirectory() && entry.name !== 'guide').map(({ name }) => name);
  return [contractFolder, 'core/client', ...adapters.sort().map((name) => `adapters/${name}`)];
}

/** The folders of the shop packages. They have lock files of their own, outside the workspaces. */
export async function shopFolders(repository: string): Promise<string[]> {
  const shops = 'core/client/shops';
  return (await readdir(join(repository, shops))).sort().map((name) => `${shops}/${name}`);
}

export async function readManifest(repository: string, folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(repository, folder, 'package.json'), 'utf8')) as Manifest;
}

async function writeManifest(repository: string, folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(repository, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** The tag of the image in the example for Kubernetes. */
const imageTag = { file: 'config/deploy/kubernetes/kustomization.yaml', pattern: /newTag: '[^']*'/ };

/** Sets the version of the service, its command, its client and its adapters, in the lock file too. */
export async function setVersions(repository: string, version: string): Promise<void> {
  const image = join(repository, imageTag.file);
  await writeFile(image, (await readFile(image, 'utf8')).replace(imageTag.pattern, `newTag: '${version}'`));
  const libraries = await libraryFolders(repository);
  const shops = await shopFolders(repository);
  for (const folder of ['.', 'core/cli', ...libraries.filter((one) => one !== contractFolder), ...shops]) {
    await writeManifest(repository, folder, { ...(await readManifest(repository, folder)), version });
  }
  for (const folder of ['.', ...shops]) {
    await run(['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: join(repository, folder),
    });
  }
}

/** Compiles the shop packages, for which their shops must be installed. */
export async function buildShops(repository: string): Promise<void> {
  for (const folder of await shopFolders(repository)) {
    const cwd = join(repository, folder);
    await run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd });
    await run(['npm', 'run', 'build'], { cwd });
  }
}

/**
 * The manifest of the published service. It needs the other packages of the release in exactly their versions. The
 * overrides of a dependency have no effect where it is installed, so they become dependencies.
 */
export function toPublished(service: Manifest, libraries: readonly Manifest[]): Manifest {
  const { private: _private, workspaces: _workspaces, scripts: _scripts, overrides = {}, ...members } = service;
  const exact = Object.fromEntries(libraries.map(({ name, version }) => [name, version]));
  return { ...members, dependencies: { ...service.dependencies, ...overrides, ...exact } };
}

/** The manifest of a published shop package: the client by its exact version instead of by its folder. */
export function toPublishedShop(shop: Manifest, libraries: readonly Manifest[]): Manifest {
  const { scripts: _scripts, devDependencies: _devDependencies, dependencies = {}, ...members } = shop;
  const exact = Object.keys(dependencies).map((name) => [name, libraries.find((one) => one.name === name)!.version]);
  return { ...members, dependencies: Object.fromEntries(exact) };
}

export interface Packed {
  /** Paths of tarballs, the service's last. */
  readonly service: readonly string[];
  /** Paths of tarballs. Each needs its shop. */
  readonly shops: readonly string[];
}

/** Packs the service, the libraries and the shop packages. */
export async function packAll(repository: string, into: string): Promise<Packed> {
  const folders = await libraryFolders(repository);
  const libraries: Manifest[] = [];
  const tarballs: string[] = [];
  for (const folder of folders) {
    libraries.push(await readManifest(repository, folder));
    tarballs.push(await pack(join(repository, folder), into));
  }
  const packAs = async (folder: string, toManifest: typeof toPublished): Promise<string> => {
    const manifest = await readManifest(repository, folder);
    await writeManifest(repository, folder, toManifest(manifest, libraries));
    try {
      return await pack(join(repository, folder), into);
    } finally {
      await writeManifest(repository, folder, manifest);
    }
  };
  const shops: string[] = [];
  for (const folder of await shopFolders(repository)) shops.push(await packAs(folder, toPublishedShop));
  return { service: [...tarballs, await packAs('.', toPublished)], shops };
}

/** The packages are built already: their scripts do not run. */
async function pack(folder: string, into: string): Promise<string> {
  const words = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const [packed] = JSON.parse(await run(words, { cwd: folder })) as [{ readonly filename: string }];
  return join(into, packed.filename);
}
