/** The guide's table of what is kept, beside the collections that there are. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { openTestDatabase, type TestDatabase } from '../core/engine/access/testing/test-database.ts';
import { ensureCollections } from '../core/database/collections.ts';
import { jobCollection } from '../core/engine/jobs/recurring-jobs.ts';
import { root } from './support/start-gateway.ts';

describe('what is kept, and for how long', () => {
  let database: TestDatabase;
  /** By collection, as config/README.md says. */
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

  it('is said of every collection', async () => {
    const found = await database.here.listCollections();
    const names = found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
    expect([...kept.keys()]).to.have.members([...names, jobCollection]);
  });

  it('says "for good" where the database removes nothing, and only there', async () => {
    const byJob = ['notifications', 'exchanges'];
    for (const [name, how] of kept) {
      if (byJob.includes(name) || ['endpoints', 'wakeUps', jobCollection].includes(name)) continue;
      const indexes = await database.here.collection(name).indexes();
      const expires = indexes.some(({ expireAfterSeconds }) => expireAfterSeconds !== undefined);
      expect(how.startsWith('for good'), name).to.equal(!expires);
    }
  });
});
