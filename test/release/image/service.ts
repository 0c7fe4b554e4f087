/** The folders of the image with the service: its packed tarballs, and their dependencies from the lock file. */
import { chmod, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../../clients/run-program.ts';
import { root } from '../../support/start-gateway.ts';
import { readManifest, type Manifest } from '../packages.ts';
import { dataFolder } from './debian-root.ts';

/** The folder of the service in the image. */
export const serviceFolder = '/gateway';

interface Lock {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly link?: boolean;
  readonly integrity?: string;
}

/** Finds or fetches a mongod for development. A container uses an external MongoDB. */
const embeddedMongo = 'mongodb-memory-server-core';

/** Thrown if the packages cannot become an image. The message says what to do. */
export class PackagesError extends Error {}

/**
 * Unpacks the service, and installs the other tarballs and the locked dependencies into it. Of the optional
 * packages only that of the embedded MongoDB is left out: nothing can be added later to a read-only root file system.
 */
export async function addService(folder: string, packages: string): Promise<string> {
  const service = join(folder, serviceFolder);
  const data = join(folder, dataFolder);
  await Promise.all([mkdir(service, { recursive: true }), mkdir(data, { recursive: true })]);
  await chmod(data, 0o700);
  const { tarball, libraries } = await findTarballs(packages);
  const unpack = ['tar', '--extract', '--gzip', '--strip-components=1', '--file', tarball, '--directory', service];
  await run(unpack, { cwd: service });
  const published = await readFile(join(service, 'package.json'), 'utf8');
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lock;
  await writeJson(join(service, 'package.json'), toInstalled(JSON.parse(published) as Manifest, libraries));
  await writeJson(join(service, 'package-lock.json'), withoutOwn(lock));
  const install = ['npm', 'install', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run(install, { cwd: service });
  const installed = JSON.parse(await readFile(join(service, 'node_modules/.package-lock.json'), 'utf8')) as Lock;
  const unlocked = findUnlocked(installed, lock);
  if (unlocked.length > 0)
    throw new PackagesError(`package-lock.json does not have ${unlocked.join(', ')}: run npm install, and commit it.`);
  await writeFile(join(service, 'package.json'), published);
  // Both name the folder of the tarballs.
  await Promise.all(
    ['package-lock.json', 'node_modules/.package-lock.json'].map(async (path) => rm(join(service, path))),
  );
  await linkCommand(folder);
  const { version } = await readManifest(service, '.');
  return `paywright ${version}, ${Object.keys(installed.packages).length} packages`;
}

async function findTarballs(packages: string): Promise<{ readonly tarball: string; readonly libraries: string[] }> {
  const names = (await readdir(packages)).filter((name) => name.endsWith('.tgz')).sort();
  const service = names.filter((name) => /^paywright-\d/.test(name));
  if (service.length !== 1)
    throw new PackagesError(`${packages} has no packages of a release: run npm run release -- <version> --dry-run.`);
  const libraries = names.filter((name) => name !== service[0]);
  return { tarball: join(packages, service[0]!), libraries: libraries.map((name) => join(packages, name)) };
}

/** The manifest that npm installs: own packages come from their tarballs. */
export function toInstalled(published: Manifest, tarballs: readonly string[]): Manifest {
  const files = new Map(tarballs.map((path) => [basename(path).replace(/-\d+\.\d+\.\d+.*$/, ''), `file:${path}`]));
  const { optionalDependencies = {}, ...members } = published;
  const optional = Object.entries(optionalDependencies as Manifest['dependencies'] & object);
  const kept = optional.filter(([name]) => name !== embeddedMongo);
  const dependencies = Object.entries(published.dependencies ?? {}).map(([name, range]) => {
    const file = files.get(name.replace('@', '').replace('/', '-'));
    if (!file && isOwn(name)) throw new PackagesError(`The tarball of ${name} is missing: make the release again.`);
    return [name, file ?? range];
  });
  return { ...members, dependencies: Object.fromEntries([...dependencies, ...kept]) as Record<string, string> };
}

const isOwn = (name: string): boolean => name.startsWith('@paywright/');
const nameOf = (path: string): string => path.split('node_modules/').at(-1)!;

/** The lock file without the packages of the repository, which come from their tarballs. */
function withoutOwn(lock: Lock): Lock {
  const others = Object.entries(lock.packages).filter(
    ([path]) => path.startsWith('node_modules/') && !isOwn(nameOf(path)),
  );
  return { ...lock, packages: Object.fromEntries(others) };
}

/** The installed packages of others whose content is not that of the lock file. */
export function findUnlocked(installed: Lock, lock: Lock): string[] {
  const toText = ([path, { version, integrity }]: [string, LockedPackage]): string =>
    `${nameOf(path)}@${version} ${integrity}`;
  const locked = new Set(Object.entries(lock.packages).map(toText));
  return Object.entries(installed.packages)
    .filter(([path]) => !isOwn(nameOf(path)))
    .map(toText)
    .filter((one) => !locked.has(one))
    .map((one) => one.split(' ')[0]!);
}

/** `paywright` works in a container without its path. */
async function linkCommand(folder: string): Promise<void> {
  const bin = join(folder, 'usr/local/bin');
  await mkdir(bin, { recursive: true });
  await symlink(`${serviceFolder}/core/cli/bin/paywright.mjs`, join(bin, 'paywright'));
}

async function writeJson(path: string, content: object): Promise<void> {
  await writeFile(path, `${JSON.stringify(content, null, 2)}\n`);
}
