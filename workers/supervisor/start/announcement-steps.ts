/**
 * The last steps of a start: they make the first API key, note which processes run, and print what the person needs.
 */
import type { RunningState } from '../data-folder/index.ts';
import { describeStarted, describeWorkers } from './describe-started.ts';
import type { SandboxReport } from '../dev/sandboxes.ts';
import { makeFirstKey } from './first-key.ts';
import { rolesOf } from '../roles.ts';
import { toApiUrl, toLogTarget } from './run-config.ts';
import type { Started, StepsOptions } from '../service-options.ts';
import { createStep, type Step, type StepWithValue } from '../steps.ts';
import type { CommonSteps } from './database-steps.ts';

export interface AnnouncementDeps {
  readonly common: CommonSteps;
  readonly sandboxes: () => readonly SandboxReport[];
  /** Every process that runs now. */
  readonly processes: () => { readonly name: string; readonly pid: number }[];
}

export interface AnnouncementSteps {
  readonly steps: readonly Step[];
  readonly announcement: StepWithValue<Started>;
  /** Updates the state file. Does nothing before the service has started. */
  noteProcesses(): void;
  /** Requests came through a proxy that config does not name. */
  noteUnknownProxy(): void;
}

export function createAnnouncementSteps(
  { role, loaded, print }: Pick<StepsOptions, 'role' | 'loaded' | 'print'>,
  { common, sandboxes, processes }: AnnouncementDeps,
): AnnouncementSteps {
  const { config, isProduction } = loaded;
  const { runsApi, runsWorkers } = rolesOf[role];
  const { folder, log, database } = common;
  const apiUrl = toApiUrl(config.server);
  let hasUnknownProxy = false;

  const firstKey = createStep({
    async start() {
      const { secrets, state, file } = folder.value;
      const isFirst = runsApi && !state.hasFirstKey && !isProduction;
      const { connection } = database.value;
      const key = isFirst ? await makeFirstKey({ ...secrets, connection, config, log: log.value }) : undefined;
      if (runsApi) await file.save({ hasFirstKey: true });
      return key;
    },
  });
  /** From this step on, each change of the processes is written into the state file. */
  const running = createStep({
    start(): Pick<RunningState, 'mongodbUri' | 'sandboxes' | 'opsUrl'> {
      const { opsPort } = folder.value;
      return {
        mongodbUri: database.value.uri,
        sandboxes: Object.fromEntries(sandboxes().map(({ name, url }) => [name, url])),
        ...(opsPort !== undefined && { opsUrl: toApiUrl({ host: config.ops.host, port: opsPort }) }),
      };
    },
  });
  const announcement = createStep({
    async start(): Promise<Started> {
      await writeState();
      const workers = runsWorkers ? config.workers.count : undefined;
      const { opsUrl, mongodbUri } = running.value;
      const found = { sandboxes: sandboxes(), firstKey: firstKey.value };
      log.value.info({ apiUrl, role, workers }, 'the service is ready');
      const target = toLogTarget(loaded);
      const lines = runsApi
        ? describeStarted({ apiUrl, opsUrl, workers, ...found, log: target, isProduction })
        : describeWorkers(config.workers.count, opsUrl, target);
      for (const line of lines) print(line);
      return { apiUrl, mongodbUri, ...found };
    },
  });

  async function writeState(): Promise<void> {
    if (!running.current) return;
    const { publicUrl } = config.server;
    const { liveKeys } = config.keys;
    await folder.value.file.note({ ...running.current, apiUrl, publicUrl, liveKeys, hasUnknownProxy }, processes());
  }

  function noteProcesses(): void {
    writeState().catch((error: unknown) => log.value.warn({ err: error }, 'the state file could not be updated'));
  }

  return {
    steps: [firstKey, running, announcement],
    announcement,
    noteProcesses,
    noteUnknownProxy() {
      hasUnknownProxy = true;
      noteProcesses();
    },
  };
}
