/**
 * Several gateways in this one process. Each has what a process would have: its own connection, memory and name in
 * leases.
 */
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
  /** Stops the process. A killed one closes only what cannot wait for its code: its port and its connection. */
  end(how?: 'killed'): Promise<void>;
}

export interface Processes {
  readonly key: string;
  /** The run config of the processes, to start a real process with it. */
  readonly run: RunConfig;
  /** Marks a request of the actor, which sends these headers. The scheduler waits while the request is in transit. */
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
      // A process judges times by the server's clock. Code that reads the process's own clock gets one that may be
      // wrong.
      now: clock.now,
    });
    gateway.providers.registry.replace([...adapters]);
    const ready = async (): Promise<{ ok: boolean; parts: Record<string, unknown> }> => ({ ok: true, parts: {} });
    const handle = createApp({ ...gateway.httpDeps, health: { ready } }).callback();
    const server = createServer((request, response) => {
      const journey = journeys.get(String(request.headers['x-journey']));
      journey?.pause();
      response.on('finish', () => journey?.resume());
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
          journey.pause();
          journeys.delete(name);
        },
      };
    },
  };
}

interface Journey {
  readonly actor: Actor;
  /** The request is in transit again, unless it has ended. */
  resume(): void;
  /** The request is with the process, or has ended. */
  pause(): void;
}

function createJourney(actor: Actor): Journey {
  let [isInProgress, stops] = [true, 0];
  actor.inProgress += 1;
  return {
    actor,
    resume() {
      // The request's end may be known before its response.
      if (isInProgress || stops > 1) return;
      isInProgress = true;
      actor.inProgress += 1;
    },
    pause() {
      stops += 1;
      if (isInProgress) actor.inProgress -= 1;
      isInProgress = false;
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
