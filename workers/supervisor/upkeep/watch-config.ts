/**
 * Follows the config files while the service runs: an edited adapter state takes effect immediately, all else at the
 * next start.
 */
import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { loadConfig, type LoadedConfig } from '../../../config/load-config.ts';
import { fileStates } from '../../../core/engine/providers/states/adapter-states.ts';
import type { AdapterStateStore } from '../../../core/engine/providers/states/adapter-states.ts';
import { toProblems } from '../start-error.ts';

export interface WatchDeps {
  readonly loaded: LoadedConfig;
  readonly env: NodeJS.ProcessEnv;
  readonly adapterStates: Pick<AdapterStateStore, 'applyFile'>;
  readonly print: (line: string) => void;
  readonly log: Logger;
  readonly everyMs?: number;
}

export interface Watching {
  stop(): Promise<void>;
}

const defaultMs = 1000;

export function watchConfig({ loaded, env, adapterStates, print, log, everyMs = defaultMs }: WatchDeps): Watching {
  let known = loaded;
  let appliedStamp: string | undefined;
  let checking: Promise<void> | undefined;

  async function check(): Promise<void> {
    const stamp = await stampOf(known.files);
    // The first check reads the files again, because the start may have taken long.
    if (stamp !== appliedStamp) await apply();
    // Set last, so that an edit is tried again if it could not be applied, for example during an outage of the
    // database.
    appliedStamp = stamp;
  }

  async function apply(): Promise<void> {
    let next: LoadedConfig;
    try {
      next = await loadConfig({ env, root: known.root });
    } catch (error) {
      print('The config files were edited, but the changes are not applied:');
      for (const problem of toProblems(error)) print(`  ${problem}`);
      return;
    }
    const isSameElse = withoutStates(next) === withoutStates(known);
    const before = fileStates(known.config);
    const after = fileStates(next.config);
    const version = await adapterStates.applyFile(after);
    known = next;
    for (const [name, state] of Object.entries(after)) {
      if (before[name] !== state) print(`The config files were edited: ${name} is ${state} (version ${version}).`);
    }
    if (!isSameElse)
      print('The config files were edited: changes other than adapter states take effect at the next start.');
    if (!isSameElse || JSON.stringify(before) !== JSON.stringify(after))
      log.info({ files: next.files, version, states: after }, 'config files edited');
  }

  const timer = setInterval(() => {
    checking ??= check()
      .catch((error: unknown) => log.warn({ err: error }, 'the config files could not be followed'))
      .finally(() => {
        checking = undefined;
      });
  }, everyMs);

  return {
    async stop() {
      clearInterval(timer);
      await checking;
    },
  };
}

async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await stat(file).catch(() => undefined); // An editor may be replacing the file.
      return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : 'missing';
    }),
  );
  return stamps.join('\n');
}

function withoutStates({ config }: LoadedConfig): string {
  const adapters = Object.entries(config.adapters).map(([name, { state: _state, accounts = {}, ...rest }]) => [
    name,
    rest,
    Object.entries(accounts).map(([account, { state: _own, ...terms }]) => [account, terms]),
  ]);
  return JSON.stringify({ ...config, adapters });
}
