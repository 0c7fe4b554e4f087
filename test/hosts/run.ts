/**
 * `npm run test:hosts`: loads three hosts on one database, kills one of them, and compares their cost with one host.
 */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import type { Role } from '../../workers/supervisor/roles.ts';
import { endAll } from '../../workers/supervisor/testing/running-gateway.ts';
import { startFaultsProvider } from '../faults/provider.ts';
import { startReceiver } from '../support/receiver.ts';
import { killOneHost } from './kill-one.ts';
import { measure, medians, type Figures } from './measure.ts';
import { createWorld, type Cluster, type World } from './world.ts';

const help = `npm run test:hosts [-- options]

Measures one host, then a host with the API and two hosts with workers, on one mongod: how soon a merchant is notified of a
callback, and how many callbacks are acknowledged per second. Then kills one of the worker hosts under load, and compares the
books. The exit code is 1 if something was lost or doubled, if the leases and Agenda locks of the dead host were not released
within 10 s of its death, or if a host did not exit cleanly. The ratios are printed next to their goals and cause no failure:
a machine with few cores runs three hosts slower than one.

  --rounds N   rounds per measurement, one host and three in turn; the medians are compared (default 3)
  --help       prints this help
`;

const three: readonly Role[] = ['api', 'worker', 'worker'];

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
    await compare(world, Number(values.rounds));
    const isRight = await withCluster(world, three, async (cluster) => killOneHost(world, cluster));
    await world.connection.close();
    return isRight ? 0 : 1;
  } finally {
    endAll();
    await Promise.all([provider.close(), receiver.close()]);
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function compare(world: World, rounds: number): Promise<void> {
  const [ofOne, ofThree]: [Figures[], Figures[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    ofOne.push(await withCluster(world, ['all'], async (cluster) => measure(world, cluster)));
    ofThree.push(await withCluster(world, three, async (cluster) => measure(world, cluster)));
  }
  const [one, several] = [medians(ofOne), medians(ofThree)];
  console.log('                                   one host   three hosts   ratio   goal');
  printRow('stored to notified, p50 ms', one.notifiedP50, several.notifiedP50, '≤ 1.5');
  printRow('stored to notified, p99 ms', one.notifiedP99, several.notifiedP99);
  printRow('acknowledged, p50 ms', one.ackP50, several.ackP50);
  printRow('acknowledged a second, workers held', one.acksPerSecond, several.acksPerSecond, '≥ 0.95');
  printRow('CPU of an acknowledgement, µs', one.ackCpuMs * 1000, several.ackCpuMs * 1000, '≤ 1.05');
  const each = (figures: readonly Figures[]): string =>
    figures.map(({ acksPerSecond }) => acksPerSecond.toFixed(0)).join(', ');
  console.log(`acknowledged per second in each round: ${each(ofOne)} by one host; ${each(ofThree)} by three`);
}

async function withCluster<T>(world: World, roles: readonly Role[], use: (cluster: Cluster) => Promise<T>): Promise<T> {
  const cluster = await world.start(roles);
  const result = await use(cluster);
  await cluster.stop();
  return result;
}

function printRow(what: string, one: number, several: number, goal = ''): void {
  const cells = [one.toFixed(0).padStart(8), several.toFixed(0).padStart(13), (several / one).toFixed(2).padStart(7)];
  console.log(`${what.padEnd(35)}${cells.join(' ')}   ${goal}`);
}

process.exitCode = await main();
process.exit();
