/** `npm run test:hosts`: three hosts on one database, loaded; one of them is killed; and what it costs beside one host. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose, { type Connection } from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { hostModel } from '../../core/documents/host.ts';
import { until } from '../../core/testing/until.ts';
import { chooseFreePort, findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { folderOf, readState } from '../../workers/supervisor/data-folder/index.ts';
import type { Role } from '../../workers/supervisor/roles.ts';
import {
  endAll,
  runGateway,
  untilReady,
  type RunningGateway,
} from '../../workers/supervisor/testing/running-gateway.ts';
import { compareBooks } from '../faults/books.ts';
import { deliverAll, makePending } from '../faults/load.ts';
import { deliverCallback, installAdapter, paidCallback, startFaultsProvider } from '../faults/provider.ts';
import { percentile } from '../support/percentile.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';

const help = `npm run test:hosts [-- options]

Measures one host, then a host of the API with two hosts of workers, on one mongod: how soon a merchant is told of a callback,
and what it costs to acknowledge one. Then kills one of the hosts of workers under load, and compares the books. Exit code 1
where something was lost or doubled, or the dead host was not noticed within 10 s.

  --rounds N   of each measurement, one host and three in turn; the medians are compared (default 3)
  --help       prints this
`;

/** Callbacks of a measurement, and how fast they come. */
const told = { count: 100, perSecond: 10 };
const acks = { count: 3000, atOnce: 100, limitMs: 5000 };
const killed = { count: 600, perSecond: 40 };
const noticedLimitSeconds = 10;

interface Figures {
  readonly toldP50: number;
  readonly toldP99: number;
  readonly ackP50: number;
  readonly acksPerSecond: number;
}

/** Hosts of one database, each a process group of its own. */
interface Cluster {
  readonly url: string;
  readonly hosts: readonly { readonly role: Role; readonly gateway: RunningGateway; readonly dataDir: string }[];
  stop(): Promise<void>;
}

interface World {
  readonly connection: Connection;
  readonly receiver: Receiver;
  /** When the merchant was told of a payment. */
  readonly toldAt: Map<number, number>;
  readonly key: string;
  start(roles: readonly Role[]): Promise<Cluster>;
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'gateway-hosts-')));
  const { path: binary } = await findMongod({ env: process.env, report: console.error });
  const mongod = await startMongod({ binary, ephemeral: true, report: console.error });
  const [provider, receiver] = [await startFaultsProvider(), await startReceiver()];
  try {
    const world = await createWorld(folder, mongod.uri.replace(/\/\?/, '/hosts?'), provider.url, receiver);
    const isRight = await run(world, Number(values.rounds));
    await world.connection.close();
    return isRight ? 0 : 1;
  } finally {
    endAll();
    await Promise.all([provider.close(), receiver.close()]);
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(world: World, rounds: number): Promise<boolean> {
  const three: readonly Role[] = ['api', 'worker', 'worker'];
  const [ofOne, ofThree]: [Figures[], Figures[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ofOne.push(await withCluster(world, ['all'], async (cluster) => measure(world, cluster)));
    ofThree.push(await withCluster(world, three, async (cluster) => measure(world, cluster)));
  }
  const [one, several] = [medians(ofOne), medians(ofThree)];
  console.log('                                   one host   three hosts   ratio   aim');
  printRow('stored and told, p50 ms', one.toldP50, several.toldP50, '≤ 1.5');
  printRow('stored and told, p99 ms', one.toldP99, several.toldP99, '');
  printRow('acknowledged, p50 ms', one.ackP50, several.ackP50, '');
  printRow('acknowledged a second, workers held', one.acksPerSecond, several.acksPerSecond, '≥ 0.95');
  return withCluster(world, three, async (cluster) => killOne(world, cluster));
}

async function withCluster<T>(world: World, roles: readonly Role[], use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await world.start(roles);
  const result = await use(cluster);
  await cluster.stop();
  return result;
}

async function measure(world: World, cluster: Cluster): Promise<Figures> {
  const { connection, receiver, toldAt, key } = world;
  const target = { url: cluster.url, key, connection };
  await deliverAll(cluster.url, await makePending(target, receiver.url, 100));
  const ids = await makePending(target, receiver.url, told.count);
  const [waits, answers]: [number[], number[]] = [[], []];
  for (const id of ids) {
    const { ms } = await deliverCallback(cluster.url, paidCallback(`GW-${id}-1`, 10));
    const storedAt = performance.now();
    answers.push(ms);
    await until('the merchant is told', () => toldAt.has(id));
    waits.push(Math.max(toldAt.get(id)! - storedAt, 0));
    await sleep(Math.max(1000 / told.perSecond - (performance.now() - storedAt), 0));
  }
  const burst = await makePending(target, receiver.url, acks.count);
  const workers = await workersOf(cluster);
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  const began = performance.now();
  let sent = 0;
  try {
    // Workers that are held for longer are replaced.
    for (; sent < acks.count && performance.now() - began < acks.limitMs; sent += acks.atOnce)
      await deliverAll(cluster.url, burst.slice(sent, sent + acks.atOnce));
  } finally {
    for (const pid of workers) process.kill(pid, 'SIGCONT');
  }
  const seconds = (performance.now() - began) / 1000;
  const { problems } = await compareBooks(connection, receiver, [...ids, ...burst.slice(0, sent)]);
  if (problems.length) throw new Error(problems.join('; '));
  return {
    toldP50: percentile(waits, 0.5),
    toldP99: percentile(waits, 0.99),
    ackP50: percentile(answers, 0.5),
    acksPerSecond: sent / seconds,
  };
}

/** Kills a host of workers as a whole while callbacks come. False: something was lost or doubled, or nobody noticed in time. */
async function killOne({ connection, receiver, key }: World, cluster: Cluster): Promise<boolean> {
  const ids = await makePending({ url: cluster.url, key, connection }, receiver.url, killed.count);
  const load = deliverAll(cluster.url, ids, killed.perSecond);
  const doomed = cluster.hosts.findLast(({ role }) => role === 'worker')!;
  await sleep(3000);
  const known = await hostModel(connection).countDocuments();
  doomed.gateway.signalGroup('SIGKILL');
  const killedAt = performance.now();
  await until('the others notice', async () => (await hostModel(connection).countDocuments()) < known);
  const noticedSeconds = (performance.now() - killedAt) / 1000;
  const { seconds, tries, slowestMs } = await load;
  const { lost, doubled, repeatedDeliveries, settledSeconds, problems } = await compareBooks(connection, receiver, ids);
  console.log(
    `one of three hosts killed: noticed, and its leases freed, after ${noticedSeconds.toFixed(1)} s; ${killed.count} callbacks in ${seconds.toFixed(1)} s, ${tries} sent, slowest ${Math.round(slowestMs)} ms; all settled ${settledSeconds.toFixed(1)} s later; ${lost} lost, ${doubled} doubled, ${repeatedDeliveries} notifications repeated`,
  );
  for (const problem of problems) console.log(problem);
  return problems.length === 0 && noticedSeconds <= noticedLimitSeconds;
}

async function workersOf({ hosts }: Cluster): Promise<number[]> {
  const states = hosts.map(async ({ role, dataDir }) => {
    const { running } = await readState(role === 'worker' || role === 'api' ? folderOf(role, dataDir) : dataDir);
    return running?.children.filter(({ name }) => name.startsWith('worker')).map(({ pid }) => pid) ?? [];
  });
  return (await Promise.all(states)).flat();
}

async function createWorld(folder: string, uri: string, providerUrl: string, receiver: Receiver): Promise<World> {
  await installAdapter(folder);
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const off = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }]));
  const options = { baseUrl: providerUrl, sandboxBaseUrl: providerUrl };
  const file = join(folder, 'gateway.yaml');
  await writeFile(
    file,
    JSON.stringify({
      security: { encryptionKey: randomBytes(32).toString('base64') },
      threeDs: { tokenSecrets: [randomBytes(32).toString('hex')] },
      adapters: { ...off, faults: { package: 'faults', state: 'on', options } },
      routes: [{ id: 1, when: {}, use: ['faults'] }],
      keys: { rateLimitPerMinute: 1_000_000 },
      mail: { catcher: false },
    }),
  );
  const env = { GATEWAY_CONFIG: file, MONGODB_URI: uri };
  const toldAt = new Map<number, number>();
  receiver.answer = (response, count) => {
    const { json } = receiver.received[count - 1]!;
    if (json.type === 'payment.succeeded') toldAt.set(json.data.paymentRequest.id as number, performance.now());
    response.writeHead(200).end();
  };
  const words = ['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'];
  const { out, problems } = await runGateway(words, join(folder, 'command'), env).ended;
  if (!out) throw new Error(problems.join('; '));
  const connection = await mongoose.createConnection(uri).asPromise();
  let started = 0;

  return {
    connection,
    receiver,
    toldAt,
    key: (JSON.parse(out) as { key: string }).key,
    async start(roles) {
      const port = await chooseFreePort();
      const hosts = roles.map((role) => {
        started += 1;
        const dataDir = join(folder, `host-${started}`);
        const command = role === 'all' ? 'start' : role;
        return { role, dataDir, gateway: runGateway([command], dataDir, { ...env, PORT: `${port}` }) };
      });
      await Promise.all(hosts.map(async ({ gateway }) => untilReady(gateway)));
      return {
        url: `http://127.0.0.1:${port}`,
        hosts,
        async stop() {
          for (const { gateway } of hosts) if (gateway.child.exitCode === null) gateway.child.kill('SIGTERM');
          await Promise.all(hosts.map(async ({ gateway }) => gateway.ended));
        },
      };
    },
  };
}

function medians(all: readonly Figures[]): Figures {
  const of = (member: keyof Figures): number =>
    percentile(
      all.map((figures) => figures[member]),
      0.5,
    );
  return { toldP50: of('toldP50'), toldP99: of('toldP99'), ackP50: of('ackP50'), acksPerSecond: of('acksPerSecond') };
}

function printRow(what: string, one: number, several: number, aim: string): void {
  const cells = [one.toFixed(0).padStart(8), several.toFixed(0).padStart(13), (several / one).toFixed(2).padStart(7)];
  console.log(`${what.padEnd(35)}${cells.join(' ')}   ${aim}`);
}

process.exitCode = await main();
process.exit();
