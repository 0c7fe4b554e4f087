/** newman runs the Postman collection against a gateway, from top to bottom. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../config/load-config.ts';
import { root, startGateway, type TestGateway } from '../support/start-gateway.ts';
import { run } from './run-program.ts';

const newman = 'newman@6.2.2';

describe('newman', function () {
  this.timeout(600_000);
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    gateway = await startGateway({ adapters: Object.keys(config.adapters) });
    folder = await mkdtemp(join(tmpdir(), 'paywright-postman-'));
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('runs the Postman collection, and every check holds', async () => {
    await writeFile(join(folder, 'collection.json'), await (await fetch(`${gateway.url}/docs/postman.json`)).text());
    const command = ['npx', '--yes', newman, 'run', 'collection.json', '--env-var', `apiKey=${gateway.key}`];
    // newman fails if a check fails.
    const printed = await run([...command, '--color', 'off'], { cwd: folder });
    expect(printed).to.include('the card is declined now').and.include('[skipped] set capturingProvider');
  });
});
