import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { MongodError } from './mongod-error.ts';

const runFile = promisify(execFile);

/** The oldest version that has the operators and change streams that the gateway uses. */
const oldestMajor = 6;

const cures: readonly [library: RegExp, cure: string][] = [
  [/^libcurl\./, 'apt-get install libcurl4 (Debian, Ubuntu) or dnf install libcurl (Fedora, RHEL)'],
  [
    /^lib(ssl|crypto)\./,
    'apt-get install libssl3 (Debian 12, Ubuntu 22.04) or dnf install openssl-libs (Fedora, RHEL)',
  ],
  [/^liblzma\./, 'apt-get install liblzma5 (Debian, Ubuntu) or dnf install xz-libs (Fedora, RHEL)'],
];

const Failure = v.object({
  code: v.nullish(v.union([v.string(), v.number()])),
  signal: v.nullish(v.string()),
  stderr: v.optional(v.string(), ''),
});

/**
 * Runs `mongod --version` and returns the version, such as `6.0.5`. Throws a `MongodError` if mongod cannot run here.
 */
export async function readMongodVersion(path: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await runFile(path, ['--version'], { env, timeout: 10_000 }).catch((error: unknown) => {
    throw new MongodError(describeFailure(path, error), { cause: error });
  });
  const version = /^db version v(\d+\.\d+\.\d+)/m.exec(stdout)?.[1];
  if (version === undefined) throw new MongodError(`${path} is not a mongod: it prints no version of MongoDB.`);
  if (Number.parseInt(version, 10) < oldestMajor) {
    throw new MongodError(`${path} is MongoDB ${version}, but ${oldestMajor}.0 or newer is needed.`);
  }
  return version;
}

function describeFailure(path: string, error: unknown): string {
  const { code, signal, stderr } = v.parse(Failure, error);
  const library = /error while loading shared libraries: ([^:\s]+)/.exec(stderr)?.[1];
  if (library !== undefined) {
    const cure = cures.find(([pattern]) => pattern.test(library))?.[1] ?? 'install the package that contains it';
    return `${path} cannot run because the system library ${library} is missing: ${cure}, or set MONGODB_URI.`;
  }
  const symbol = /version [`']([^`'\s]+)' not found/.exec(stderr)?.[1];
  if (symbol !== undefined) {
    return `${path} cannot run because this system is too old for it (${symbol} is missing): install a mongod made for this system, or set MONGODB_URI.`;
  }
  if (signal === 'SIGILL') {
    return `${path} cannot run on this processor, which lacks AVX: set MONGODB_URI to a MongoDB elsewhere.`;
  }
  return `${path} cannot run here (${signal ?? code ?? 'no reason given'}): install a mongod made for this system, or set MONGODB_URI.`;
}
