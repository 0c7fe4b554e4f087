import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { v } from '@paywright/contract';
import { productionProblems } from './production-rules.ts';
import { readYaml } from './read-yaml.ts';
import { renamePackages } from './renamed-packages.ts';
import { Config, keysAt, readAdapterSources } from './schema.ts';
import type { AdapterSource } from './schema.ts';
import { isMap, mergeSettings, originOf, toPathText, valueAt } from './settings.ts';
import type { Origins, Path, Problem, Source } from './settings.ts';
import { substitute } from './substitute.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoadedConfig {
  readonly config: Config;
  /** Value of GATEWAY_ENV: `development`, `production`, `test`, or the name of another file of config/. */
  readonly environment: string;
  /** It is `production`, or extends it, however many files lie between: it may do nothing that production may not. */
  readonly isProduction: boolean;
  /** Absolute folder of the gateway. */
  readonly root: string;
  /** Absolute paths of the files read, in the order in which they were merged. */
  readonly files: readonly string[];
  /** Settings that still work and should be changed, one line each: file, path, cure. */
  readonly warnings: readonly string[];
  /** Says who set a value: `config/production.yaml`, `environment variable PORT`. */
  readonly origin: (path: Path) => string;
  /** Absolute folder of the file that names an adapter's package: there the package is looked up first. */
  readonly adapterDirs: Readonly<Record<string, string>>;
  /** What an adapter that is off lacks, a line each. While there is any, it must not be turned on. */
  readonly adapterGaps: Readonly<Record<string, readonly string[]>>;
  /** Paths, joined by dots, of the values that came from `${env:…}` or `${file:…}`. */
  readonly secretValues: ReadonlySet<string>;
}

/** The adapters of the settings, as far as each can be loaded. */
export interface AdapterSources {
  readonly adapters: Readonly<Record<string, AdapterSource>>;
  readonly environment: string;
  readonly isProduction: boolean;
  readonly root: string;
  readonly adapterDirs: Readonly<Record<string, string>>;
}

/** Says what the adapters themselves find wrong with the settings. */
export type CheckAdapters = (sources: AdapterSources) => Promise<readonly Problem[]>;

/** All that is wrong with the settings, one line each: file, path, variable, cure. Holds no value of any setting. */
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
  OTEL_EXPORTER_OTLP_ENDPOINT: ['traces', 'endpoint'],
};

/**
 * Reads config/default.yaml, the environment's file with those that it extends beneath it, those of GATEWAY_CONFIG and
 * the environment variables, the later above the earlier. `root` is the gateway's folder, `cwd` the one that GATEWAY_CONFIG and GATEWAY_DATA_DIR start from.
 * Throws ConfigError, with what `checkAdapters` finds too.
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
  // Half of the settings would only give problems that are none.
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
    if (!env[name]) continue;
    const source: Source = { name: `environment variable ${name}` };
    settings = mergeSettings(settings, nest(path, env[name]), source, origins);
  }

  const { value, missing, secretValues, sources } = substitute(settings, origins, env);
  // The default of publicUrl is made of it.
  if (secretValues.has('server.host')) secretValues.add('server.publicUrl');
  const result = v.safeParse(Config, value, { message: describeIssue });
  const origin = (path: Path) => originOf(origins, path)?.name ?? 'config/default.yaml';
  const sourcesOf = (path: Path) => path.flatMap((_, at) => sources.get(toPathText(path.slice(0, at + 1))) ?? []);
  const toLine = ({ path, message }: Problem) => {
    const from = sourcesOf(path);
    const place = from.length > 0 ? `${toPathText(path)} (${from.join(', ')})` : toPathText(path);
    return [origin(path), place, message].filter(Boolean).join(': ');
  };

  const isOff = ([section, name = '']: Path) =>
    section === 'adapters' && valueAt(value, ['adapters', name, 'state']) === 'off';
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
  const problems = [...fatal, ...found.filter((problem) => !isReported(problem))];
  if (!result.success || problems.length > 0) throw new ConfigError(problems.map(toLine));

  const { database, adapters } = result.output;
  // The command and the service must mean the same folder, whatever folder each was started in.
  const dataDir = resolve(env['GATEWAY_DATA_DIR'] ? cwd : root, database.dataDir);
  const gapsOf = (name: string) => missing.filter(({ path }) => path[0] === 'adapters' && path[1] === name).map(toLine);
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

function mapKeys<T>(record: object, valueOf: (key: string) => T): Record<string, T> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, valueOf(key)]));
}

interface SettingsFile extends ReturnType<typeof readYaml> {
  /** As problems call it. */
  readonly name: string;
  readonly path: string;
  /** Whose it is; absent: of GATEWAY_CONFIG, or that of all. */
  readonly environment?: string;
}

/** Every file, the later above the earlier. */
async function readFiles(environment: string, env: Environment, root: string, cwd: string): Promise<SettingsFile[]> {
  const folder = join(root, 'config');
  const entries = await readdir(folder).catch(() => []);
  const available = entries
    .filter((entry) => entry.endsWith('.yaml') && entry !== 'default.yaml')
    .map((entry) => entry.slice(0, -'.yaml'.length))
    .sort();
  if (!available.includes(environment)) {
    throw new ConfigError([
      `config/${environment}.yaml: there is no such file; GATEWAY_ENV must be one of ${available.join(', ')}`,
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

/** An environment's file may name another environment under `extends`, and then holds only what differs from that one. */
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
        ? 'there is no such file; make it, or correct GATEWAY_CONFIG'
        : `cannot be read (${code ?? 'unknown error'}); make it readable`;
    return { name, path, value: {}, problems: [reason] };
  }
}

function nest(path: Path, value: unknown): unknown {
  return path.reduceRight((inner, key) => ({ [key]: inner }), value);
}

/** valibot's own messages quote the value, which may be a secret. */
function describeIssue(issue: v.BaseIssue<unknown>): string {
  if (issue.input === undefined) return 'is missing; config/README.md says what it must be';
  const kinds: Record<string, string> = { strict_object: 'a map', record: 'a map', array: 'a list' };
  return `must be ${kinds[issue.type] ?? 'of another form; see config/README.md'}`;
}

function toProblems(issue: v.BaseIssue<unknown>): Problem[] {
  const path = (issue.path ?? []).map(({ key }) => String(key));
  const last = issue.path?.at(-1);
  if (issue.type !== 'strict_object' || last?.origin !== 'key') return [{ path, message: issue.message }];
  const around = path.slice(0, -1);
  if (!isMap(last.input)) return [{ path: around, message: 'must be a map' }];
  if (issue.expected !== 'never') return [{ path, message: issue.message }];
  // valibot stops at the first unknown key of a map.
  const known = keysAt(around);
  const message = `is no setting; ${around.length > 0 ? toPathText(around) : 'the file'} may have ${known.join(', ')}`;
  return Object.keys(last.input)
    .filter((key) => !known.includes(key))
    .map((key) => ({ path: [...around, key], message }));
}
