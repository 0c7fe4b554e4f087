import { mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { createLog, reopenLogs } from '../../../core/base/log/log.ts';
import { until } from '../../../core/base/testing/until.ts';
import { DAY } from '../../../core/base/async/time.ts';
import { createLogRotation } from './rotate-log.ts';

describe('createLogRotation', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-rotation-'));
    file = join(folder, 'gateway.log');
  });
  afterEach(async () => rm(folder, { recursive: true }));

  const warnings: unknown[] = [];
  const rotation = (maxBytes: number, reopen = (): void => undefined) =>
    createLogRotation({
      file,
      maxBytes,
      keepDays: 2,
      reopen,
      log: pino({}, { write: (line: string) => warnings.push(line) }),
    });

  it('rotates a file that is too large, and loses no line', async () => {
    const log = createLog({ level: 'info', name: 'worker-1', destination: { file } });
    const linesOf = async (name: string): Promise<string[]> => {
      const text = await readFile(join(folder, name), 'utf8').catch(() => '');
      return text
        .split('\n')
        .filter((line) => line)
        .map((line) => (JSON.parse(line) as { msg: string }).msg);
    };
    log.info('before');
    await until('the line is written', async () => (await linesOf('gateway.log')).length === 1);
    await rotation(1_000_000).check(new Date());
    expect(await readdir(folder)).to.deep.equal(['gateway.log']);
    await rotation(10, reopenLogs).check(new Date('2026-11-22T10:00:00Z'));
    log.info('after');
    await until('the line is in the new file', async () => (await linesOf('gateway.log')).length === 1);
    expect(await linesOf('gateway.log')).to.deep.equal(['after']);
    expect(await linesOf('gateway.log.2026-11-22T10-00-00.000Z')).to.deep.equal(['before']);
    expect(warnings).to.deep.equal([]);
  });

  it('rotates a file after a day, however small it is, unless it is empty', async () => {
    await writeFile(file, 'x');
    await rotation(1_000_000).check(new Date(Date.now() + 0.9 * DAY));
    expect(await readdir(folder)).to.deep.equal(['gateway.log']);
    let reopened = 0;
    await rotation(1_000_000, () => (reopened += 1)).check(new Date(Date.now() + 1.1 * DAY));
    const [rotated = '', ...others] = await readdir(folder);
    expect([others, reopened]).to.deep.equal([[], 1]);
    expect(rotated).to.match(/^gateway\.log\.\d{4}-/);
    await writeFile(file, '');
    await rotation(1_000_000).check(new Date(Date.now() + 1.1 * DAY));
    expect(await readdir(folder)).to.have.members([rotated, 'gateway.log']);
  });

  it('reopens the file if another program has rotated it', async () => {
    let reopened = 0;
    const rotating = rotation(1_000_000, () => (reopened += 1));
    await writeFile(file, 'x');
    await rotating.check(new Date());
    await rotating.check(new Date());
    expect(reopened).to.equal(0);
    await rename(file, join(folder, 'rotated'));
    await rotating.check(new Date());
    expect(reopened).to.equal(1);
    await writeFile(file, 'x');
    await rotating.check(new Date());
    await rename(file, join(folder, 'rotated again'));
    await writeFile(file, 'y');
    await rotating.check(new Date());
    expect(reopened).to.equal(2);
  });

  it('removes only rotated files that are too old', async () => {
    const old = new Date(Date.now() - 3 * DAY);
    for (const name of ['gateway.log', 'gateway.log.old', 'gateway.log.new', 'other.log.old']) {
      await writeFile(join(folder, name), 'x');
      if (name !== 'gateway.log.new') await utimes(join(folder, name), old, old);
    }
    await rotation(1_000_000).check(new Date());
    expect((await readdir(folder)).toSorted()).to.deep.equal(['gateway.log', 'gateway.log.new', 'other.log.old']);
  });
});
