/**
 * `npm run test:upgrade`: two versions run at the same time on one database, while hosts are upgraded and downgraded.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import mongoose from 'mongoose';
import { parse } from 'yaml';
import { currentVersion, previousVersion } from '../../core/database/collections/schema-version.ts';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { gatewayEnv, runGateway } from '../../workers/supervisor/testing/running-gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';
import { compareBooks } from './books.ts';
import { startKeyedLoad } from './keyed-load.ts';
import { makePending, runConcurrently } from './load.ts';
import { deliverCallback, installAdapter, paidCallback, startFaultsProvider } from './provider.ts';
import { startReplicaSet } from './replica-set.ts';

const help = `npm run test:upgrade [-- --from <version>]

Runs two hosts of that version (a tag, a commit, or a folder with a built checkout) on one replica set of three mongod. Under
a load of callbacks, submits under a key and refunds, the hosts are upgraded to this version one after the other, and then
downgraded again. Every acknowledged callback must have taken effect once, and its merchant must have been notified. Every
key must have charged, or refunded, once. Between the upgrade and the downgrade, "database migrate --apply" moves the data. No host may have logged a write that a collection's validator refused. Otherwise
the exit code is 1.

The default of --from is the newest tag v* before this commit. If that tag has an earlier schema version than the one before
this one, the default is the first commit with the schema version before: the oldest that may run together with this one.
`;

const runFile = promisify(execFile);
const schemaVersionFile = 'core/database/collections/schema-version.ts';

const perSecond = 20;
const submitsPerSecond = 3;
/** More callbacks than are delivered while the hosts change. */
const count = 6000;
/** How long each mixture of versions runs. */
const stepMs = 8000;

/** A built checkout, and the settings of its hosts. */
interface Version {
  readonly folder: string;
  readonly config: string;
}

interface Host {
  readonly url: string;
  /** Stops the running version, if any, and starts this one. */
  become(version: Version): Promise<void>;
  stop(): Promise<void>;
}

async function createHost(dataDir: string, env: Readonly<Record<string, string>>): Promise<Host> {
  const port = await chooseFreePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const stop = async (): Promise<void> => {
    if (!child) return;
    const ended = once(child, 'exit') as Promise<[number | null]>;
    child.kill('SIGTERM');
    const [code] = await ended;
    child = undefined;
    if (code !== 0) throw new Error(`a host exited with ${code}`);
  };
  return {
    url,
    stop,
    async become({ folder, config }) {
      await stop();
      const command = join(folder, 'core/cli/bin/gateway.mjs');
      child = spawn(process.execPath, [command, 'start'], {
        cwd: folder,
        env: gatewayEnv(dataDir, { ...env, GATEWAY_CONFIG: config, PORT: String(port) }),
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const isReady = async (): Promise<boolean> =>
        fetch(`${url}/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(`the host in ${folder} is ready`, isReady, 120_000);
    },
  };
}

/**
 * Every host has only the provider of the fault tests, and the same keys. Each version turns off the adapters that it
 * knows.
 */
async function createVersions(
  home: string,
  providerUrl: string,
): Promise<(name: string, folder: string) => Promise<Version>> {
  await installAdapter(home);
  const options = { baseUrl: providerUrl, sandboxBaseUrl: providerUrl };
  const common = {
    routes: [{ id: 1, when: {}, use: ['faults'] }],
    security: { encryptionKey: randomBytes(32).toString('base64') },
    threeDs: { tokenSecrets: [randomBytes(32).toString('hex')] },
    keys: { rateLimitPerMinute: 1_000_000 },
    http: { maxConnectionsPerAddress: 5000 },
    mail: { catcher: false },
  };
  return async (name, folder) => {
    const known = parse(await readFile(join(folder, 'config/default.yaml'), 'utf8')) as { readonly adapters: object };
    const off = Object.fromEntries(Object.keys(known.adapters).map((adapter) => [adapter, { state: 'off' }]));
    const config = join(home, `${name}.yaml`);
    const adapters = { ...off, faults: { package: 'faults', state: 'on', options } };
    await writeFile(config, JSON.stringify({ ...common, adapters }));
    return { folder, config };
  };
}

async function git(...words: readonly string[]): Promise<string> {
  return (await runFile('git', words, { cwd: root })).stdout.trim();
}

const lineOf = (version: number): RegExp => new RegExp(`^(export )?const currentVersion = ${version};$`, 'm');

/** The version before this one, and why it was chosen. */
async function findPrevious(): Promise<{ readonly revision: string; readonly why: string }> {
  const [tag] = (
    await git('tag', '--list', 'v*', '--merged', 'HEAD', '--no-contains', 'HEAD', '--sort=-creatordate')
  ).split('\n');
  const tagged = (tag && (await git('show', `${tag}:${schemaVersionFile}`).catch(() => ''))) || '';
  if (tag && [currentVersion, previousVersion].some((version) => lineOf(version).test(tagged)))
    return { revision: tag, why: 'the newest tag before this commit' };
  const line = `const currentVersion = ${previousVersion};`;
  const changes = await git('log', '--format=%H', `-S${line}`, '--', schemaVersionFile);
  const revision = changes.split('\n').at(-1);
  if (!revision)
    throw new Error('Found no tag and no commit of the schema version before. Name a version with --from.');
  const reason = tag
    ? `the newest tag, ${tag}, has an earlier schema version`
    : 'there is no tag v* before this commit';
  return { revision, why: `the first commit of the schema version before, because ${reason}` };
}

/** A built checkout of the revision, or the given folder. */
async function checkOut(previous: string): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  if (existsSync(join(previous, 'package.json')))
    return { folder: resolve(previous), remove: async () => Promise.resolve() };
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-previous-')));
  await git('worktree', 'add', '--detach', '--force', folder, previous);
  await runFile('npm', ['ci'], { cwd: folder });
  return {
    folder,
    async remove() {
      await git('worktree', 'remove', '--force', folder);
    },
  };
}

/** Logged writes of the hosts that a collection's validator refused. */
async function findRefusedWrites(folder: string): Promise<string[]> {
  const logs = await Promise.all(
    ['one', 'two'].map(async (name) => readFile(join(folder, name, 'gateway.log'), 'utf8')),
  );
  return logs.flatMap((log) => log.split('\n').filter((line) => line.includes('refused the document')));
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { from: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const { revision, why } = values.from ? { revision: values.from, why: 'as requested' } : await findPrevious();
  console.log(`from ${revision} (${why})`);
  const before = await checkOut(revision);
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-upgrade-')));
  const [provider, receiver] = [await startFaultsProvider(), await startReceiver()];
  const set = await startReplicaSet(10_000);
  const versionOf = await createVersions(folder, provider.url);
  const [previous, present] = [await versionOf('previous', before.folder), await versionOf('present', root)];
  const env = { MONGODB_URI: set.uri };
  const hosts = [await createHost(join(folder, 'one'), env), await createHost(join(folder, 'two'), env)] as const;
  const [one, two] = hosts;
  const connection = await mongoose.createConnection(set.uri).asPromise();
  try {
    for (const host of hosts) await host.become(previous);
    const made = await runGateway(
      ['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'],
      join(folder, 'one'),
      { ...env, GATEWAY_CONFIG: present.config },
    ).ended;
    const { key } = JSON.parse(made.out) as { key: string };
    const ids = await makePending({ url: one.url, key, connection }, receiver.url, count);

    const migrate = async (): Promise<void> => {
      const words = ['database', 'migrate', '--apply'];
      const dataDir = join(folder, 'one');
      const { code, out, problems } = await runGateway(words, dataDir, { ...env, GATEWAY_CONFIG: present.config })
        .ended;
      console.log(out.trim());
      if (code !== 0) throw new Error(`the database was not migrated: ${problems.join(' ')}`);
    };
    let turn = 0;
    const nextUrl = (): string => hosts[(turn += 1) % 2]!.url;
    const submits = startKeyedLoad({
      nextUrl,
      key,
      notifyUrl: receiver.url,
      provider,
      perSecond: submitsPerSecond,
    });
    let isOver = false;
    const acknowledged: number[] = [];
    const began = performance.now();
    const load = runConcurrently(32, ids, async (id, index) => {
      const dueMs = (index * 1000) / perSecond - (performance.now() - began);
      if (dueMs > 0 && !isOver) await sleep(dueMs);
      if (isOver) return;
      for (let tries = index; ; tries += 1) {
        const { url } = hosts[tries % 2]!;
        if ((await deliverCallback(url, paidCallback(`GW-${id}-1`, 10))).status === 200) break;
        await sleep(100);
      }
      acknowledged.push(id);
    });
    // One host first, then both, and back in the reverse order.
    const changes = [
      [one, present],
      [two, present],
      [two, previous],
      [one, previous],
    ] as const;
    for (const [host, version] of changes) {
      await sleep(stepMs);
      if (version === previous && host === two) await migrate();
      await host.become(version);
    }
    await sleep(stepMs);
    isOver = true;
    await load;
    const keyed = await submits.end();
    const books = await compareBooks(connection, receiver, [...acknowledged, ...keyed.ids]);
    console.log(
      `${acknowledged.length} callbacks, ${keyed.ids.length} submits (${keyed.uncharged} more never reached the provider) and ${keyed.refunds} refunds under a key; ${books.lost} lost, ${books.doubled} doubled`,
    );
    const problems = [...books.problems, ...keyed.problems, ...(await findRefusedWrites(folder))];
    for (const problem of problems) console.log(problem);
    return problems.length ? 1 : 0;
  } finally {
    await connection.close();
    for (const host of hosts) await host.stop().catch(() => undefined);
    await Promise.all([provider.close(), receiver.close(), set.close()]);
    await rm(folder, { recursive: true, force: true });
    await before.remove();
  }
}

process.exitCode = await main();
process.exit();
