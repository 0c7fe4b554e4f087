import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/**
 * The start time of a process, as opaque text. Together with its id it identifies the process. Undefined: it has
 * exited.
 */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const { stdout } = await runFile('ps', ['-p', `${pid}`, '-o', 'lstart=']).catch(() => ({ stdout: '' }));
    return stdout.trim() || undefined;
  }
  // The fields after the name, which may contain anything: the first is the state, the twentieth the start in clock
  // ticks. A zombie has exited.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Kills a process. A process that has exited already is not an error. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited.
  }
}
