import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { pino } from 'pino';
import { until } from '../../base/testing/until.ts';
import { expectRefusal } from '../../engine/access/testing/expect-refusal.ts';
import { parseMapping, type Settlement } from '../../settlement/index.ts';
import { createSettlementUploads } from './settlement-uploads.ts';

const text = 'reference,amount,currency\nGW-10042-1,25.90,EUR\n';

describe('createSettlementUploads', () => {
  let folder: string;
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'uploads-'))));
  after(async () => rm(folder, { recursive: true }));

  const refuseToCompare = async (): Promise<never> => Promise.reject(new Error('not called'));

  async function upload(keptMs?: number, compare: Settlement['compare'] = refuseToCompare) {
    const path = join(folder, 'report.csv');
    await writeFile(path, text);
    const handle = await open(path);
    const uploads = createSettlementUploads({
      settlement: { compare },
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

  it('keeps a file while it is compared, whatever another tab asks for', async () => {
    let finish: (result: Awaited<ReturnType<Settlement['compare']>>) => void = () => {};
    const { uploads, id, handle } = await upload(undefined, async () => new Promise((resolve) => (finish = resolve)));
    const mapping = parseMapping('columns: { reference: reference, amount: amount, currency: currency }', 'mapping');
    const compare = (): void => uploads.compare({ type: 'console', name: 'ada', from: 'test' }, id, mapping, {});
    compare();
    for (const ask of [async () => uploads.discard(id), () => uploads.choose(id, mapping), compare])
      await expectRefusal('RATE_LIMIT_EXCEEDED', ask);
    expect(uploads.get(id).state).to.equal('comparing');
    expect(handle.fd).not.to.equal(-1);
    finish({ rows: 1 } as Awaited<ReturnType<Settlement['compare']>>);
    await until('the comparison has ended', async () => uploads.get(id).state === 'done');
    await uploads.discard(id);
    expect(handle.fd).to.equal(-1);
  });

  it('forgets a file and closes it after its time, without another upload', async () => {
    const { uploads, id, handle } = await upload(1);
    await until('the file is closed', async () => handle.fd === -1);
    expect(() => uploads.get(id)).to.throw('this upload');
  });
});
