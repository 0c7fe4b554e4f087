/**
 * The first steps of a start: they take the data folder, open the database, and prepare what every process needs in it.
 */
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { makeCollections } from '../../../core/database/collections.ts';
import { createLog } from '../../../core/base/log/log.ts';
import type { Metrics } from '../../../core/base/metrics/index.ts';
import { openEncrypter, WrongKeysError } from '../../../core/engine/secrets/index.ts';
import { listenProblem, type ListenAddress } from '../../../core/base/net/listen-problem.ts';
import { openOwnDatabase } from '../dev/own-database.ts';
import { createAlarmReporting } from '../upkeep/report-alarms.ts';
import { rolesOf } from '../roles.ts';
import { toLogTarget, toRunConfig } from './run-config.ts';
import type { StepsOptions } from '../service-options.ts';
import { StartError } from '../start-error.ts';
import { createStep } from '../steps.ts';
import { takeFolder } from './take-folder.ts';

export type CommonSteps = ReturnType<typeof createCommonSteps>;

export function createCommonSteps({ role, loaded, env, report, signal }: StepsOptions) {
  const { config } = loaded;
  const folder = createStep({
    async start() {
      if (role === 'mongod' && config.database.uri !== undefined) {
        throw new StartError(['paywright mongod starts a MongoDB only if config names none: unset MONGODB_URI.']);
      }
      return takeFolder({ role, loaded, signal });
    },
    async stop({ file, unlock }) {
      await file.clear();
      await unlock();
    },
  });
  const port = createStep({
    async start() {
      if (rolesOf[role].runsApi) await checkPort(config.server);
    },
  });
  const log = createStep({
    start: () => createLog({ level: config.log.level, name: 'supervisor', destination: toLogTarget(loaded) }),
  });
  const database = createStep({
    async start() {
      const { uri, ports } = folder.value;
      const settings = { ...config.database, uri };
      return openOwnDatabase({ database: settings, port: ports.mongod, env, report, log: log.value, signal });
    },
    stop: async (opened) => opened.stop(),
  });
  return { folder, port, log, database };
}

export function createPreparationSteps(
  { loaded }: Pick<StepsOptions, 'loaded'>,
  { folder, log, database }: CommonSteps,
  metrics: Metrics,
) {
  /** Made here, before any other process opens them, because the other processes have less time for it. */
  const collections = createStep({ start: async () => makeCollections(database.value.uri, log.value) });
  const alarmReporting = createStep({
    async start() {
      const { secrets, ports, opsPort } = folder.value;
      const { uri, connection } = database.value;
      const run = toRunConfig(loaded, { ...secrets, uri, ports: ports.sandboxes, opsPort });
      return createAlarmReporting({ connection, run, metrics, log: log.value });
    },
    stop: async (reporting) => reporting.stop(),
  });
  const encrypter = createStep({
    async start() {
      const { encryptionKeys } = folder.value.secrets;
      return openEncrypter(database.value.connection, encryptionKeys).catch((error: unknown) => {
        const subject = { type: 'host', id: hostname() } as const;
        if (error instanceof WrongKeysError) alarmReporting.value.alarms.raise('key_unknown', subject, error.message);
        throw error;
      });
    },
  });
  return { collections, alarmReporting, encrypter };
}

/** Throws a StartError if the API cannot listen, before anything is started for it. */
async function checkPort({ host, port }: ListenAddress): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(new StartError([listenProblem(error, { host, port })], { cause: error })));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}
