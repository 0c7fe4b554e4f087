/** Follows the config files while the service runs: an adapter's edited state counts at once, all else at the next start. */
import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import { loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import { fileStates } from '../../core/engine/providers/states/adapter-states.ts';
import type { AdapterStateStore } from '../../core/engine/providers/states/adapter-states.ts';
import { toProblems } from './start-error.ts';

export interface WatchSetup {
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

const usualMs = 1000;

export function watchConfig({ loaded, env, adapterStates, print, log, everyMs = usualMs }: WatchSetup): Watching {
  let known = loaded;
  let seen: string | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const stamp = await stampOf(known.files);
    // The first look compares with what was read before the start, which may have taken its time.
    if (stamp !== seen) await take();
    // Only now: an edit that could not be applied, for the database was away, is looked at again.
    seen = stamp;
  }

  async function take(): Promise<void> {
    let next: LoadedConfig;
    try {
      next = await loadConfig({ env, root: known.root });
    } catch (error) {
      print('The config files were edited, and are not taken:');
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
    if (!isSameElse) print('The config files were edited: settings other than states count at the next start.');
    if (!isSameElse || JSON.stringify(before) !== JSON.stringify(after))
      log.info({ files: next.files, version, states: after }, 'config files edited');
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log.warn({ err: error }, 'the config files could not be followed'))
      .finally(() => {
        looking = undefined;
      });
  }, everyMs);

  return {
    async stop() {
      clearInterval(timer);
      await looking;
    },
  };
}

async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = await Promise.all(
    files.map(async (file) => {
      const found = await stat(file).catch(() => undefined); // An editor may be replacing it right now.
      return found ? `${found.mtimeMs} ${found.size} ${found.ino}` : 'away';
    }),
  );
  return stamps.join('\n');
}

function withoutStates({ config }: LoadedConfig): string {
  const adapters = Object.entries(config.adapters).map(([name, { state: _state, ...rest }]) => [name, rest]);
  return JSON.stringify({ ...config, adapters });
}
