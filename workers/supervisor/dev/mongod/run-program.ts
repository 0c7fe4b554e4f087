import { spawn } from 'node:child_process';
import { access, constants, readdir, stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Prints one line for the person who waits. */
export type Report = (line: string) => void;

const stallMs = 30_000;
const pollMs = 1_000;
const reportMs = 2_000;

export interface Fetching {
  env: NodeJS.ProcessEnv;
  /** The program writes everything here. Its size is the progress. */
  folder: string;
  /** Start of every progress line. */
  title: string;
  report: Report;
  signal?: AbortSignal | undefined;
}

/** Path of the executable with this name in a folder of PATH. Undefined: there is none. */
export async function findOnPath(name: string, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env['PATH'] ?? '').split(delimiter).filter(Boolean)) {
    const path = join(folder, name);
    const runs = await access(path, constants.X_OK).then(
      async () => (await stat(path)).isFile(),
      () => false,
    );
    if (runs) return path;
  }
  return undefined;
}

/**
 * Runs a program that fetches into a folder, reports its progress, and returns its output. Throws with the program's
 * own reason if it fails, and also if nothing has arrived for 30 s.
 */
export async function runProgram(command: string, args: string[], fetching: Fetching): Promise<string> {
  const { env, folder, title, report, signal } = fetching;
  const child = spawn(command, args, { env, signal, stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, errors, size, stalled] = ['', '', 0, false];
  let [grewAt, reportedAt] = [Date.now(), Date.now()];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));

  const check = async (): Promise<void> => {
    const now = Date.now();
    const found = await sizeOf(folder);
    if (found !== size) [size, grewAt] = [found, now];
    if (now - reportedAt >= reportMs) {
      reportedAt = now;
      report(`${title}: ${Math.round(size / 1e6)} MB`);
    }
    if (now - grewAt >= stallMs) {
      stalled = true;
      child.kill('SIGKILL');
    }
  };
  const timer = setInterval(() => void check(), pollMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve);
    });
    if (stalled) throw new Error(`nothing arrived for ${stallMs / 1000} s`);
    if (code !== 0) throw new Error(reasonIn(errors) ?? reasonIn(printed) ?? `exit code ${code}`);
    return printed;
  } finally {
    clearInterval(timer);
  }
}

async function sizeOf(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  // A file may disappear after it was listed, because pip and tar rename files.
  const sizes = await Promise.all(names.map(async (name) => stat(join(folder, name)).catch(() => undefined)));
  return sizes.reduce((sum, entry) => sum + (entry?.isFile() ? entry.size : 0), 0);
}

function reasonIn(text: string): string | undefined {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return (lines.findLast((line) => /error|no module/i.test(line)) ?? lines.at(-1))?.slice(0, 200);
}
