/**
 * `npm run test:restore`: takes a backup with mongodump under load, loses everything, and starts the service on the
 * restored data.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { mongo } from 'mongoose';
import { until } from '../../core/base/testing/until.ts';
import { findMongod, startMongod, type RunningMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { runGateway } from '../../workers/supervisor/testing/running-gateway.ts';
import { cardBody } from '../support/bodies.ts';
import { startReceiver } from '../support/receiver.ts';
import { amounts, startFaultsProvider } from '../faults/provider.ts';
import { startFaultsService } from '../faults/service.ts';
import {
  callbackProblems,
  keptProblems,
  newProblems,
  refundProblems,
  repeatProblems,
  waitUntilSettled,
} from './checks.ts';
import { startLoad } from './load.ts';
import { settlementProblems } from './settlement.ts';
import { findTools, toolsHelp, type Tools } from './tools.ts';

const help = `npm run test:restore

Runs the service on a replica set with a password, under a load of payments, callbacks, refunds and notifications. During the
load it takes a backup with mongodump --oplog, kills service and database some seconds later, restores the backup into a new
database and starts the service on it. Everything that was acknowledged before the backup must be present and take effect
once. Everything that was lost must be found by paywright settle, and none of its references may be assigned again. Otherwise
the exit code is 1. It is 2 if mongodump and mongorestore are not installed.
`;

const lanes = 8;
/** Payments acknowledged before the backup starts, and after it ended. */
const [madeBefore, madeAfter] = [150, 60];
const limitMs = 300_000;
/** Maximum number of printed problems. */
const shownProblems = 20;

type Login = Readonly<Record<'user' | 'pwd', string>>;

/** The address of the database server with another login. */
function addressOf({ port }: RunningMongod, { user, pwd }: Login): string {
  return `mongodb://${user}:${pwd}@127.0.0.1:${port}/?replicaSet=gateway`;
}

interface Keys {
  readonly security: { readonly encryptionKey: string };
  readonly threeDs: { readonly tokenSecrets: readonly string[] };
}

const createKeys = (): Keys => ({
  security: { encryptionKey: randomBytes(32).toString('base64') },
  threeDs: { tokenSecrets: [randomBytes(32).toString('hex')] },
});

/** Returns a function that writes the keys into the settings of the service in a folder. */
function createKeysWriter(keys: Keys): (dataDir: string) => Promise<void> {
  return async (dataDir) => {
    const folder = dirname(dataDir);
    await writeFile(join(folder, 'gateway.yaml'), JSON.stringify({ ...(await readSettings(folder)), ...keys }));
  };
}

async function readSettings(folder: string): Promise<object> {
  return JSON.parse(await readFile(join(folder, 'gateway.yaml'), 'utf8')) as object;
}

/** Creates the users as `config/deploy/backup.md` does. */
async function makeUsers(uri: string, backup: Login, restore: Login): Promise<void> {
  const client = await mongo.MongoClient.connect(uri);
  try {
    const admin = client.db('admin');
    await admin.command({ createUser: backup.user, pwd: backup.pwd, roles: ['backup'] });
    const privileges = [{ resource: { anyResource: true }, actions: ['anyAction'] }];
    await admin.command({ createRole: 'oplogReplay', privileges, roles: [] });
    await admin.command({ createUser: restore.user, pwd: restore.pwd, roles: ['restore', 'oplogReplay'] });
  } finally {
    await client.close();
  }
}

/** Keeps the password out of the list of processes. */
async function writeConfig(folder: string, name: string, uri: string): Promise<string> {
  const file = join(folder, `${name}.yaml`);
  await writeFile(file, `uri: ${uri}\n`, { mode: 0o600 });
  return file;
}

/** The time of the backup's last change, by this machine's clock. */
async function readBackupMoment(folder: string): Promise<Date> {
  // Compressed, despite its name.
  const bytes = gunzipSync(await readFile(join(folder, 'oplog.bson')));
  let [at, last] = [0, undefined as mongo.Document | undefined];
  while (at < bytes.length) {
    const size = bytes.readInt32LE(at);
    last = mongo.BSON.deserialize(bytes.subarray(at, at + size));
    at += size;
  }
  if (!last) throw new Error('the backup contains no change that was made during it');
  return last['wall'] as Date;
}

async function run(tools: Tools, folder: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const report = (line: string): void => console.error(line);
  const { path: binary, version } = await findMongod({ env: process.env, report });
  console.log(`MongoDB ${version}, mongodump and mongorestore ${tools.version}`);
  const [provider, receiver] = [await startFaultsProvider(), await startReceiver()];
  const login = (user: string): Login => ({ user, pwd: randomBytes(12).toString('hex') });
  const [backup, restore] = [login('backup'), login('restore')];
  const keys = createKeys();

  const lostMongod = await startMongod({ binary, dbPath: join(folder, 'lost'), report });
  await makeUsers(lostMongod.uri, backup, restore);
  const lost = await startFaultsService({ faults: provider.url }, createKeysWriter(keys), {
    MONGODB_URI: lostMongod.uri.replace('/?', '/gateway?authSource=admin&'),
  });
  const end = new AbortController();
  const { played, over } = startLoad(lost, receiver.url, lanes, end);
  await until('there is something to back up', () => played.length >= madeBefore, limitMs);

  const dump = join(folder, 'dump');
  const began = Date.now();
  const dumpConfig = await writeConfig(folder, 'backup', addressOf(lostMongod, backup));
  await tools.dump(`--config=${dumpConfig}`, '--oplog', '--gzip', `--out=${dump}`);
  const dumpMs = Date.now() - began;
  // A restarted host takes a block of ids that is not in the backup.
  await lost.end('SIGTERM');
  await lost.start();
  const backedUp = played.length;
  await until('there is something to lose', () => played.length >= backedUp + madeAfter, limitMs);
  const deadAt = Date.now();
  end.abort();
  await lost.end('SIGKILL');
  process.kill(lostMongod.pid, 'SIGKILL');
  await over;

  const momentMs = (await readBackupMoment(dump)).getTime();
  const kept = played.filter(({ madeAt }) => madeAt < momentMs);
  const gone = played.filter(({ madeAt }) => madeAt >= momentMs);
  const between = (ms = Number.POSITIVE_INFINITY): boolean => ms >= momentMs && ms < deadAt;
  const lostActions = kept.filter(({ paidAt, refundedAt }) => between(paidAt) || between(refundedAt)).length;
  console.log(
    `${kept.length} payments were acknowledged before the backup's moment, ${gone.length} after it, in the ${((deadAt - momentMs) / 1000).toFixed(1)} s that are lost; ${lostActions} of the first had a callback or refund after it. The backup took ${(dumpMs / 1000).toFixed(1)} s.`,
  );
  if (gone.length === 0 || lostActions === 0) problems.push('nothing was lost: the backup was too late');

  const newMongod = await startMongod({ binary, dbPath: join(folder, 'new'), report });
  await makeUsers(newMongod.uri, login('unused'), restore);
  const restoring = Date.now();
  const restoreConfig = await writeConfig(folder, 'restore', addressOf(newMongod, restore));
  await tools.restore(`--config=${restoreConfig}`, '--oplogReplay', '--gzip', dump);
  console.log(`The restore took ${((Date.now() - restoring) / 1000).toFixed(1)} s.`);

  const address = newMongod.uri.replace('/?', '/gateway?authSource=admin&');
  const settings = join(lost.folder, 'wrong.yaml');
  await writeFile(settings, JSON.stringify({ ...(await readSettings(lost.folder)), ...createKeys() }));
  const wrongEnv = { GATEWAY_CONFIG: settings, MONGODB_URI: address };
  const wrong = await runGateway(['start'], join(folder, 'wrong'), wrongEnv).ended;
  const refusal = wrong.problems.find((line) => line.includes('The database is encrypted under the key'));
  if (wrong.code === 0 || !refusal)
    problems.push(`with a wrong key the start exited with ${wrong.code}: ${wrong.problems.join(' ')}`);

  const service = await startFaultsService({ faults: provider.url }, createKeysWriter(keys), { MONGODB_URI: address });
  const { connection } = service;
  const merchant = { url: service.url, key: lost.key };
  const env = { GATEWAY_CONFIG: join(service.folder, 'gateway.yaml'), MONGODB_URI: address };
  try {
    const asked = await waitUntilSettled(connection, kept);
    console.log(`${asked} of them were pending in the backup, and were paid by reconciliation.`);
    const newBody = cardBody('4111111111111111', amounts.charged, { notifyUrl: receiver.url });
    const lostRefunds = kept.filter(({ refundedAt }) => between(refundedAt));
    for (const found of [
      // First, because a repeated request also takes an id and discards it.
      newProblems(merchant, provider, 20, newBody),
      keptProblems(connection, receiver, kept, momentMs),
      repeatProblems(merchant, provider, kept),
      callbackProblems(service, kept, gone),
      settlementProblems({ connection, provider, gone, lostRefunds, folder, env }),
      refundProblems(merchant, provider, lostRefunds),
    ])
      for await (const problem of found) problems.push(problem);
    for (const words of [
      ['clients', 'rebuild-sums'],
      ['audit', 'verify'],
    ])
      console.log((await service.command(...words)).trim());
  } finally {
    await service.close();
    await lost.close();
    await Promise.all([provider.close(), receiver.close(), newMongod.stop(), lostMongod.stop()]);
  }
  return problems;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { help: { type: 'boolean' } } });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const tools = await findTools(process.env);
  if (!tools) {
    console.error(toolsHelp);
    return 2;
  }
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-restore-')));
  try {
    const problems = await run(tools, folder);
    for (const problem of problems.slice(0, shownProblems)) console.log(`WRONG  ${problem}`);
    if (problems.length > shownProblems) console.log(`and ${problems.length - shownProblems} more`);
    console.log(
      problems.length
        ? `${problems.length} problems`
        : 'nothing that was acknowledged before was lost, nothing was doubled',
    );
    return problems.length ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

process.exitCode = await main();
process.exit();
