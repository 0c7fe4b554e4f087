/** Figures that Linux keeps about processes. */
import { readdir, readFile } from 'node:fs/promises';

/** User and system time of all the processes together. */
export async function cpuMsOf(pids: readonly number[]): Promise<number> {
  // In ticks of 10 ms.
  const times = pids.map(async (pid) => {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  });
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0);
}

/** User and system time of a process, of its descendants, and of those of them that have exited. */
export async function cpuMsOfTree(root: number): Promise<number> {
  const pids = (await readdir('/proc')).map(Number).filter(Number.isInteger);
  // A process may exit while the list is read.
  const stats = await Promise.all(pids.map(async (pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  const processes = stats.filter(Boolean).map((stat) => {
    const [, parent, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(9, 13).reduce((sum, field) => sum + Number(field), 0);
    return { pid: Number.parseInt(stat), parent: Number(parent), ms: ticks * 10 };
  });
  const sumOf = (pid: number): number =>
    processes.filter(({ parent }) => parent === pid).reduce((sum, child) => sum + sumOf(child.pid), own(pid));
  const own = (pid: number): number => processes.find((one) => one.pid === pid)?.ms ?? 0;
  return sumOf(root);
}

/**
 * Memory of all the processes together, in megabytes. Memory that processes share counts once (proportional set size).
 */
export async function sharedMbOf(pids: readonly number[]): Promise<number> {
  const sizes = pids.map(async (pid) => {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
    return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024;
  });
  return (await Promise.all(sizes)).reduce((sum, mb) => sum + mb, 0);
}

/** Resident memory of the largest process, in megabytes. */
export async function residentMbOf(pids: readonly number[]): Promise<number> {
  const sizes = pids.map(async (pid) => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  });
  return Math.max(...(await Promise.all(sizes)));
}
