/** Gateways in this one process, each as its own process would be: own connection, own memory, own name in leases. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { loadConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import { makeCollections } from '../../core/database/collections.ts';
import { createGateway, type Gateway } from '../../core/gateway.ts';
import { createApp } from '../../core/app.ts';
import type { ActiveAdapter } from '../../core/engine/providers/load/load-adapters.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import type { RunConfig } from '../../core/base/run-config.ts';
import { root } from '../support/start-gateway.ts';
import { currentActor, type Actor } from './actors.ts';
import { clock } from './clock.ts';

export interface Process {
  readonly url: string;
  readonly gateway: Gateway;
  /** Ends it; of one that was killed only what nobody in it can keep waiting: its port and its connection. */
  end(how?: 'killed'): Promise<void>;
}

export interface Processes {
  readonly key: string;
  /** What they run with, for a process that is a real one. */
  readonly run: RunConfig;
  /** A request of the actor, which has these headers: on its way to a process or back it keeps the scheduler waiting. */
  beginJourney(actor: Actor | undefined): { readonly headers: Record<string, string>; end(): void };
  start(): Promise<Process>;
}

const silent = pino({ level: 'silent' });

export async function prepareProcesses(mongodUri: string, adapters: readonly ActiveAdapter[]): Promise<Processes> {
  const uri = mongodUri.replace(/\/\?/, `/explore-${randomUUID()}?`);
  const run = await runConfig(uri, adapters);
  await makeCollections(run.config.database.uri!, silent);
  const journeys = new Map<string, Journey>();
  let lastJourney = 0;

  async function start(): Promise<Process> {
    const worker = `process-${randomUUID()}`;
    const gateway = await createGateway({
      ...run,
      log: silent,
      worker,
      metrics: createMetrics(),
      notifyWorkers: () => undefined,
      // A process judges by the server's clock; who reads its own all the same meets one that may be wrong.
      now: clock.now,
    });
    gateway.providers.registry.replace([...adapters]);
    const ready = async (): Promise<{ ok: boolean; parts: Record<string, unknown> }> => ({ ok: true, parts: {} });
    const handle = createApp({ ...gateway.httpDeps, health: { ready } }).callback();
    const server = createServer((request, response) => {
      const journey = journeys.get(String(request.headers['x-journey']));
      journey?.stops();
      response.on('finish', () => journey?.goesOn());
      void currentActor.run(journey?.actor as Actor, async () => handle(request, response));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      gateway,
      async end(how) {
        server.closeAllConnections();
        server.close();
        const closed = gateway.close();
        if (how !== 'killed') return closed;
        void closed.catch(() => undefined);
        await gateway.connection.destroy(true);
      },
    };
  }

  const first = await start();
  const { key } = await first.gateway.access.keys.create({ owner: 'explorer', environment: 'sandbox' });
  await first.end();
  return {
    key,
    run,
    start,
    beginJourney(actor) {
      if (!actor) return { headers: {}, end: () => undefined };
      const name = String((lastJourney += 1));
      const journey = createJourney(actor);
      journeys.set(name, journey);
      return {
        headers: { 'X-Journey': name },
        end() {
          journey.stops();
          journeys.delete(name);
        },
      };
    },
  };
}

interface Journey {
  readonly actor: Actor;
  /** It is under way again, unless it has ended. */
  goesOn(): void;
  /** It is with the process, or has ended. */
  stops(): void;
}

function createJourney(actor: Actor): Journey {
  let [isUnderWay, stops] = [true, 0];
  actor.underWay += 1;
  return {
    actor,
    goesOn() {
      // Its end may be known before that it was answered.
      if (isUnderWay || stops > 1) return;
      isUnderWay = true;
      actor.underWay += 1;
    },
    stops() {
      stops += 1;
      if (isUnderWay) actor.underWay -= 1;
      isUnderWay = false;
    },
  };
}

async function runConfig(uri: string, adapters: readonly ActiveAdapter[]): Promise<RunConfig> {
  const { config, environment, isProduction, adapterDirs } = await loadConfig({
    env: { GATEWAY_ENV: 'development' },
    root,
  });
  return {
    environment,
    isProduction,
    root,
    adapterDirs,
    config: {
      ...config,
      adapters: {},
      routes: [{ id: 1, when: {}, use: adapters.map(({ name }) => name) }] as unknown as Config['routes'],
      server: { ...config.server, publicUrl: 'http://127.0.0.1' },
      database: { ...config.database, uri },
      security: { encryptionKey: [randomBytes(32).toString('base64')] },
      threeDs: { ...config.threeDs, tokenSecrets: [randomBytes(32).toString('hex')] },
      keys: { ...config.keys, rateLimitPerMinute: 1_000_000 },
      provider: { ...config.provider, breakerFailures: 1_000_000 },
      notifications: { ...config.notifications, breakerFailures: 1_000_000 },
      payments: { ...config.payments, nothingChargedAfterSeconds: 300, expireCreatedAfterHours: 2 },
    },
  };
}
