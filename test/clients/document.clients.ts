/** Spectral has no warning about the OpenAPI document, neither about the merchant's view nor about the complete one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { loadConfig } from '../../config/load-config.ts';
import { root, startGateway, type TestGateway } from '../support/start-gateway.ts';
import { run } from './run-program.ts';

const spectral = '@stoplight/spectral-cli@6.16.3';

describe('Spectral', function () {
  this.timeout(600_000);
  let gateway: TestGateway;
  let folder: string;
  before(async () => {
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    gateway = await startGateway({ adapters: Object.keys(config.adapters) });
    folder = await mkdtemp(join(tmpdir(), 'paywright-spectral-'));
    await writeFile(join(folder, 'rules.yaml'), 'extends: ["spectral:oas"]\n');
  });
  after(async () => {
    await gateway.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const path of ['/openapi.json', '/openapi.json?all']) {
    it(`has no warning about ${path}`, async () => {
      await writeFile(join(folder, 'openapi.json'), await (await fetch(gateway.url + path)).text());
      const lint = ['lint', '--ruleset', 'rules.yaml', '--fail-severity', 'hint', 'openapi.json'];
      await run(['npx', '--yes', spectral, ...lint], { cwd: folder });
    });
  }
});
