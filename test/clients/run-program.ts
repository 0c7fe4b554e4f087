/** Runs a program to its end, or in the background, with a time limit. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

interface Options {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The longest that one step may take: the first build with Maven fetches many packages. */
const limitMs = 900_000;

/** Resolves with what the program prints. Throws if it fails, with everything that it printed. */
export async function run([command = '', ...args]: readonly string[], { cwd, env }: Options): Promise<string> {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  });
  const printed: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const code = await Promise.race([
    once(child, 'close').then(([status]) => status as number | null),
    once(child, 'error').then(([error]) => Promise.reject(error as Error)),
  ]);
  if (code === 0) return printed.join('');
  throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${[...printed, ...errors].join('').slice(-8000)}`);
}

export interface Background {
  /** The lines that it has printed so far. */
  readonly lines: () => readonly string[];
  /** Resolves with its exit code, or null if a signal ended it. */
  readonly ended: Promise<number | null>;
  readonly stop: () => Promise<void>;
}

export function runInBackground([command = '', ...args]: readonly string[], { cwd, env }: Options): Background {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const printed: string[] = [];
  child.stdout!.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    ended,
    lines: () => printed.join('').split('\n').filter(Boolean),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // The whole group: a runner such as npx or go does not pass the signal on.
      process.kill(-child.pid!, 'SIGTERM');
      await ended;
    },
  };
}
