import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../base/testing/until.ts';
import { createSettlementUploads } from './settlement-uploads.ts';

const text = 'reference,amount,currency\nGW-10042-1,25.90,EUR\n';

describe('createSettlementUploads', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'uploads-'))));
  after(async () => rm(folder, { recursive: true }));

  async function upload(keptMs?: number) {
    const path = join(folder, 'report.csv');
    await writeFile(path, text);
    const handle = await open(path);
    const uploads = createSettlementUploads({
      settlement: { compare: async () => Promise.reject(new Error('not called')) },
      lastMapping: async () => undefined,
      exampleOf: async () => undefined,
      log: pino({ level: 'silent' }),
      ...(keptMs !== undefined && { keptMs }),
    });
    const file = { name: 'report.csv', bytes: text.length, handle };
    const id = await uploads.add(file, { adapter: 'provider-a', environment: 'test', mappingText: '' });
    return { uploads, id, handle };
  }

  it('keeps a file until it is discarded', async () => {
    const { uploads, id, handle } = await upload();
    expect(uploads.get(id)).to.include({ name: 'report.csv', state: 'waiting' });
    await uploads.discard(id);
    expect(handle.fd).to.equal(-1);
    expect(() => uploads.get(id)).to.throw('this upload');
  });

  it('forgets a file and closes it after its time, without another upload', async () => {
    const { uploads, id, handle } = await upload(1);
    await until('the file is closed', async () => handle.fd === -1);
    expect(() => uploads.get(id)).to.throw('this upload');
  });
});
