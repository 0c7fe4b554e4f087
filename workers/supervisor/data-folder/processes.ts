import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

/** When a process was started, as opaque text: with its id it names the process. Undefined: it ended. */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const { stdout } = await runFile('ps', ['-p', `${pid}`, '-o', 'lstart=']).catch(() => ({ stdout: '' }));
    return stdout.trim() || undefined;
  }
  // After the name, which may hold anything: state first, the start in clock ticks twentieth. A zombie has ended.
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

/** Ends it by force; one that has ended is no error. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
