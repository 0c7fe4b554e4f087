/** Runs the example receivers of the merchant's guide. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';

export interface Language {
  readonly name: string;
  /** Language of the guide's code fence. */
  readonly fence: string;
  readonly file: string;
  readonly command: string;
  readonly versionFlag: string;
  /** Builds the file if necessary, and returns its program and arguments. */
  readonly build?: (file: string) => readonly string[];
  readonly run: (file: string) => readonly [command: string, ...args: string[]];
  /** Stores a notification as a receiver does that fails before its work is done. */
  readonly store: (folder: string, id: string, body: string) => Promise<void>;
}

async function storeFile(folder: string, id: string, body: string): Promise<void> {
  await mkdir(join(folder, 'inbox'));
  await writeFile(join(folder, 'inbox', `${id}.json`), body);
}

async function storeRow(folder: string, id: string, body: string): Promise<void> {
  const program =
    'import sqlite3, sys; c = sqlite3.connect("inbox.sqlite"); ' +
    'c.execute("CREATE TABLE inbox (id TEXT PRIMARY KEY, body TEXT, done INTEGER DEFAULT 0)"); ' +
    'c.execute("INSERT INTO inbox (id, body) VALUES (?, ?)", sys.argv[1:]); c.commit()';
  const { status, stderr } = spawnSync('python3', ['-c', program, id, body], { cwd: folder, encoding: 'utf8' });
  expect(status, stderr).to.equal(0);
}

export const languages: readonly Language[] = [
  {
    name: 'JavaScript',
    fence: 'js',
    file: 'receiver.mjs',
    command: process.execPath,
    versionFlag: '--version',
    run: (file) => [process.execPath, file],
    store: storeFile,
  },
  {
    name: 'Python',
    fence: 'python',
    file: 'receiver.py',
    command: 'python3',
    versionFlag: '--version',
    run: (file) => ['python3', file],
    store: storeRow,
  },
  {
    name: 'Go',
    fence: 'go',
    file: 'receiver.go',
    command: 'go',
    versionFlag: 'version',
    build: (file) => ['build', '-o', `${file}.bin`, file],
    run: (file) => [`${file}.bin`],
    store: storeFile,
  },
];

export interface RunningReceiver {
  readonly url: string;
  /** Ids of the processed notifications, in order. */
  readonly lines: () => readonly string[];
  readonly close: () => Promise<void>;
}

/** Runs the guide's own lines unchanged. The notification `left-1` was stored before, and its work is not done. */
export async function startGuideReceiver(
  { fence, file, command, build, run, store }: Language,
  guide: string,
  secret: string,
): Promise<RunningReceiver> {
  const [, source = ''] = new RegExp(`\`\`\`${fence}(?: [\\w.]+)?\\n([\\s\\S]*?)\`\`\``).exec(guide) ?? [];
  const folder = await mkdtemp(join(tmpdir(), 'receiver-'));
  const path = join(folder, file);
  await writeFile(path, source);
  if (build) {
    const { status, stderr } = spawnSync(command, build(path), { cwd: folder, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  }
  await store(folder, 'left-1', '{"id":"left-1","type":"payment.succeeded","data":{}}');
  const port = await chooseFreePort();
  const url = `http://127.0.0.1:${port}/`;
  const [program, ...args] = run(path);
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: String(port) };
  // The receivers store notifications in the working directory.
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await until('the receiver listens', async () => {
    const { status } = await fetch(url, { method: 'POST', body: '{}' }).catch(() => ({ status: 0 }));
    return status === 401;
  }).catch((error: unknown) => {
    throw new Error(`the receiver does not start: ${errors}`, { cause: error });
  });
  return {
    url,
    lines: () => output.split('\n').map((line) => line.split(' ')[0] ?? ''),
    async close() {
      child.kill();
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
