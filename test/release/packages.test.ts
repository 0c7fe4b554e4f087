import { expect } from 'chai';
import { describe, it } from 'mocha';
import { root } from '../support/start-gateway.ts';
import { libraryFolders, readManifest, shopFolders, toPublished, toPublishedShop } from './packages.ts';

describe('toPublished', () => {
  it('requires the libraries of the release in exactly their versions', async () => {
    const folders = await libraryFolders(root);
    const libraries = await Promise.all(folders.map(async (folder) => readManifest(root, folder)));
    const { dependencies } = toPublished(await readManifest(root, '.'), libraries);
    expect(folders).to.include.members(['core/contract', 'core/client', 'adapters/stripe']);
    for (const { name, version } of libraries) expect(dependencies).to.have.property(name, version);
    expect(dependencies).to.have.property('koa');
  });

  it('keeps one version of an overridden dependency where the service is installed', () => {
    const service = { name: 'a', version: '1.0.0', dependencies: { b: '1' }, overrides: { driver: '~7.8.0' } };
    expect(toPublished(service, [])).to.deep.equal({
      name: 'a',
      version: '1.0.0',
      dependencies: { b: '1', driver: '~7.8.0' },
    });
  });

  it('can be published, and runs nothing when it is installed', async () => {
    const published = toPublished(await readManifest(root, '.'), []);
    expect(published).not.to.have.any.keys('private', 'scripts', 'workspaces');
    expect(published).to.include.keys('bin', 'files', 'engines', 'license');
  });
});

describe('toPublishedShop', () => {
  it('requires the client in exactly its version, and leaves the shop to the merchant', async () => {
    const client = await readManifest(root, 'core/client');
    const folders = await shopFolders(root);
    expect(folders).to.deep.equal(['core/client/shops/medusa']);
    for (const folder of folders) {
      const shop = await readManifest(root, folder);
      const published = toPublishedShop(shop, [client]);
      expect(published.dependencies).to.deep.equal({ '@paywright/client': client.version });
      expect(published['peerDependencies']).to.deep.equal(shop['peerDependencies']);
      expect(published).not.to.have.any.keys('scripts', 'devDependencies');
    }
  });
});
