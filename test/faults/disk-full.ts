/** A service whose database has a small disk of its own, which is full for a while. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { until } from '../../core/base/testing/until.ts';
import { isReady, runUnderLoad, type Row } from './row.ts';
import { startFaultsService } from './service.ts';

const runFile = promisify(execFile);

/** Capacity for the journal and the data of one run. */
const diskSize = '700m';

export const diskFull: Row = {
  name: 'the disk of mongod full',
  async run({ provider, answers, receiver, isLong }) {
    let disk = '';
    const mount = async (dataDir: string): Promise<void> => {
      disk = join(dataDir, 'mongod');
      await mkdir(disk, { recursive: true, mode: 0o700 });
      await runFile('mount', ['-t', 'tmpfs', '-o', `size=${diskSize},mode=0700`, 'faults', disk]);
    };
    const why = await findMountProblem();
    if (why) return { figures: '', problems: [], skipped: `a disk of its own cannot be mounted here (${why})` };
    const service = await startFaultsService({ faults: provider.url, ...answers.urls }, mount);
    try {
      const seconds = isLong ? 300 : 10;
      const statuses = new Set<number>();
      let died = false;
      const harm = async (): Promise<string> => {
        await sleep(1000);
        const [mongod] = await service.pids('mongod');
        const ballast = join(disk, 'ballast');
        await fillDisk(ballast);
        // The journal has free space for a while. A checkpoint needs more of the disk.
        await service.connection.db
          ?.admin()
          .command({ fsync: 1 })
          .catch(() => undefined);
        const end = Date.now() + seconds * 1000;
        while (Date.now() < end) {
          statuses.add(
            await fetch(`${service.url}/ready`).then(
              ({ status }) => status,
              () => 0,
            ),
          );
          died ||= !(await service.pids('mongod')).includes(mongod!);
          await sleep(500);
        }
        await rm(ballast);
        await until('it is ready again', isReady(service), 120_000);
        return `full for ${seconds} s: mongod ${died ? 'ended' : 'stayed'}, /ready ${[...statuses].join('/')}`;
      };
      const { figures, problems } = await runUnderLoad({ service, receiver }, isLong ? 3000 : 150, harm, 30);
      return {
        figures,
        problems: statuses.has(503) ? problems : [...problems, '/ready never said 503: the disk had room'],
      };
    } finally {
      await service.close(async () => void (await runFile('umount', [disk])));
    }
  },
};

/** Only root may mount, and not in every container. */
async function findMountProblem(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-faults-disk-'));
  try {
    await runFile('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'faults', folder]);
    await runFile('umount', [folder]);
    return undefined;
  } catch (error) {
    return (error as Error).message.trim().split('\n').at(-1);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Writes until the disk is full. */
async function fillDisk(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [1_048_576, 4096]) {
      const block = Buffer.alloc(size);
      try {
        for (;;) await file.write(block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    }
  } finally {
    await file.close().catch(() => undefined); // The failed write is the goal.
  }
}
