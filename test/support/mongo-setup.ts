/** Mocha's global fixtures: one real mongod for the whole run; every file takes a database of its own. */
import { findMongod, startMongod, type RunningMongod } from '../../workers/supervisor/dev/mongod/index.ts';

let mongod: RunningMongod | undefined;

export async function mochaGlobalSetup(): Promise<void> {
  if (process.env['TEST_MONGODB_URI']) return;
  const report = (line: string): void => console.error(line);
  const { path, version, origin } = await findMongod({ env: process.env, report });
  mongod = await startMongod({ binary: path, ephemeral: true, report });
  report(`tests run on MongoDB ${version}, ${origin}`);
  process.env['TEST_MONGODB_URI'] = mongod.uri;
}

const LEAK_LIMIT_MS = 10_000;

export async function mochaGlobalTeardown(): Promise<void> {
  await mongod?.stop();
  // Fires only where something keeps the process alive: a test that leaves a timer, queue or connection fails the run.
  setTimeout(() => {
    console.error(`a test left something open: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, LEAK_LIMIT_MS).unref();
}
