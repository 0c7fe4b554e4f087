/** Starts the benchmark's other processes: the load generator, idle connections, the baselines. */
import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { BaselineOptions } from './baseline-process.ts';
import type { Idle, IdleReport } from './idle-process.ts';
import type { Load, LoadResult } from './load-process.ts';
import { cpuMsOf } from './process-figures.ts';

export interface LoadGenerator {
  /** `cpuShare`: CPU share of the load generator itself, as a fraction of one core. */
  drive(load: Load): Promise<LoadResult & { readonly cpuShare: number }>;
  close(): void;
}

export function startLoadGenerator(): LoadGenerator {
  const child = forkScript('load-process.js');
  return {
    async drive(load) {
      const before = await cpuMsOf([child.pid!]);
      const { result, error } = await ask<{ result?: LoadResult; error?: string }>(child, load);
      if (!result) throw new Error(`the load generator: ${error}`);
      return { ...result, cpuShare: ((await cpuMsOf([child.pid!])) - before) / (result.seconds * 1000) };
    },
    close: () => child.disconnect(),
  };
}

export interface IdleConnections {
  /** Number of connections that the server closed. */
  lost(): Promise<number>;
  close(): void;
}

export async function openIdleConnections(idle: Idle): Promise<IdleConnections> {
  const child = forkScript('idle-process.js');
  await ask<IdleReport>(child, { open: idle });
  return {
    lost: async () => (await ask<IdleReport>(child, {})).lost,
    close: () => child.disconnect(),
  };
}

export interface Baseline {
  readonly port: number;
  /** CPU time that the process has used. */
  cpuMs(): Promise<number>;
  close(): void;
}

export async function startBaseline(setup: BaselineOptions): Promise<Baseline> {
  const child = forkScript('baseline-process.js');
  const { port } = await ask<{ port: number }>(child, setup);
  return { port, cpuMs: async () => cpuMsOf([child.pid!]), close: () => child.disconnect() };
}

function forkScript(name: string): ChildProcess {
  return fork(fileURLToPath(new URL(name, import.meta.url)), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** Sends the message, and waits for the next message of the child. */
async function ask<T>(child: ChildProcess, message: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process of the benchmark exited with ${code}`));
    child.once('exit', onExit);
    child.once('message', (answer) => {
      child.off('exit', onExit);
      resolve(answer as T);
    });
    child.send(message);
  });
}
