import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { MigrationStatus } from '../../engine/migrations/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Session } from '../sign-in/session.ts';
import { jobsPage } from './jobs.ts';

describe('jobsPage', () => {
  const status: MigrationStatus = {
    version: 6,
    to: 7,
    state: 'moving',
    moves: [{ collection: 'paymentRequests', what: 'is moved', documents: 5000 }],
    removes: [],
    read: 1200,
    moved: 900,
    since: null,
    earlierHosts: [],
    workers: 2,
  };
  async function introduction(found: MigrationStatus | undefined): Promise<string> {
    const deps = {
      jobs: { list: async () => [] },
      migrations: { status: async () => found && { ...found, since: new Date(Date.now() - 60_000) } },
    };
    return String((await jobsPage(deps as unknown as ConsoleDeps, {} as Session)).before);
  }

  it('shows the progress of a migration', async () => {
    expect(await introduction(status)).to.contain(
      '<p>Schema version 6 of 7: 1,200 of about 5,000 documents read, 900 moved, about 3 minutes left.</p>',
    );
    expect(await introduction({ ...status, state: 'waiting' })).to.contain(
      '<p>Schema version 6 of 7: not started. Next: paywright database migrate --apply</p>',
    );
  });

  it('shows nothing about migrations if none is due', async () => {
    expect(await introduction(undefined))
      .to.contain('Workers also run a job')
      .and.not.to.contain('Schema version');
  });
});
