/**
 * State that the service keeps in its data folder: the ports it chose, the secrets it made, and its running processes.
 */
import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { StartError } from '../start-error.ts';

const Port = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65_535));
const Child = v.object({ name: v.string(), pid: v.number(), startTime: v.string() });

const Running = v.object({
  pid: v.number(),
  mongodbUri: v.string(),
  apiUrl: v.string(),
  sandboxes: v.record(v.string(), v.string()),
  children: v.array(Child),
  /** `server.publicUrl` of the service. Absent: an earlier version started it. */
  publicUrl: v.optional(v.string()),
  /** `keys.liveKeys` of the service. Absent: an earlier version started it. */
  liveKeys: v.optional(v.boolean()),
  /** Address of the operators' listener, if there is one. */
  opsUrl: v.optional(v.string()),
  /** Requests carry `X-Forwarded-For`, and `server.trustedProxies` is 0. */
  hasUnknownProxy: v.optional(v.boolean(), false),
});
/** Written while the service runs. If a start finds it, a service that was killed left it behind. */
export type RunningState = v.InferOutput<typeof Running>;

/** Increased when the format of the data folder changes. */
const schemaVersion = 1;

const Versioned = v.object({ schemaVersion: v.optional(v.unknown()) });

const State = v.object({
  ports: v.object({ mongod: v.optional(Port), sandboxes: v.record(v.string(), Port) }),
  /** The port that was chosen for the operators' listener, if config has none. */
  opsPort: v.optional(Port),
  /** The first start made an API key. */
  hasFirstKey: v.optional(v.boolean(), false),
  running: v.optional(Running),
});
export type KeptState = v.InferOutput<typeof State>;

const Secrets = v.object({ encryptionKey: v.string(), tokenSecret: v.string() });
export type KeptSecrets = v.InferOutput<typeof Secrets>;

const names = { state: 'state.json', secrets: 'secrets.json' };

/** A folder without state is new. Throws a StartError if the state cannot be read or has another version. */
export async function readState(folder: string): Promise<KeptState> {
  const versioned = await readJson(folder, names.state, Versioned);
  if (versioned && versioned.schemaVersion !== schemaVersion) {
    throw new StartError([describeOtherVersion(folder, versioned.schemaVersion)]);
  }
  return (await readJson(folder, names.state, State)) ?? { ports: { sandboxes: {} }, hasFirstKey: false };
}

/** The folder for a supervisor's own state. The data folder itself belongs to the supervisor that runs the database. */
export function folderOf(role: 'api' | 'worker', dataDir: string): string {
  return join(dataDir, role);
}

export async function writeState(folder: string, state: KeptState): Promise<void> {
  await writeJson(folder, names.state, { schemaVersion, ...state });
}

function describeOtherVersion(folder: string, found: unknown): string {
  const version = typeof found === 'number' ? `schema version ${found}` : 'no schema version';
  return `The data folder ${folder} was made by another version of the gateway (it has ${version}, this one needs ${schemaVersion}): run that version on it, or remove the folder to start from scratch, or set GATEWAY_DATA_DIR to another folder.`;
}

/** Secrets that are made once, in environments other than production. */
export async function keepSecrets(folder: string): Promise<KeptSecrets> {
  const kept = await readJson(folder, names.secrets, Secrets);
  if (kept) return kept;
  const made = { encryptionKey: randomBytes(32).toString('base64'), tokenSecret: randomBytes(32).toString('hex') };
  await writeJson(folder, names.secrets, made);
  return made;
}

async function readJson<S extends v.GenericSchema>(
  folder: string,
  name: string,
  schema: S,
): Promise<v.InferOutput<S> | undefined> {
  const path = join(folder, name);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError([`${path} cannot be read (${error.code}): give this user the right to read it.`]);
  });
  if (text === undefined) return undefined;
  const read = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), text);
  if (read.success) return read.output;
  throw new StartError([
    `${path} is damaged: restore it from a copy, or, to start from scratch without the data, remove its folder.`,
  ]);
}

/** Writes all or nothing, readable only by this user, because the file holds secrets or an address with a password. */
async function writeJson(folder: string, name: string, value: unknown): Promise<void> {
  const path = join(folder, name);
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      [`${path} cannot be written (${code}): free disk space, or give this user the right to write there.`],
      {
        cause: error,
      },
    );
  }
}
