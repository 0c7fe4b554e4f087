/** Ten minutes of callbacks, and whether memory grows. */
import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { percentile } from '../support/percentile.ts';
import { runUnderLoad, type Row } from './row.ts';
import type { Service } from './service.ts';

const runFile = promisify(execFile);

const seconds = 600;
const perSecond = 40;
/** Memory grows in the first minutes: compiled code, pools, bounded caches. */
const warmUpSeconds = 120;
const everySeconds = 5;
const allowedMegabytes = 40;

export const soak: Row = {
  name: `${seconds / 60} minutes of callbacks`,
  onlyLong: true,
  async run(world) {
    const { service } = world;
    const memory = { API: [] as number[], worker: [] as number[] };
    const watch = async (isOver: () => boolean): Promise<string> => {
      while (!isOver()) {
        for (const role of ['API', 'worker'] as const) memory[role].push(await megabytesOf(service, role));
        await sleep(everySeconds * 1000);
      }
      return '';
    };
    const { figures, problems } = await runUnderLoad(world, seconds * perSecond, watch, perSecond);
    const growth = Object.entries(memory).map(([role, all]) => {
      const steady = all.slice(warmUpSeconds / everySeconds);
      const [early, late] = [steady.slice(0, 12), steady.slice(-12)].map((some) => percentile(some, 0.5)) as [
        number,
        number,
      ];
      return { role, all, early, late };
    });
    const lines = growth.map(({ role, all, early, late }) => {
      return `${role} ${early} MB after ${warmUpSeconds} s, ${late} MB at the end, ${Math.max(...all)} MB at most`;
    });
    const grown = growth.filter(({ early, late }) => late - early > allowedMegabytes);
    return {
      figures: [figures, ...lines].join('; '),
      problems: [
        ...problems,
        ...grown.map(({ role, early, late }) => `memory of ${role}: ${early} MB, then ${late} MB`),
      ],
    };
  },
};

/** Resident memory of the largest process of a role. */
async function megabytesOf(service: Service, role: 'API' | 'worker'): Promise<number> {
  const pids = await service.pids(role);
  const { stdout } = await runFile('ps', ['-o', 'rss=', '-p', pids.join(',')]);
  return Math.round(Math.max(...stdout.trim().split(/\s+/).map(Number)) / 1024);
}
