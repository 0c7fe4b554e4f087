import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { hideSecrets } from './hide-secrets.ts';
import { loadConfig } from './load-config.ts';

const root = resolve(import.meta.dirname, '../..');

const file = `
database: { uri: mongodb://user:word@db.example }
security: { encryptionKey: ${Buffer.alloc(32).toString('base64')} }
threeDs: { tokenSecrets: [one secret of at least 32 bytes!!, another secret of at least 32 bytes] }
mail: { smtp: { host: '\${env:MAIL_HOST}', port: 25, user: me, password: word, from: a@b.example } }
adapters:
  provider-a:
    options:
      sandboxBaseUrl: http://127.0.0.1:9
      merchants: [{ id: 1, code: abc }, { id: 2, code: def }]
    sandbox: { options: { webhookSecret: abc, speed: 2 } }
    accounts: { eu: { options: { merchants: [{ id: 3, code: ghi }], webhookSecret: abc, name: eu }, merchants: [Ribeira] } }
`;

async function print(adapterSecretPaths?: Record<string, string[][]>) {
  const cwd = await mkdtemp(join(tmpdir(), 'gateway-config-'));
  try {
    await writeFile(join(cwd, 'x.yaml'), file);
    const env = { GATEWAY_CONFIG: 'x.yaml', MAIL_HOST: 'mail.example' };
    return hideSecrets(await loadConfig({ env, root, cwd }), adapterSecretPaths);
  } finally {
    await rm(cwd, { recursive: true });
  }
}

describe('hideSecrets', () => {
  it('hides values that the schema marks or that came from the environment, and keeps the form of the files', async () => {
    const printed = await print();
    expect(printed).to.have.deep.property('database', {
      uri: '[hidden]',
      dataDir: join(root, '.data'),
      allowInsecure: false,
    });
    expect(printed).to.have.deep.property('security', { encryptionKey: ['[hidden]'] });
    expect(printed).to.have.deep.property('threeDs', {
      tokenSecrets: ['[hidden]', '[hidden]'],
      tokenTtlSeconds: 1800,
    });
    expect(printed).to.have.deep.nested.property('mail.smtp', {
      host: '[hidden]',
      port: 25,
      user: 'me',
      password: '[hidden]',
      from: 'a@b.example',
    });
    expect(printed).to.have.deep.property('keys', {
      liveKeys: false,
      rateLimitPerMinute: 600,
      keepCallsDays: 7,
    });
  });

  it('hides options of an adapter that are named like a secret', async () => {
    const printed = await print();
    expect(printed).to.have.deep.nested.property('adapters.provider-a.options', {
      baseUrl: 'https://api.provider-a.example',
      sandboxBaseUrl: 'http://127.0.0.1:9',
      account: 'GatewayEU',
      apiKey: '[hidden]',
      itemKeys: ['[hidden]', '[hidden]'],
      returnKeys: ['[hidden]'],
      sealKeys: ['[hidden]', '[hidden]'],
      refundKeys: ['[hidden]'],
      merchants: [
        { id: 1, code: 'abc' },
        { id: 2, code: 'def' },
      ],
    });
    expect(printed).to.have.deep.nested.property('adapters.provider-a.sandbox.options', {
      webhookSecret: '[hidden]',
      speed: 2,
    });
  });

  it('hides options that an adapter marks, in every item of a list', async () => {
    const printed = await print({ 'provider-a': [['account'], ['merchants', '*', 'code']] });
    expect(printed).to.have.nested.property('adapters.provider-a.options.account', '[hidden]');
    expect(printed).to.have.deep.nested.property('adapters.provider-a.options.merchants', [
      { id: 1, code: '[hidden]' },
      { id: 2, code: '[hidden]' },
    ]);
  });

  it('hides the same options of every account', async () => {
    const at = 'adapters.provider-a.accounts.eu';
    const byName = await print();
    expect(byName).to.have.deep.nested.property(`${at}.options`, {
      merchants: [{ id: 3, code: 'ghi' }],
      webhookSecret: '[hidden]',
      name: 'eu',
    });
    const marked = await print({ 'provider-a': [['name'], ['merchants', '*', 'code']] });
    expect(marked).to.have.nested.property(`${at}.options.name`, '[hidden]');
    expect(marked).to.have.deep.nested.property(`${at}.options.merchants`, [{ id: 3, code: '[hidden]' }]);
    expect(marked).to.have.deep.nested.property(`${at}.merchants`, ['Ribeira']);
  });
});
