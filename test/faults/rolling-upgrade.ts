/** `npm run test:upgrade`: two versions side by side on one database, while hosts are upgraded and taken back. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import mongoose from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { until } from '../../core/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { gatewayEnv, runGateway } from '../../workers/supervisor/testing/running-gateway.ts';
import { startReceiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';
import { compareBooks } from './books.ts';
import { makePending, side } from './load.ts';
import { deliverCallback, installAdapter, paidCallback, startFaultsProvider } from './provider.ts';
import { startReplicaSet } from './replica-set.ts';

const help = `npm run test:upgrade -- --previous <revision>

Runs two hosts of that version (a tag, a commit, or a folder with a built checkout) on one replica set of three mongod. Under a load of callbacks
they become hosts of this version one after the other, and are taken back. Every acknowledged callback must have taken effect
once, and its merchant must have been told; exits with 1 otherwise.
`;

const perSecond = 20;
/** More than are delivered while the hosts change. */
const count = 6000;
/** How long each mixture of versions stays. */
const stepMs = 8000;

interface Host {
  readonly url: string;
  /** Ends what runs, if anything does, and starts the version of the folder. */
  become(folder: string): Promise<void>;
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
    if (code !== 0) throw new Error(`a host ended with ${code}`);
  };
  return {
    url,
    stop,
    async become(folder) {
      await stop();
      const command = join(folder, 'core/cli/bin/gateway.mjs');
      child = spawn(process.execPath, [command, 'start'], {
        cwd: folder,
        env: gatewayEnv(dataDir, { ...env, PORT: String(port) }),
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

/** Both hosts have the provider of the faults alone, and the same keys. */
async function writeConfig(folder: string, providerUrl: string): Promise<string> {
  await installAdapter(folder);
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const off = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }]));
  const options = { baseUrl: providerUrl, sandboxBaseUrl: providerUrl };
  const file = join(folder, 'gateway.yaml');
  const settings = {
    adapters: { ...off, faults: { package: 'faults', state: 'on', options } },
    routes: [{ id: 1, when: {}, use: ['faults'] }],
    security: { encryptionKey: randomBytes(32).toString('base64') },
    threeDs: { tokenSecrets: [randomBytes(32).toString('hex')] },
    keys: { rateLimitPerMinute: 1_000_000 },
    http: { maxConnectionsPerAddress: 5000 },
    mail: { catcher: false },
  };
  await writeFile(file, JSON.stringify(settings));
  return file;
}

/** A built checkout of the revision, or the folder itself. */
async function checkOut(previous: string): Promise<{ readonly folder: string; readonly remove: () => Promise<void> }> {
  if (existsSync(join(previous, 'package.json')))
    return { folder: resolve(previous), remove: async () => Promise.resolve() };
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-previous-')));
  const run = async (command: string, words: readonly string[], cwd: string): Promise<unknown> =>
    promisify(execFile)(command, words, { cwd });
  console.log(`building ${previous} in ${folder}`);
  await run('git', ['worktree', 'add', '--detach', '--force', folder, previous], root);
  await run('npm', ['ci'], folder);
  return {
    folder,
    async remove() {
      await run('git', ['worktree', 'remove', '--force', folder], root);
    },
  };
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { previous: { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help || !values.previous) {
    console.log(help);
    return values.help ? 0 : 1;
  }
  const before = await checkOut(values.previous);
  const previous = before.folder;
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-upgrade-')));
  const [provider, receiver] = [await startFaultsProvider(), await startReceiver()];
  const set = await startReplicaSet(10_000);
  const config = await writeConfig(folder, provider.url);
  const env = { GATEWAY_CONFIG: config, MONGODB_URI: set.uri };
  const hosts = [await createHost(join(folder, 'one'), env), await createHost(join(folder, 'two'), env)] as const;
  const [one, two] = hosts;
  const connection = await mongoose.createConnection(set.uri).asPromise();
  try {
    for (const host of hosts) await host.become(previous);
    const made = await runGateway(
      ['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'],
      join(folder, 'one'),
      env,
    ).ended;
    const { key } = JSON.parse(made.out) as { key: string };
    const ids = await makePending({ url: one.url, key, connection }, receiver.url, count);

    let isOver = false;
    const acknowledged: number[] = [];
    const began = performance.now();
    const load = side(32, ids, async (id, index) => {
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
    // One host first, then both, and the same way back.
    const changes = [
      [one, root],
      [two, root],
      [two, previous],
      [one, previous],
    ] as const;
    for (const [host, version] of changes) {
      await sleep(stepMs);
      await host.become(version);
    }
    await sleep(stepMs);
    isOver = true;
    await load;
    const books = await compareBooks(connection, receiver, acknowledged);
    console.log(`${acknowledged.length} callbacks; ${books.lost} lost, ${books.doubled} doubled`);
    for (const problem of books.problems) console.log(problem);
    return books.problems.length ? 1 : 0;
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
