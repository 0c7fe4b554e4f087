/** A mongod that is frozen, or stopped and restarted: responses during the outage, and the data afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMAND_LIMIT_MS } from '../../core/database/connect.ts';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort, findMongod, startMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { call } from './load.ts';
import { isReady, runUnderLoad, type Row, type RowResult, type World } from './row.ts';
import { startFaultsService, type Service } from './service.ts';

/** Extra time that a busy machine may need. */
const marginMs = 1000;
const readyLimitMs = 1500;
const perSecond = 30;

interface Asked {
  readonly ask: (service: Service) => Promise<{ readonly status: number; readonly code?: unknown }>;
  readonly limitMs: number;
}

const asked: Readonly<Record<string, Asked>> = {
  '/ready': { ask: async ({ url }) => fetch(`${url}/ready`), limitMs: readyLimitMs },
  read: {
    ask: async ({ url, key }) => codeOf(await fetch(`${url}/payment-requests`, { headers: { 'X-API-Key': key } })),
    limitMs: COMMAND_LIMIT_MS,
  },
  POST: {
    async ask(service) {
      const { status, json } = await call(service, '/payment-requests', '{"amount":1,"unit":"EUR"}');
      return { status, code: (json as { readonly code?: unknown }).code };
    },
    limitMs: COMMAND_LIMIT_MS,
  },
};

async function codeOf(response: Response): Promise<{ readonly status: number; readonly code?: unknown }> {
  const { code } = (await response.json()) as { readonly code?: unknown };
  return { status: response.status, code };
}

/** Sends all requests once a second until `end`. */
async function watch(service: Service, end: number) {
  const times = new Map(Object.keys(asked).map((name) => [name, [] as number[]]));
  const statuses = new Set<number>();
  const problems: string[] = [];
  // Each process of the API detects the outage on its own.
  const knownAt = performance.now() + COMMAND_LIMIT_MS + marginMs;
  while (Date.now() < end) {
    for (const [name, { ask }] of Object.entries(asked)) {
      const began = performance.now();
      const { status, code } = await ask(service);
      times.get(name)?.push(performance.now() - began);
      if (name === '/ready') statuses.add(status);
      const isRefused = status === 503 && (name === '/ready' || code === 'SYS002');
      if (began > knownAt && !isRefused) problems.push(`${name} was answered ${status} ${String(code)}`);
    }
    await sleep(1000);
  }
  const slowest = [...times].map(([name, all]) => [name, Math.round(Math.max(...all))] as const);
  for (const [name, ms] of slowest)
    if (ms > asked[name]!.limitMs + marginMs) problems.push(`${name} was answered after ${ms} ms`);
  const figures = `/ready ${[...statuses].join('/')}; slowest: ${slowest.map(([name, ms]) => `${name} ${ms} ms`).join(', ')}`;
  return { figures, problems };
}

/** Sends callbacks while the database is unavailable for this many seconds. */
async function runWithoutDatabase(
  world: Pick<World, 'service' | 'receiver'>,
  seconds: number,
  away: () => Promise<() => Promise<void>>,
): Promise<RowResult> {
  let watched: Awaited<ReturnType<typeof watch>> = { figures: '', problems: [] };
  const harm = async (): Promise<string> => {
    await sleep(1000);
    const back = await away();
    try {
      watched = await watch(world.service, Date.now() + seconds * 1000);
    } finally {
      await back();
    }
    await until('it is ready again', isReady(world.service));
    return watched.figures;
  };
  const { figures, problems } = await runUnderLoad(world, 300, harm, perSecond);
  return { figures, problems: [...problems, ...watched.problems] };
}

async function freeze(world: World, seconds: number): Promise<RowResult> {
  return runWithoutDatabase(world, seconds, async () => {
    const [pid = 0] = await world.service.pids('mongod');
    process.kill(pid, 'SIGSTOP');
    return async () => void process.kill(pid, 'SIGCONT');
  });
}

/** A mongod that the service does not start, because its supervisor would restart it immediately. */
async function stop({ provider, receiver }: World, seconds: number): Promise<RowResult> {
  const dbPath = await mkdtemp(join(tmpdir(), 'gateway-stopped-'));
  const { path: binary } = await findMongod({ env: process.env, report: () => undefined });
  const options = { binary, dbPath, port: await chooseFreePort(), report: () => undefined };
  let mongod = await startMongod(options);
  try {
    const service = await startFaultsService({ faults: provider.url }, undefined, { MONGODB_URI: mongod.uri });
    try {
      return await runWithoutDatabase({ service, receiver }, seconds, async () => {
        await mongod.stop();
        return async () => void (mongod = await startMongod(options));
      });
    } finally {
      await service.close();
    }
  } finally {
    await mongod.stop();
    await rm(dbPath, { recursive: true, force: true });
  }
}

export const databaseOutageRows: readonly Row[] = ([20, 300] as const).flatMap((seconds): Row[] => {
  const onlyLong = seconds > 60 && ({ onlyLong: true } as const);
  return [
    { name: `mongod frozen for ${seconds} s`, ...onlyLong, run: async (world) => freeze(world, seconds) },
    { name: `mongod stopped for ${seconds} s`, ...onlyLong, run: async (world) => stop(world, seconds) },
  ];
});
