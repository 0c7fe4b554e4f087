import { access, constants, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import * as v from 'valibot';
import { chooseFreePort, isPortFree } from './choose-port.ts';
import { keepCredentials, type Credentials } from './credentials.ts';
import { mongodLibrary } from './mongod-library.ts';
import { findHolder, isRunning, makeTemporaryFolder, recordOwner, removeOwner } from './data-folder.ts';
import { MongodError } from './mongod-error.ts';
import { importOptional } from '../import-optional.ts';
import type { MongodExit, OwnMongod } from './own-mongod.ts';
import type { Report } from './run-program.ts';
import { makeFolder } from '../../data-folder/make-folder.ts';

const host = '127.0.0.1';
const replicaSet = 'gateway';
const startLimitMs = 60_000;
/** The watchdog checks every 2 s, then mongod takes 1 s to stop. */
const predecessorLimitMs = 8_000;
/** A mongod empties its lock file a moment before it releases its port. */
const portLimitMs = 500;
/** Beyond this time without an answer, a new connection is tried. */
const answerLimitMs = 2_000;
const pollMs = 25;

interface Common {
  binary: string;
  /** A free port if 0 or absent. Kept data may move to another port. */
  port?: number | undefined;
  /**
   * Size of the cache, in GB. Default: 0.25, the smallest that mongod accepts. Without a bound, mongod keeps up to half
   * of the memory of the machine, also when it is idle.
   */
  cacheGb?: number | undefined;
  report: Report;
  /** Called when mongod exits without being stopped. */
  onExit?: ((exit: MongodExit) => void) | undefined;
  /** Aborts a start in progress, which then rejects with a `MongodError`. */
  signal?: AbortSignal | undefined;
}
interface Kept extends Common {
  /** The folder of the data. Made if it is missing. */
  dbPath: string;
  ephemeral?: false | undefined;
}
interface Ephemeral extends Common {
  /** Uses a temporary folder, which `stop` removes. */
  ephemeral: true;
  dbPath?: undefined;
}
export type StartOptions = Kept | Ephemeral;

export interface RunningMongod {
  uri: string;
  port: number;
  pid: number;
  /** Stops mongod within 5 s. May be called more than once. */
  stop(): Promise<void>;
}

/**
 * Starts our own mongod as a replica set of one member, and waits until it accepts writes. It listens only on
 * 127.0.0.1, requires a password if its data are kept, and stops with `stop` or, within seconds, when this process
 * exits. Throws a `MongodError` if mongod cannot be started.
 */
export async function startMongod(options: StartOptions): Promise<RunningMongod> {
  const { binary, cacheGb = 0.25, report, signal, onExit } = options;
  const dbPath = options.ephemeral ? await makeTemporaryFolder() : resolve(options.dbPath);
  const clear = async (): Promise<void> => (options.ephemeral ? removeFolder(dbPath) : undefined);
  try {
    const port = options.port || (await chooseFreePort());
    await takeFolder(dbPath, report, signal);
    if (!(await waitUntil(async () => isPortFree(port), portLimitMs, signal)))
      throw new MongodError(describeTakenPort(port));
    const credentials = options.ephemeral ? undefined : await keepCredentials(dbPath);
    const mongod = await launch({ binary, dbPath, port, credentials, cacheGb }, signal);

    let stopped: Promise<void> | undefined;
    const watch = async (): Promise<void> => {
      const exit = await mongod.exited;
      if (stopped === undefined) onExit?.(exit);
    };
    void watch();
    return {
      uri: `mongodb://${loginOf(credentials)}${host}:${port}/?replicaSet=${replicaSet}`,
      port,
      pid: mongod.child?.pid ?? 0,
      async stop() {
        stopped ??= mongod.end().then(clear);
        return stopped;
      },
    };
  } catch (error) {
    await clear();
    if (signal?.aborted) throw new MongodError('MongoDB was stopped while it was starting.', { cause: error });
    throw error;
  }
}

interface Launch {
  readonly binary: string;
  readonly dbPath: string;
  readonly port: number;
  /** Undefined: mongod requires no password. */
  readonly credentials: Credentials | undefined;
  readonly cacheGb: number;
}

function loginOf(credentials: Credentials | undefined): string {
  return credentials ? `${credentials.user}:${credentials.password}@` : '';
}

async function launch(
  { binary, dbPath, port, credentials, cacheGb }: Launch,
  signal?: AbortSignal,
): Promise<OwnMongod> {
  // The library reads this only from the environment. Its check warns about every version except its own default.
  process.env['MONGOMS_SYSTEM_BINARY_VERSION_CHECK'] = 'false';
  const { OwnMongod } = await importOptional(async () => import('./own-mongod.ts'), mongodLibrary);
  const mongod = new OwnMongod({
    binary,
    dbPath,
    port,
    replicaSet,
    keyFile: credentials?.keyFile,
    cacheGb,
    launchTimeoutMs: 2 * startLimitMs,
  });
  const stop = new AbortController();
  let isLate = false;
  const endEarly = (): void => {
    stop.abort();
    void mongod.end();
  };
  // `AbortSignal.timeout` within `AbortSignal.any` may be garbage collected, and then never fires.
  const timer = setTimeout(() => {
    isLate = true;
    endEarly();
  }, startLimitMs);
  signal?.addEventListener('abort', endEarly);
  let isReady = false;
  try {
    signal?.throwIfAborted();
    await mongod.start();
    isReady = true;
    const died = mongod.exited.then(() => {
      stop.abort();
      throw new MongodEnded();
    });
    await Promise.race([makePrimaryPatiently(port, credentials, stop.signal), died]);
    stop.signal.throwIfAborted();
    await recordOwner(dbPath);
    return mongod;
  } catch (error) {
    await mongod.end();
    // The log of a mongod that we end has errors of its own, which are not the reason.
    const refusal = isReady && error instanceof Error && !(error instanceof MongodEnded) ? error.message : undefined;
    const reason = isLate ? `it was not ready within ${startLimitMs / 1000} s` : (refusal ?? mongod.lastError());
    throw new MongodError(describeFailure(mongod.lines.join('\n'), reason, dbPath, port), { cause: error });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', endEarly);
  }
}

/** The process exited without our help. */
class MongodEnded extends Error {}

/**
 * Repeats `makePrimary` while mongod does not answer: on a busy machine it may need longer than one connection waits.
 * Every step of it can be repeated.
 */
async function makePrimaryPatiently(
  port: number,
  credentials: Credentials | undefined,
  limit: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      return await makePrimary(port, credentials, limit);
    } catch (error) {
      const isUnanswered =
        error instanceof mongoose.mongo.MongoServerSelectionError || error instanceof mongoose.mongo.MongoNetworkError;
      if (!isUnanswered || limit.aborted) throw error;
      await sleep(pollMs);
    }
  }
}

/** Makes the folder if it is missing, and checks that it can be written and that no other mongod runs on it. */
async function takeFolder(dbPath: string, report: Report, signal?: AbortSignal): Promise<void> {
  try {
    await makeFolder(dbPath);
    await access(dbPath, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new MongodError(
      `MongoDB's data folder ${dbPath} cannot be written: give this user the right to write there, or set GATEWAY_DATA_DIR to another folder.`,
      { cause: error },
    );
  }
  const holder = await findHolder(dbPath);
  if (holder !== undefined) {
    const refusal = new MongodError(describeTakenFolder(dbPath, holder.pid));
    if (holder.owner === 'running') throw refusal;
    report(`Waiting for the MongoDB of an earlier start (process ${holder.pid}) to end.`);
    if (holder.owner === 'gone') endProcess(holder.pid);
    const left = await waitUntil(async () => !(await isRunning(holder.pid)), predecessorLimitMs, signal);
    if (!left) throw refusal;
  }
  await removeOwner(dbPath);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It has exited already.
  }
}

async function waitUntil(condition: () => Promise<boolean>, limitMs: number, signal?: AbortSignal): Promise<boolean> {
  const until = Date.now() + limitMs;
  while (!(await condition())) {
    if (Date.now() > until) return false;
    await sleep(pollMs, undefined, { signal });
  }
  return true;
}

const Config = v.looseObject({ version: v.number(), members: v.strictTuple([v.looseObject({ host: v.string() })]) });

/**
 * Makes the replica set and its user, or moves the replica set to this port if it was on another. Waits for the
 * primary.
 */
async function makePrimary(port: number, credentials: Credentials | undefined, limit: AbortSignal): Promise<void> {
  const open = async <T>(login: string, use: (admin: mongoose.mongo.Db) => Promise<T>): Promise<T> => {
    const client = new mongoose.mongo.MongoClient(`mongodb://${login}${host}:${port}/`, {
      directConnection: true,
      serverSelectionTimeoutMS: answerLimitMs,
      // Otherwise a connection that is not answered stays open for 30 s.
      connectTimeoutMS: answerLimitMs,
    });
    try {
      return await use(client.db('admin'));
    } finally {
      await client.close();
    }
  };
  const lead = async (admin: mongoose.mongo.Db): Promise<void> => {
    await takeReplicaSet(admin, port);
    await waitForPrimary(admin, limit);
  };
  if (!credentials) return open('', lead);
  const { user, password } = credentials;
  const hasUser = await open('', async (admin) => {
    try {
      await lead(admin);
      const writeConcern = { w: 'majority' };
      await admin.command({ createUser: user, pwd: password, roles: ['root'], writeConcern });
      return false;
    } catch (error) {
      // As long as a mongod has no user, only clients on this machine may set it up.
      if (isRefusal(error, 'Unauthorized')) return true;
      throw error;
    }
  });
  if (hasUser) await open(loginOf(credentials), lead);
}

async function takeReplicaSet(admin: mongoose.mongo.Db, port: number): Promise<void> {
  const member = { _id: 0, host: `${host}:${port}` };
  try {
    await admin.command({ replSetInitiate: { _id: replicaSet, members: [member] } });
  } catch (error) {
    if (!isRefusal(error, 'AlreadyInitialized')) throw error;
    const config = v.parse(Config, (await admin.command({ replSetGetConfig: 1 }))['config']);
    if (config.members[0].host !== member.host) {
      const moved = { ...config, version: config.version + 1, members: [{ ...config.members[0], ...member }] };
      await admin.command({ replSetReconfig: moved, force: true });
    }
  }
}

async function waitForPrimary(admin: mongoose.mongo.Db, limit: AbortSignal): Promise<void> {
  while (!limit.aborted) {
    const hello: unknown = await admin.command({ hello: 1 });
    if (v.is(v.object({ isWritablePrimary: v.literal(true) }), hello)) return;
    await sleep(pollMs);
  }
}

function isRefusal(error: unknown, codeName: string): boolean {
  return error instanceof mongoose.mongo.MongoServerError && error.codeName === codeName;
}

function describeFailure(output: string, reason: string, dbPath: string, port: number): string {
  if (/address already in use/i.test(output)) return describeTakenPort(port);
  if (output.includes('DBPathInUse')) return describeTakenFolder(dbPath);
  return `MongoDB could not start on ${dbPath} (${reason}): fix that, or set GATEWAY_DATA_DIR to another folder.`;
}

function describeTakenPort(port: number): string {
  return `Port ${port} of ${host}, where MongoDB listens, is taken by another program: stop that program and start again.`;
}

function describeTakenFolder(dbPath: string, pid?: number): string {
  const who = pid === undefined ? 'another running MongoDB' : `another running MongoDB (process ${pid})`;
  return `MongoDB's data folder ${dbPath} is in use by ${who}: stop the gateway that runs on it, or set GATEWAY_DATA_DIR to another folder.`;
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 });
}
