import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../../core/base/testing/until.ts';
import { createDeadProcessCleanup, type DeadProcessCleanup } from './dead-process-cleanup.ts';

describe('createDeadProcessCleanup', () => {
  let asked: string[];
  let freed: number;
  let locks: (name: string) => Promise<void>;
  let cleanup: DeadProcessCleanup;

  beforeEach(() => {
    asked = [];
    freed = 0;
    locks = async () => undefined;
    cleanup = createDeadProcessCleanup({
      recurringJobs: () => ({ releaseLocks: async (name) => locks(name) }),
      freeRows: (name) => asked.push(name),
      onFreed: () => (freed += 1),
      log: pino({ level: 'silent' }),
    });
  });

  it('resolves when rows and locks are free, and reports possible work after each of them', async () => {
    let isFree = false;
    const release = cleanup.free('worker-1-x').then(() => (isFree = true));
    await until('its locks are free', () => freed === 1);
    expect([asked, isFree]).to.deep.equal([['worker-1-x'], false]);
    cleanup.confirmRowsFreed('worker-1-x');
    await release;
    expect(freed).to.equal(2);
  });

  it('repeats requests until they are confirmed, and only those that are not confirmed yet', async () => {
    let attempts = 0;
    locks = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error('no primary');
    };
    const release = cleanup.free('worker-1-x');
    await until('its locks were tried', () => attempts === 1);
    cleanup.confirmRowsFreed('worker-1-x');
    cleanup.retry();
    await release;
    cleanup.retry();
    expect([asked, attempts]).to.deep.equal([['worker-1-x'], 2]);
  });
});
