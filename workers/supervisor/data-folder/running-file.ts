/** Keeps the state file up to date while processes start and exit. */
import { processStartTime, writeState, type KeptState, type RunningState } from './index.ts';

export interface RunningFile {
  /** Changes the kept state. Writes are done one after the other. */
  save(change: Partial<KeptState>): Promise<void>;
  /** Records that the service runs, and its current processes. */
  note(running: Omit<RunningState, 'children' | 'pid'>, children: readonly Child[]): Promise<void>;
  /** Records that the service no longer runs. */
  clear(): Promise<void>;
}

interface Child {
  readonly name: string;
  readonly pid: number;
}

export function createRunningFile(folder: string, first: KeptState): RunningFile {
  let state = first;
  let last = Promise.resolve();
  let isCleared = false;

  async function save(change: Partial<KeptState>): Promise<void> {
    state = { ...state, ...change };
    const next = state;
    last = last.catch(() => undefined).then(async () => writeState(folder, next));
    return last;
  }

  return {
    save,
    async note(running, children) {
      const alive = await Promise.all(
        children.map(async (child) => ({ ...child, startTime: await processStartTime(child.pid) })),
      );
      if (isCleared) return;
      const found = alive.flatMap(({ startTime, ...child }) =>
        startTime === undefined ? [] : [{ ...child, startTime }],
      );
      await save({ running: { ...running, pid: process.pid, children: found } });
    },
    async clear() {
      isCleared = true;
      const { running: _, ...rest } = state;
      state = rest;
      await save({});
    },
  };
}
