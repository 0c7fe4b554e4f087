/**
 * Runs a replay with the command in a separate process. That process loads the candidate package again, and everything
 * that the package does ends with the process.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as v from 'valibot';
import type { RunReplay } from './replays.ts';
import { MINUTE } from '../../base/async/time.ts';

const limitMs = 5 * MINUTE;
const maxOutputBytes = 32 * 1024 * 1024;
const maxCallbacks = 1000;

const lines = v.array(v.string());
const Printed = v.object({
  read: v.number(),
  different: v.number(),
  unreadable: v.number(),
  callbacks: v.array(
    v.object({ id: v.string(), receivedAt: v.string(), path: v.string(), before: lines, after: lines }),
  ),
});

/** `root`: the gateway's own folder. `env`: the environment that the service was started with. */
export function createReplayRunner(root: string, env: NodeJS.ProcessEnv = process.env): RunReplay {
  const command = join(root, 'core/cli/bin/paywright.mjs');
  const runFile = promisify(execFile);
  return async ({ package: candidate, since }) => {
    const options = ['--adapter', candidate, '--since', since.toISOString(), '--limit', `${maxCallbacks}`, '--json'];
    const { stdout } = await runFile(process.execPath, [command, 'replay', ...options], {
      env,
      timeout: limitMs,
      maxBuffer: maxOutputBytes,
    }).catch((error: unknown) => {
      throw new Error(problemOf(error), { cause: error });
    });
    return v.parse(Printed, JSON.parse(stdout));
  };
}

/** The reason that the command printed. */
function problemOf(error: unknown): string {
  const { killed, stderr = '' } = error as { readonly killed?: boolean; readonly stderr?: string };
  if (killed) return `it did not finish within ${limitMs / MINUTE} minutes`;
  return stderr.trim() || 'the command gave no reason';
}
