/** Compares the guide's retention table with the collections that exist. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { openTestDatabase, type TestDatabase } from '../core/engine/access/testing/test-database.ts';
import { ensureCollections } from '../core/database/collections.ts';
import { jobCollection } from '../core/engine/jobs/recurring-jobs.ts';
import { root } from './support/start-gateway.ts';

describe('the retention table', () => {
  let database: TestDatabase;
  /** Collection to retention, from config/README.md. */
  const kept = new Map<string, string>();
  before(async () => {
    database = await openTestDatabase();
    await ensureCollections(database.here, pino({ level: 'silent' }));
    const guide = await readFile(join(root, 'config/README.md'), 'utf8');
    const [, section = ''] = guide.split('## What is kept, and for how long\n');
    for (const [, names = '', how = ''] of section.split('\n## ')[0]!.matchAll(/^\|[^|]+\| (`[^|]+`) +\| (.+?) +\|$/gm))
      for (const [, name = ''] of names.matchAll(/`(\w+)`/g)) kept.set(name, how);
  });
  after(() => database.drop());

  it('names every collection', async () => {
    const found = await database.here.listCollections();
    const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
    expect([...kept.keys()]).to.have.members([...names, jobCollection]);
  });

  it('says "for good" exactly for collections from which the database removes nothing', async () => {
    const byJob = ['notifications', 'exchanges'];
    for (const [name, how] of kept) {
      if (byJob.includes(name) || ['endpoints', 'wakeUps', jobCollection].includes(name)) continue;
      const indexes = await database.here.collection(name).indexes();
      const expires = indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
      expect(how.startsWith('for good'), name).to.equal(!expires);
    }
  });
});
