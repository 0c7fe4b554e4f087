/** Runs the `gateway` command in its own process group, as a terminal does. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { until } from '../../../core/base/testing/until.ts';
import { readState, type RunningState } from '../data-folder/index.ts';

const runFile = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const command = join(root, 'core', 'cli', 'bin', 'paywright.mjs');

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  /** The lines of standard error. */
  readonly problems: readonly string[];
}

export interface RunningGateway {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  out(): string;
  /** The text of standard error. */
  err(): string;
  /** Sends a signal to every process of its group, as Ctrl-C in a terminal does. */
  signalGroup(signal: NodeJS.Signals): void;
}

const started = new Set<ChildProcess>();

/** Runs `gateway <words>` or `npm start` with this data folder. */
export function runGateway(
  words: readonly string[] | 'npm start',
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): RunningGateway {
  const [file, args] = words === 'npm start' ? ['npm', ['start']] : [process.execPath, [command, ...words]];
  const child = spawn(file, args, {
    cwd: root,
    env: gatewayEnv(dataDir, env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
  const end = async (): Promise<Ended> => {
    const [code] = (await once(child, 'close')) as [number | null];
    started.delete(child);
    const problems = err.split('\n').filter(Boolean);
    return { code, out, problems };
  };
  return {
    child,
    ended: end(),
    out: () => out,
    err: () => err,
    signalGroup: (signal) => void process.kill(-(child.pid ?? 0), signal),
  };
}

/**
 * The environment of a gateway on this data folder. It has one API process and one worker unless `env` says otherwise.
 */
export function gatewayEnv(dataDir: string, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { MONGODB_URI: _, ...inherited } = process.env;
  return {
    ...inherited,
    GATEWAY_ENV: 'development',
    GATEWAY_DATA_DIR: dataDir,
    API_PROCESSES: '1',
    WORKERS: '1',
    ...env,
  };
}

/** Waits until the service prints that it is ready. */
export async function untilReady(gateway: RunningGateway, limitMs = 90_000): Promise<string> {
  let ended: Ended | undefined;
  void gateway.ended.then((end) => (ended = end));
  await until(
    'the gateway is ready',
    () => {
      if (ended) throw new Error(`it ended: ${ended.problems.join(' ')}`);
      return gateway.out().includes('Ready.');
    },
    limitMs,
  );
  return gateway.out();
}

export async function runningState(dataDir: string): Promise<RunningState> {
  const { running } = await readState(dataDir);
  if (!running) throw new Error('no gateway runs on this folder');
  return running;
}

/** The ids of all processes of this data folder. Each of them has the folder's name in its environment. */
export async function processesOf(dataDir: string): Promise<string[]> {
  const mark = `GATEWAY_DATA_DIR=${dataDir}`;
  if (process.platform !== 'linux') {
    const { stdout } = await runFile('ps', ['-axEww', '-o', 'pid=,command='], { maxBuffer: 1 << 26 });
    const lines = stdout.split('\n').filter((line) => line.split(' ').includes(mark));
    return lines.map((line) => line.trim().split(' ')[0] ?? '');
  }
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (environment.split('\0').includes(mark)) found.push(pid);
  }
  return found;
}

/** For `afterEach`: kills the processes that a failed test left behind. */
export function endAll(): void {
  for (const { pid = 0 } of started.keys()) {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // It has exited, but its output is not read completely yet.
    }
  }
}
