/** Keeps the state file true while processes come and go. */
import { processStartTime, writeState, type KeptState, type RunningState } from './data-folder/index.ts';

export interface RunningFile {
  /** Changes what is kept, and writes it behind every write before. */
  save(change: Partial<KeptState>): Promise<void>;
  /** Writes down that the service runs, or that these are its processes now. */
  note(running: Omit<RunningState, 'children' | 'pid'>, children: readonly Child[]): Promise<void>;
  /** Writes down that it runs no more. */
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
