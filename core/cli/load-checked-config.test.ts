import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { loadCheckedConfig } from './load-checked-config.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('loadCheckedConfig', function () {
  this.timeout(30_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'checked-config-'));
  });
  after(async () => rm(folder, { recursive: true }));

  it('keeps a secret as the file has it, and warns of white space at its ends by its place alone', async () => {
    const file = join(folder, 'spaced.yaml');
    const secrets = JSON.stringify(['webhook-secret-open-1', ' webhook-secret-open-2\n']);
    await writeFile(file, `adapters: { razorpay: { state: on, options: { webhookSecrets: ${secrets} } } }`);
    const { config, warnings } = await loadCheckedConfig({ env: { GATEWAY_CONFIG: file }, root });
    expect(config.adapters['razorpay']?.options).to.deep.include({
      webhookSecrets: ['webhook-secret-open-1', ' webhook-secret-open-2\n'],
    });
    expect(warnings).to.deep.equal([
      `${file}: adapters.razorpay.options.webhookSecrets.1: begins or ends with a line end, a blank; remove it unless it belongs to the secret`,
    ]);
  });

  it('has no warning about a secret with blanks inside', async () => {
    const file = join(folder, 'inside.yaml');
    const secrets = JSON.stringify(['two words, and more\nof a key\n']);
    await writeFile(file, `adapters: { razorpay: { state: on, options: { webhookSecrets: ${secrets} } } }`);
    expect((await loadCheckedConfig({ env: { GATEWAY_CONFIG: file }, root })).warnings).to.deep.equal([]);
  });
});
