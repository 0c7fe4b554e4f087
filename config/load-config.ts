import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { secretPaths, v } from '@paywright/contract';
import { productionProblems } from './production-rules.ts';
import { readYaml } from '../core/base/text/read-yaml.ts';
import { renamePackages } from './renamed-packages.ts';
import { Config, keysAt, readAdapterSources } from './schema.ts';
import type { AdapterSource } from './schema.ts';
import { isMap, mergeSettings, originOf, toPathText, valueAt } from './settings.ts';
import type { Origins, Path, Problem, Source } from './settings.ts';
import { findSpacedSecrets } from './spaced-secrets.ts';
import { substitute } from './substitute.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: Config;
  /** Value of GATEWAY_ENV: `development`, `production`, `test`, or the name of another file of config/. */
  readonly environment: string;
  /** The environment is `production` or extends it, directly or through other files. All rules of production apply. */
  readonly isProduction: boolean;
  /** Absolute folder of the gateway. */
  readonly root: string;
  /** Absolute paths of the files, in the order in which they were merged. */
  readonly files: readonly string[];
  /** Settings that still work but should be changed, one line each: file, path, what to do. */
  readonly warnings: readonly string[];
  /** The source of a value, such as `config/production.yaml` or `environment variable PORT`. */
  readonly origin: (path: Path) => string;
  /** Absolute folder of the file that names an adapter's package. The package is looked up there first. */
  readonly adapterDirs: Readonly<Record<string, string>>;
  /** Missing values of adapters that are off, one line each. An adapter with missing values must not be turned on. */
  readonly adapterGaps: Readonly<Record<string, readonly string[]>>;
  /** Paths, joined by dots, of the values that came from `${env:…}` or `${file:…}`. */
  readonly secretValues: ReadonlySet<string>;
}

/** The adapters of the settings that can be loaded. */
export interface AdapterSources {
  readonly adapters: Readonly<Record<string, AdapterSource>>;
  readonly environment: string;
  readonly isProduction: boolean;
  readonly root: string;
  readonly adapterDirs: Readonly<Record<string, string>>;
}

/** Returns the problems, and warnings, that the adapters themselves find in the settings. */
export type CheckAdapters = (sources: AdapterSources) => Promise<readonly Problem[]>;

/**
 * All problems of the settings, one line each: file, path, variable, what to do. It contains no value of any setting.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: Iterable<string>) {
    const lines = [...new Set(problems)];
    super(lines.join('\n'));
    this.problems = lines;
  }
}

/** Environment variables that set a value directly, above every file. */
export const variables: Readonly<Record<string, Path>> = {
  HOST: ['server', 'host'],
  PORT: ['server', 'port'],
  PUBLIC_URL: ['server', 'publicUrl'],
  MONGODB_URI: ['database', 'uri'],
  GATEWAY_DATA_DIR: ['database', 'dataDir'],
  API_PROCESSES: ['server', 'processes'],
  WORKERS: ['workers', 'count'],
  LOG_LEVEL: ['log', 'level'],
  LOG_FILE: ['log', 'file'],
  OPS_HOST: ['ops', 'host'],
  OPS_PORT: ['ops', 'port'],
  OPS_PUBLIC_URL: ['ops', 'publicUrl'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['traces', 'endpoint'],
};

/**
 * Reads, in this order: config/default.yaml, the files that the environment's file extends, the environment's file, the
 * files of GATEWAY_CONFIG, and the environment variables. Later values override earlier ones. `root` is the gateway's
 * folder. GATEWAY_CONFIG and GATEWAY_DATA_DIR are relative to `cwd`. Throws a ConfigError, which includes the problems
 * that `checkAdapters` finds.
 */
export async function loadConfig({
  env,
  root,
  cwd = process.cwd(),
  checkAdapters = async () => [],
}: {
  env: Environment;
  root: string;
  cwd?: string;
  checkAdapters?: CheckAdapters;
}): Promise<LoadedConfig> {
  const environment = env['GATEWAY_ENV'] || 'development';
  const files = await readFiles(environment, env, root, cwd);
  const isProduction = files.some(({ environment: name }) => name === 'production');
  // Without the unreadable files, further problems would be misleading.
  const unreadable = files.flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`));
  if (unreadable.length > 0) throw new ConfigError(unreadable);
  const origins: Origins = new Map();
  let settings: unknown = {};
  const warnings: string[] = [];
  for (const { name, path, value } of files) {
    const current = renamePackages(value);
    warnings.push(...current.warnings.map((warning) => `${name}: ${warning}`));
    settings = mergeSettings(settings, current.value, { name, folder: dirname(path) }, origins);
  }
  for (const [name, path] of Object.entries(variables)) {
    const text = env[name]?.trim();
    if (!text) continue;
    const source: Source = { name: `environment variable ${name}` };
    settings = mergeSettings(settings, toNested(path, text), source, origins);
  }

  const { value, missing, trimmed, secretValues, sources } = substitute(settings, origins, env);
  // The default of publicUrl contains the host.
  if (secretValues.has('server.host')) secretValues.add('server.publicUrl');
  const result = v.safeParse(Config, value, { message: describeIssue });
  const origin = (path: Path) => originOf(origins, path)?.name ?? 'config/default.yaml';
  const sourcesOf = (path: Path) => path.flatMap((_, at) => sources.get(toPathText(path.slice(0, at + 1))) ?? []);
  const toLine = ({ path, message }: Problem) => {
    const from = sourcesOf(path);
    const where = from.length > 0 ? `${toPathText(path)} (${from.join(', ')})` : toPathText(path);
    return [origin(path), where, message].filter(Boolean).join(': ');
  };

  const isOff = (path: Path) =>
    path[0] === 'adapters' &&
    [path.slice(0, 2), accountOf(path)].some((owner) => owner && valueAt(value, [...owner, 'state']) === 'off');
  const fatal = missing.filter(({ path }) => !isOff(path));
  const isReported = ({ path }: Problem) => fatal.some((gap) => path.every((key, at) => gap.path[at] === key));
  const adapterDirOf = (name: string) => originOf(origins, ['adapters', name, 'package'])?.folder ?? root;
  const adapterSources = readAdapterSources(value);
  const found = [
    ...(result.issues ?? []).flatMap(toProblems),
    ...(isProduction ? productionProblems(value) : []),
    ...(await checkAdapters({
      adapters: adapterSources,
      environment,
      isProduction,
      root,
      adapterDirs: mapKeys(adapterSources, adapterDirOf),
    })),
  ];
  const problems = [...fatal, ...found.filter((problem) => !problem.isWarning && !isReported(problem))];
  const loose = [...findSpacedSecrets(secretPaths(Config), value), ...found.filter(({ isWarning }) => isWarning)];
  warnings.push(...[...trimmed, ...loose].map(toLine));
  if (!result.success || problems.length > 0) throw new ConfigError(problems.map(toLine));

  const { database, adapters } = result.output;
  // Commands and the service must use the same folder, even if they were started in different folders.
  const dataDir = resolve(env['GATEWAY_DATA_DIR'] ? cwd : projectFolder(root), database.dataDir);
  const gapsOf = (name: string) =>
    missing
      .filter(({ path }) => path[0] === 'adapters' && path[1] === name)
      // The values of an account that is off are needed only once the account is turned on.
      .filter(({ path }) => valueAt(value, [...(accountOf(path) ?? []), 'state']) !== 'off')
      .map(toLine);
  return {
    config: { ...result.output, database: { ...database, dataDir } },
    environment,
    isProduction,
    root,
    files: files.map(({ path }) => path),
    warnings,
    origin,
    adapterDirs: mapKeys(adapters, adapterDirOf),
    adapterGaps: mapKeys(adapters, gapsOf),
    secretValues,
  };
}

/** The gateway's folder. If npm installed the gateway: the folder of the project, because npm replaces its own. */
function projectFolder(root: string): string {
  const [before = root] = root.split(`${sep}node_modules${sep}`);
  return before;
}

/** The path of the account that a setting belongs to. Undefined: the setting belongs to no further account. */
function accountOf(path: Path): Path | undefined {
  return path[0] === 'adapters' && path[2] === 'accounts' && path.length > 4 ? path.slice(0, 4) : undefined;
}

function mapKeys<T>(record: object, valueOf: (key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, valueOf(key)]));
}

interface SettingsFile extends ReturnType<typeof readYaml> {
  /** The name in problems. */
  readonly name: string;
  readonly path: string;
  /** The environment of the file. Absent: a file of GATEWAY_CONFIG, or default.yaml. */
  readonly environment?: string;
}

/** Reads every file, in the order in which they are merged. */
async function readFiles(environment: string, env: Environment, root: string, cwd: string): Promise<SettingsFile[]> {
  const folder = join(root, 'config');
  const entries = await readdir(folder).catch(() => []);
  const available = entries
    .filter((entry) => entry.endsWith('.yaml') && entry !== 'default.yaml')
    .map((entry) => entry.slice(0, -'.yaml'.length))
    .sort();
  if (!available.includes(environment)) {
    throw new ConfigError([
      `config/${environment}.yaml: the file does not exist; GATEWAY_ENV must be one of ${available.join(', ')}`,
    ]);
  }
  const readOwn = async (name: string) => readSettings(`config/${name}.yaml`, join(folder, `${name}.yaml`));
  const further = (env['GATEWAY_CONFIG'] ?? '').split(',').flatMap((name) => name.trim() || []);
  return [
    await readOwn('default'),
    ...(await readWithBases(environment, available, readOwn)),
    ...(await Promise.all(further.map(async (name) => readSettings(name, resolve(cwd, name))))),
  ];
}

/** An environment's file may extend another environment, and then contains only the differences from that one. */
async function readWithBases(
  environment: string,
  available: readonly string[],
  readOwn: (name: string) => Promise<SettingsFile>,
): Promise<SettingsFile[]> {
  const files: SettingsFile[] = [];
  const open = new Set(available);
  for (let name: string | undefined = environment; name !== undefined;) {
    open.delete(name);
    const file: SettingsFile = await readOwn(name);
    const { extends: base, ...value } = file.value;
    const isKnown: boolean = typeof base === 'string' && open.has(base);
    const problem = `extends: must be another environment: one of ${[...open].join(', ')}`;
    files.unshift({
      ...file,
      environment: name,
      value,
      problems: [...file.problems, ...(base === undefined || isKnown ? [] : [problem])],
    });
    name = isKnown ? (base as string) : undefined;
  }
  return files;
}

async function readSettings(name: string, path: string): Promise<SettingsFile> {
  try {
    return { name, path, ...readYaml(await readFile(path, 'utf8')) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'the file does not exist; create it, or correct GATEWAY_CONFIG'
        : `cannot be read (${code ?? 'unknown error'}); make it readable`;
    return { name, path, value: {}, problems: [reason] };
  }
}

function toNested(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** valibot's own messages quote the value, which may be a secret. */
function describeIssue(issue: v.BaseIssue<unknown>): string {
  if (issue.input === undefined) return 'is missing; see config/README.md for its form';
  const kinds: Record<string, string> = { strict_object: 'a map', record: 'a map', array: 'a list' };
  return `must be ${kinds[issue.type] ?? 'in another form; see config/README.md'}`;
}

function toProblems(issue: v.BaseIssue<unknown>): Problem[] {
  const path = (issue.path ?? []).map(({ key }) => String(key));
  const last = issue.path?.at(-1);
  if (issue.type !== 'strict_object' || last?.origin !== 'key') return [{ path, message: issue.message }];
  const around = path.slice(0, -1);
  if (!isMap(last.input)) return [{ path: around, message: 'must be a map' }];
  if (issue.expected !== 'never') return [{ path, message: issue.message }];
  // valibot reports only the first unknown key of a map.
  const known = keysAt(around);
  const message = `is not a setting; ${around.length > 0 ? toPathText(around) : 'the file'} may have ${known.join(', ')}`;
  return Object.keys(last.input)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [...around, key], message }));
}
