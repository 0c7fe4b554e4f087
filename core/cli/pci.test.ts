import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { payScript } from '../app.ts';
import { fakeActive, type FakeChanges } from '../engine/providers/testing/fake-adapter.ts';
import { startGateway } from '../http/testing/gateway.ts';
import { pageDetails, plainPage } from '../http/testing/pay-page.ts';
import { cardFindings, checkPage, checkPci, checkScript, tlsFindings, type PciFacts } from './pci.ts';

const textsOf = (findings: readonly { readonly state: string; readonly text: string }[]): string[] =>
  findings.map(({ state, text }) => `${state} ${text}`);

function factsOf(adapters: Readonly<Record<string, FakeChanges>>, refuseCardNumbers: boolean): PciFacts {
  return {
    config: {
      http: { refuseCardNumbers },
      server: { publicUrl: 'https://pay.example', trustedProxies: 0 },
      database: { uri: 'mongodb+srv://u:p@db.example/' },
      keys: { liveKeys: true },
    },
    accounts: Object.entries(adapters).map(([name, { manifest, ...changes }]) =>
      fakeActive({ ...changes, manifest: { name, ...manifest } }),
    ),
    calls: {
      methodOf: ({ adapter, options }, payment) =>
        adapter.methodOf?.(payment, options) ?? adapter.manifest.ways[0].method,
    },
  };
}

const way = (method: 'card' | 'hosted_page') =>
  ({ method, title: method, threeDs: 'enforced', payerFields: [] }) as const;
const both: FakeChanges = {
  manifest: { inputs: ['card', 'billing'], ways: [way('card'), way('hosted_page')] },
  adapter: { methodOf: () => 'hosted_page' },
};
const pages: FakeChanges = { manifest: { inputs: ['billing'], ways: [way('hosted_page')] } };

describe('cardFindings', () => {
  it('names each adapter that receives cards, and where', () => {
    const adapters = { first: {}, second: both, third: pages, off: { state: 'off' } } as const;
    const found = textsOf(cardFindings(factsOf(adapters, false)));
    expect(found).to.deep.equal([
      'warn http.refuseCardNumbers is off: card numbers reach this service',
      'warn first: receives card numbers in API calls and on the payer’s page',
      'warn second: receives card numbers in API calls',
    ]);
  });

  it('names the network behind a proxy while cards pass it', () => {
    const { config, ...facts } = factsOf({ first: {} }, false);
    const server = { ...config.server, trustedProxies: 1 };
    expect(textsOf(cardFindings({ ...facts, config: { ...config, server } })).at(-1)).to.match(
      /^unchecked the network between proxy and service carries them/,
    );
  });

  it('recommends the switch if no adapter accepts cards', () => {
    expect(textsOf(cardFindings(factsOf({ third: pages }, false))))
      .to.have.length(1)
      .and.match(/turn it on/);
  });

  it('reports the switch, and the adapters that it leaves without a way to pay', () => {
    expect(textsOf(cardFindings(factsOf({ first: {}, second: both }, true)))).to.deep.equal([
      'ok http.refuseCardNumbers is on: the service refuses card data',
      'warn first: not offered, because it accepts nothing but cards: turn it off',
    ]);
  });
});

describe('tlsFindings', () => {
  const statesOf = (publicUrl: string, uri: string | undefined) =>
    tlsFindings({ server: { publicUrl, trustedProxies: 0 }, database: { uri } }).map(({ state }) => state);

  it('requires TLS of the public address and of the database, and credentials', () => {
    expect(statesOf('https://pay.example', 'mongodb+srv://u:p@db.example/')).to.deep.equal(['ok', 'ok']);
    expect(statesOf('http://pay.example', 'mongodb://u:p@db.example/')).to.deep.equal(['wrong', 'wrong']);
    expect(statesOf('http://127.0.0.1:8080', undefined)).to.deep.equal(['warn', 'warn']);
  });

  it('repeats nothing of the address of the database', () => {
    const [, found] = tlsFindings({
      server: { publicUrl: 'https://pay.example', trustedProxies: 0 },
      database: { uri: 'mongodb://user:marker@db.example/' },
    });
    expect(found?.text).to.equal('the address of the database has no TLS (tls=true)');
  });
});

describe('the check of the page that is served', () => {
  let server: Server;
  let publicUrl: string;
  let script: Uint8Array;
  let page: string;
  let policy: string;
  const own = "default-src 'none'; script-src 'self'; connect-src 'self'";
  const tag = `<script src="../${payScript.path}" defer></script>`;

  beforeEach(async () => {
    [script, page, policy] = [payScript.bytes, tag, own];
    server = createServer((request, response) => {
      if (request.url === `/${payScript.path}`) return response.end(script);
      if (request.url !== '/pay/1?k=key') return response.writeHead(404).end();
      return response.writeHead(200, { 'Content-Security-Policy': policy }).end(`<html>${page}</html>`);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const checkLink = async () => checkPage(publicUrl, `${publicUrl}/pay/1?k=key`);

  it('accepts the script and the page of this version', async () => {
    expect((await checkScript(publicUrl)).state).to.equal('ok');
    expect(await checkLink()).to.include({ state: 'ok' });
  });

  it('accepts the page that the service sends', async () => {
    const gateway = await startGateway();
    try {
      gateway.answers.page = { ...plainPage, state: 'created', details: pageDetails };
      expect((await checkScript(gateway.url)).state).to.equal('ok');
      expect(await checkPage(gateway.url, `${gateway.url}/pay/10042?k=key`)).to.include({ state: 'ok' });
    } finally {
      await gateway.server.close(0);
    }
  });

  it('finds a script that was changed, and one that cannot be fetched', async () => {
    script = Buffer.concat([payScript.bytes, Buffer.from(';steal()')]);
    const changed = await checkScript(publicUrl);
    expect(changed.state).to.equal('wrong');
    expect(changed.text).to.match(/has sha256 [0-9a-f]{64}, which is not the script of version/);
    const absent = await checkScript(`${publicUrl}/elsewhere`);
    expect(absent.state).to.equal('wrong');
    expect(absent.text).to.include('it answers 404');
  });

  for (const [what, change, words] of [
    ['a second script', () => (page = `${tag}<script src="https://tags.example/t.js">`), 'https://tags.example/t.js'],
    ['an inline script', () => (page = `<SCRIPT>steal()</SCRIPT>${tag}`), 'an inline script'],
    ['no script', () => (page = ''), 'use the link of an open payment'],
    ['a policy with another host', () => (policy = own.replace("'self'", "'self' tags.example")), 'tags.example'],
    ['no policy', () => (policy = "default-src 'none'"), 'script-src *'],
  ] as const) {
    it(`finds a page with ${what}`, async () => {
      change();
      const found = await checkLink();
      expect(found.state).to.equal('wrong');
      expect(found.text).to.include(words);
    });
  }

  it('refuses a link to another host, and never repeats the key of a link', async () => {
    const foreign = await checkPage(publicUrl, 'https://other.example/pay/1?k=key');
    expect(foreign).to.include({ state: 'wrong' });
    const missing = await checkPage(publicUrl, `${publicUrl}/pay/2?k=marker`);
    expect(missing.text).to.include('it answers 404').and.not.include('marker');
  });

  it('fetches nothing offline, and names what remains', async () => {
    const facts = factsOf({ first: {} }, true);
    const found = textsOf(await checkPci({ ...facts, offline: true }));
    expect(found.join('\n')).not.to.include('11.6.1');
    expect(found.filter((text) => text.startsWith('unchecked yours to do:'))).to.have.length(4);
    expect(found.join('\n')).to.match(/pay\/assets\/pay\.[0-9a-f]{12}\.js, sha256 [0-9a-f]{64}: it checks/);
  });
});
