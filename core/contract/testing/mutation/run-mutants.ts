/**
 * Judges the tests of one adapter: puts one fault at a time into it, and runs the generic rules of the kit alone, then
 * the other tests of the package. A fault that no test catches survives.
 */
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { basename, join, resolve } from 'node:path';
import type { Mutation, MutationFile } from './mutation-file.ts';

/** Which tests run: the kit's rules, which know nothing of the author's samples, or all other tests. */
type Scope = 'rules' | 'others';

/** What caught the fault: the title of the first test that failed. `null`: nothing. */
export interface JudgedMutation extends Mutation {
  readonly caughtByRule: string | null;
  readonly caughtByAny: string | null;
}

interface TestRun {
  /** The title of the first test that failed. */
  readonly failed: string | undefined;
  readonly seconds: number;
}

interface MochaReport {
  readonly stats: { readonly tests: number };
  readonly failures: readonly { readonly fullTitle: string }[];
}

/** Only these suites hold the kit's rules; `describeAdapter` gives them this title. */
const rulesOnly = '^conformance of ';
/** The name of a copy begins with this text. */
const copyPrefix = '.mutant-';

/**
 * Judges every mutation of the package in `folder`; `report` hears each result. Throws an Error if the tests are not
 * green without a fault, or if a run ends without a report.
 */
export async function runMutants(
  folder: string,
  { mutations }: MutationFile,
  report: (judged: JudgedMutation) => void = () => {},
): Promise<readonly JudgedMutation[]> {
  const home = resolve(folder);
  const limitMs = await demandGreen(home);
  return inParallel(mutations, async (mutation) => {
    const judged = await withCopy(home, mutation, async (copy) => {
      const byRule = (await runTests(copy, 'rules', limitMs)).failed ?? null;
      const byAny = byRule ?? (await runTests(copy, 'others', limitMs)).failed ?? null;
      return { ...mutation, caughtByRule: byRule, caughtByAny: byAny };
    });
    report(judged);
    return judged;
  });
}

/** Throws if a test fails without a fault. The result is the time limit of a run with a fault, in milliseconds. */
async function demandGreen(home: string): Promise<number> {
  return withCopy(home, undefined, async (copy) => {
    const [rules, others] = [await runTests(copy, 'rules'), await runTests(copy, 'others')];
    const failed = rules.failed ?? others.failed;
    if (failed !== undefined) throw new Error(`"${failed}" fails; fix that first`);
    return Math.round(Math.max(60_000, (rules.seconds + others.seconds) * 10_000));
  });
}

async function inParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), items.length) }, worker));
  return results;
}

/** Runs tests of the package in a process of their own. Without a limit they may take as long as they need. */
async function runTests(home: string, scope: Scope, limitMs?: number): Promise<TestRun> {
  const started = performance.now();
  const output = join(home, 'report.json');
  const mocha = createRequire(join(home, 'package.json')).resolve('mocha/bin/mocha.js');
  const flags = ['--no-config', '--bail', '--exit', '--timeout', '20000', '--reporter', 'json'];
  const which = ['--grep', rulesOnly, ...(scope === 'others' ? ['--invert'] : [])];
  const child = spawn(
    process.execPath,
    [mocha, ...flags, '--reporter-option', `output=${output}`, ...which, 'dist/**/*.test.js'],
    {
      cwd: home,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...(limitMs !== undefined && { timeout: limitMs, killSignal: 'SIGKILL' }),
    },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  const signal = await new Promise<NodeJS.Signals | null>((done, fail) => {
    child.once('error', fail).once('close', (_code, by) => done(by));
  });
  const seconds = (performance.now() - started) / 1000;
  if (signal === 'SIGKILL' && limitMs !== undefined) return { failed: `no end within ${limitMs / 1000} s`, seconds };
  if (!existsSync(output)) throw new Error(`the tests gave no report: ${said}`);
  const { stats, failures } = JSON.parse(readFileSync(output, 'utf8')) as MochaReport;
  if (scope === 'rules' && stats.tests === 0) throw new Error('no test has a title that begins with "conformance of"');
  return { failed: failures[0]?.fullTitle, seconds };
}

/**
 * Calls `work` with a copy of the built package, with the fault in it. The copy is inside the package, so that it finds
 * the same modules.
 */
async function withCopy<T>(
  home: string,
  mutation: Mutation | undefined,
  work: (copy: string) => Promise<T>,
): Promise<T> {
  const copy = mkdtempSync(join(home, copyPrefix));
  try {
    for (const name of readdirSync(home)) {
      if (name !== 'node_modules' && !name.startsWith('.'))
        cpSync(join(home, name), join(copy, name), { recursive: true });
    }
    if (mutation) {
      const file = join(copy, 'dist', mutation.file);
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace(mutation.from, () => mutation.to),
      );
    }
    return await work(copy);
  } catch (error) {
    const fault = mutation ? `with the fault ${mutation.kind} in ${mutation.file}` : 'without a fault';
    throw new Error(`${basename(home)} ${fault}: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
