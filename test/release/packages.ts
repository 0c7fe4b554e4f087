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
  for (const folder of ['.', 'core/cli', ...libraries.filter((one) => one !== contractFolder)]) {
    await writeManifest(repository, folder, { ...(await readManifest(repository, folder)), version });
  }
  await run(['npm', 'install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: repository,
  });
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

/** Packs the service and the libraries. Returns the paths of the tarballs, the service's last. */
export async function packAll(repository: string, into: string): Promise<string[]> {
  const folders = await libraryFolders(repository);
  const libraries: Manifest[] = [];
  const tarballs: string[] = [];
  for (const folder of folders) {
    libraries.push(await readManifest(repository, folder));
    tarballs.push(await pack(join(repository, folder), into));
  }
  const service = await readManifest(repository, '.');
  await writeManifest(repository, '.', toPublished(service, libraries));
  try {
    return [...tarballs, await pack(repository, into)];
  } finally {
    await writeManifest(repository, '.', service);
  }
}

/** The packages are built already: their scripts do not run. */
async function pack(folder: string, into: string): Promise<string> {
  const words = ['npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const [packed] = JSON.parse(await run(words, { cwd: folder })) as [{ readonly filename: string }];
  return join(into, packed.filename);
}
