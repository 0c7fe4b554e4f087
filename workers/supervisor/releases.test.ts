import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../core/base/testing/until.ts';
import { createReleases, type Releases } from './releases.ts';

describe('the release of what a dead process held', () => {
  let asked: string[];
  let freed: number;
  let locks: (name: string) => Promise<void>;
  let releases: Releases;

  beforeEach(() => {
    asked = [];
    freed = 0;
    locks = async () => undefined;
    releases = createReleases({
      recurringJobs: () => ({ release: async (name) => locks(name) }),
      freeRows: (name) => asked.push(name),
      onFreed: () => (freed += 1),
      log: pino({ level: 'silent' }),
    });
  });

  it('ends once its rows and its locks are free, and looks for work with each', async () => {
    let isFree = false;
    const release = releases.free('worker-1-x').then(() => (isFree = true));
    await until('its locks are free', () => freed === 1);
    expect([asked, isFree]).to.deep.equal([['worker-1-x'], false]);
    releases.rowsFreed('worker-1-x');
    await release;
    expect(freed).to.equal(2);
  });

  it('is asked for again until it is confirmed, and only what is left', async () => {
    let attempts = 0;
    locks = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('no primary');
    };
    const release = releases.free('worker-1-x');
    await until('its locks were tried', () => attempts === 1);
    releases.rowsFreed('worker-1-x');
    releases.retry();
    await release;
    releases.retry();
    expect([asked, attempts]).to.deep.equal([['worker-1-x'], 2]);
  });
});
