/** Uses an image as an engine does: checks its files, and runs it with runc on a read-only root file system. */
import { randomBytes } from 'node:crypto';
import { chown, lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../../../core/base/testing/until.ts';
import {
  chooseFreePort,
  findMongod,
  startMongod,
  type RunningMongod,
} from '../../../workers/supervisor/dev/mongod/index.ts';
import { run, runInBackground, type Background } from '../../clients/run-program.ts';
import { paymentLines } from '../try-packages.ts';
import { dataFolder } from './debian-root.ts';
import { unpackImage, type UnpackedImage } from './oci.ts';

/** Under load, a start takes much longer than on an idle machine. */
const limitMs = 120_000;
const settingsFolder = '/etc/gateway';

/** Thrown if the image does not do what it promises. */
export class TrialError extends Error {}

/** Programs that the image must not have. */
const unwanted = /^(?:sh|bash|dash|busybox|apt|dpkg|npm|npx|mongod|mongosh|curl|su|mount|passwd)$/;

/** The folders that not every user may read. */
const closed = [dataFolder, '/root'];

/** Returns the number of files. Throws for files that weaken the image. */
export async function checkFiles({ rootfs }: Pick<UnpackedImage, 'rootfs'>): Promise<number> {
  const problems: string[] = [];
  let count = 0;
  for (const entry of await readdir(rootfs, { recursive: true, withFileTypes: true })) {
    count += 1;
    const path = join(entry.parentPath, entry.name).slice(rootfs.length);
    const problem = await problemOf(join(rootfs, path), path);
    if (problem) problems.push(`${path}: ${problem}`);
  }
  if (problems.length > 0) throw new TrialError(problems.slice(0, 20).join('\n'));
  return count;
}

async function problemOf(file: string, path: string): Promise<string | undefined> {
  const found = await lstat(file);
  if (found.isSymbolicLink()) return undefined;
  const [name = ''] = path.split('/').slice(-1);
  if (found.isFile() && found.mode & 0o6000) return 'runs with the rights of another user';
  if (found.mode & 0o002 && !(found.isDirectory() && found.mode & 0o1000)) return 'every user may write to it';
  const needed = found.isDirectory() ? 0o005 : 0o004;
  if ((found.mode & needed) !== needed && !closed.includes(path)) return 'the service cannot read it';
  if (/\/s?bin\//.test(path) && unwanted.test(name)) return 'the service does not need this program';
  if (path.startsWith('/gateway/.build/') && /\.(?:test\.js|map)$/.test(name)) return 'belongs to the development';
  return undefined;
}

export interface Trial {
  readonly firstPayment: string;
  readonly startSeconds: { readonly development: number; readonly production: number };
  readonly stopSeconds: number;
  readonly memoryMegabytes: number;
}

/** Pays once with the settings of development, then starts, disturbs and stops it with those of production. */
export async function tryImage(archive: string, folder: string): Promise<Trial & UnpackedImage['bytes']> {
  const image = await unpackImage(archive, folder);
  await checkFiles(image);
  const report = (line: string): void => void process.stderr.write(`${line}\n`);
  const { path: binary } = await findMongod({ env: process.env, report });
  const mongod = await startMongod({ binary, ephemeral: true, report });
  try {
    const development = await payOnce(image, { folder, mongod });
    const production = await runProduction(image, { folder, mongod });
    const startSeconds = { development: development.startSeconds, production: production.startSeconds };
    return { ...image.bytes, ...production, firstPayment: development.payment, startSeconds };
  } finally {
    await mongod.stop();
  }
}

interface Surroundings {
  readonly folder: string;
  readonly mongod: RunningMongod;
}

const addressOf = ({ uri }: RunningMongod, database: string): string => uri.replace(/\/[^/?]*(\?|$)/, `/${database}$1`);

async function payOnce(
  image: UnpackedImage,
  { folder, mongod }: Surroundings,
): Promise<{ payment: string; startSeconds: number }> {
  const env = { GATEWAY_ENV: 'development', MONGODB_URI: addressOf(mongod, 'first') };
  const container = await startContainer(image, { folder, name: 'development', env });
  try {
    const startSeconds = await container.untilReady();
    const isPrinted = (): boolean => container.program.lines().some((line) => line.startsWith('curl '));
    await until('the line that pays is printed', isPrinted, limitMs);
    const paid = JSON.parse(await run(['sh', '-c', paymentLines(container.program)], { cwd: folder })) as {
      readonly result: string;
    };
    if (paid.result !== 'OK') throw new TrialError(`The first payment is ${paid.result}.`);
    return { payment: paid.result, startSeconds };
  } finally {
    await container.stop();
  }
}

async function runProduction(
  image: UnpackedImage,
  { folder, mongod }: Surroundings,
): Promise<{ startSeconds: number; stopSeconds: number; memoryMegabytes: number }> {
  const settings = { database: { allowInsecure: true }, adapters: { 'provider-a': { state: 'off' } } };
  const env = {
    MONGODB_URI: addressOf(mongod, 'second'),
    GATEWAY_CONFIG: `config/deploy/gateway.yaml,${settingsFolder}/trial.yaml`,
    GATEWAY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    GATEWAY_3DS_TOKEN_SECRET: randomBytes(32).toString('hex'),
    PUBLIC_URL: 'https://pay.example',
  };
  const container = await startContainer(image, { folder, name: 'production', env, settings });
  try {
    const startSeconds = await container.untilReady();
    await container.execute(image.config.config.Healthcheck.Test.slice(1));
    await killEachProcess(container);
    const { megabytes } = await container.processes();
    return { startSeconds, stopSeconds: await container.stop(), memoryMegabytes: megabytes };
  } finally {
    await container.stop();
  }
}

/** Kills every process of the service but the first. All of them must return, and leave no zombie. */
async function killEachProcess(container: Container): Promise<void> {
  const { running } = await container.processes();
  if (running.length < 4) throw new TrialError(`Only ${running.length} processes run.`);
  const killed = running.filter((pid) => pid !== 1);
  await container.execute(['node', '-e', `for (const pid of [${killed.join()}]) process.kill(pid, 'SIGKILL')`]);
  await until(
    'killed processes are replaced and leave no zombie',
    async () => {
      const now = await container.processes();
      const isReplaced = now.running.length >= running.length && !now.running.some((pid) => killed.includes(pid));
      return isReplaced && now.zombies === 0;
    },
    limitMs,
  );
  await container.untilReady();
}

interface Container {
  readonly program: Background;
  /** Resolves once `/ready` of the API answers 200, with the seconds since the start. */
  untilReady(): Promise<number>;
  execute(words: readonly string[]): Promise<string>;
  processes(): Promise<{ readonly running: number[]; readonly zombies: number; readonly megabytes: number }>;
  /** Stops it with SIGTERM, and resolves with the seconds that this took. */
  stop(): Promise<number>;
}

interface ContainerOptions {
  readonly folder: string;
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly settings?: object;
}

async function startContainer(
  image: UnpackedImage,
  { folder, name, env, settings = {} }: ContainerOptions,
): Promise<Container> {
  const [port, opsPort] = [await chooseFreePort(), await chooseFreePort()];
  const bundle = join(folder, name);
  const own = { HOST: '127.0.0.1', PORT: `${port}`, OPS_PORT: `${opsPort}`, API_PROCESSES: '2', WORKERS: '2' };
  await writeBundle(image, { bundle, env: { ...env, ...own }, settings });
  const id = `paywright-${name}-${process.pid}`;
  const begin = Date.now();
  // The shell only redirects: exec makes runc its process.
  const command = `exec runc run --bundle ${bundle} ${id} 2>errors.txt`;
  const program = runInBackground(['sh', '-c', command], { cwd: bundle });
  const printed = async (): Promise<string> =>
    [...program.lines(), await readFile(join(bundle, 'errors.txt'), 'utf8')].slice(-20).join('\n');
  let isStopped = false;
  void program.ended.then(() => (isStopped = true));
  const execute = async (words: readonly string[]): Promise<string> =>
    run(['runc', 'exec', id, ...words], { cwd: bundle });
  return {
    program,
    execute,
    async untilReady() {
      const isReady = async (): Promise<boolean> => {
        if (isStopped) throw new TrialError(`The container ended:\n${await printed()}`);
        return fetch(`http://127.0.0.1:${port}/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      };
      await until('the container is ready', isReady, limitMs);
      return secondsSince(begin);
    },
    async processes() {
      return JSON.parse(await execute(['node', '-e', listProcesses])) as Awaited<ReturnType<Container['processes']>>;
    },
    async stop() {
      if (isStopped) return 0;
      const asked = Date.now();
      await run(['runc', 'kill', id, 'TERM'], { cwd: bundle });
      const code = await program.ended;
      if (code !== 0) throw new TrialError(`The container ended with ${code} after SIGTERM:\n${await printed()}`);
      return secondsSince(asked);
    },
  };
}

const secondsSince = (begin: number): number => Math.round((Date.now() - begin) / 100) / 10;

/** Runs in the container, whose only program for this is node. Does not count itself. */
const listProcesses = `
const { readdirSync, readFileSync } = require('node:fs');
const result = { running: [], zombies: 0, megabytes: 0 };
for (const pid of readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && Number(name) !== process.pid)) {
  const status = readFileSync('/proc/' + pid + '/status', 'utf8');
  if (/^State:\\s+Z/m.test(status)) result.zombies += 1;
  else result.running.push(Number(pid));
  result.megabytes += Math.round(Number(/^RssAnon:\\s+(\\d+)/m.exec(status)?.[1] ?? 0) / 1024);
}
console.log(JSON.stringify(result));`;

/** A container as the deployment for Kubernetes describes it: no capabilities, and two writable folders. */
async function writeBundle(
  { config: { config }, rootfs }: UnpackedImage,
  { bundle, env, settings }: { bundle: string; env: Readonly<Record<string, string>>; settings: object },
): Promise<void> {
  const [data, ownSettings] = [join(bundle, 'data'), join(bundle, 'settings')];
  await Promise.all([mkdir(data, { recursive: true }), mkdir(ownSettings, { recursive: true })]);
  await writeFile(join(ownSettings, 'trial.yaml'), JSON.stringify(settings));
  const [uid = 0, gid = 0] = config.User.split(':').map(Number);
  if (!uid || !gid) throw new TrialError(`The user of the image is ${config.User}.`);
  await chown(data, uid, gid);
  const tmpfs = (destination: string, options: readonly string[]): object => {
    return { destination, type: 'tmpfs', source: 'tmpfs', options: ['nosuid', ...options] };
  };
  const spec = {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...config.Entrypoint, ...config.Cmd],
      env: [...config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: config.WorkingDir,
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: true,
    },
    root: { path: rootfs, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      tmpfs('/dev', ['mode=755', 'size=65536k']),
      tmpfs('/tmp', ['mode=1777', 'size=16m']),
      { destination: dataFolder, type: 'bind', source: data, options: ['bind', 'rw', 'nosuid', 'nodev'] },
      { destination: settingsFolder, type: 'bind', source: ownSettings, options: ['bind', 'ro'] },
    ],
    // The network is that of this machine, because the database and the calls come from it.
    linux: { namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })) },
  };
  await writeFile(join(bundle, 'config.json'), JSON.stringify(spec));
}

/** Throws if this machine cannot run the image. */
export async function checkTools(): Promise<void> {
  if (process.getuid?.() !== 0) throw new TrialError('Running the image needs root: use --build-only, or become root.');
  const version = await run(['runc', '--version'], { cwd: '/' }).catch(() => undefined);
  if (!version) throw new TrialError('Running the image needs runc: install it, or use --build-only.');
}
