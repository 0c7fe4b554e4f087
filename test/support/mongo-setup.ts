/** Mocha's global fixtures: one real mongod for the whole run. Every file uses its own database. */
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'mocha';
import { mongo } from 'mongoose';
import { findMongod, startMongod, type RunningMongod } from '../../workers/supervisor/dev/mongod/index.ts';

let mongod: RunningMongod | undefined;

export async function mochaGlobalSetup(): Promise<void> {
  if (process.env['TEST_MONGODB_URI']) return;
  const report = (line: string): void => console.error(line);
  const { path, version, origin } = await findMongod({ env: process.env, report });
  mongod = await startMongod({ binary: path, ephemeral: true, report });
  await keepExpired(mongod.uri);
  report(`tests run on MongoDB ${version}, ${origin}`);
  process.env['TEST_MONGODB_URI'] = mongod.uri;
}

/**
 * Tests have clocks of their own. MongoDB would remove expired documents by the real clock, in the middle of a test.
 */
async function keepExpired(uri: string): Promise<void> {
  const client = await mongo.MongoClient.connect(uri);
  await client.db('admin').command({ setParameter: 1, ttlMonitorEnabled: false });
  await client.close();
}

const leakLimitMs = 30_000;

export async function mochaGlobalTeardown(): Promise<void> {
  await mongod?.stop();
  // Fires only if something keeps the process alive: a test that leaves a timer, queue or connection fails the run.
  setTimeout(() => {
    console.error(`a test left something open: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, leakLimitMs).unref();
}

/** A worker of a parallel run stays alive for the next file, so each file must leave open no more than it found. */
export const mochaHooks = {
  async beforeAll(this: Context) {
    openBefore = await countOpen(this);
  },
  async afterAll(this: Context) {
    if (process.env['MOCHA_WORKER_ID'] === undefined) return;
    const end = Date.now() + leakLimitMs;
    for (;;) {
      const open = await countOpen(this);
      const left = [...open].filter(([kind, count]) => count > (openBefore.get(kind) ?? 0)).map(([kind]) => kind);
      if (left.length === 0) return;
      if (Date.now() > end) throw new Error(`${fileOf(this)} left something open: ${left.join(', ')}`);
    }
  },
};

let openBefore: ReadonlyMap<string, number> = new Map();

/** What keeps the process alive, by kind, including the timer of this very call. */
async function countOpen(hook: Context): Promise<Map<string, number>> {
  hook.timeout(0); // Mocha's own timer would count too.
  await sleep(10);
  const open = process.getActiveResourcesInfo();
  return new Map(open.map((kind) => [kind, open.filter((other) => other === kind).length]));
}

function fileOf({ test }: Context): string {
  return relative('.', test?.parent?.suites.at(-1)?.file ?? '');
}
