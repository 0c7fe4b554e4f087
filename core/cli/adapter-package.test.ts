import { expect } from 'chai';
import { describe, it } from 'mocha';
import { findAdapterPackage } from './adapter-package.ts';

const read = async () => ({ config: { adapters: {} } as never, adapterDirs: {}, files: [], root: process.cwd() });
const find = async (given: string): Promise<string> => findAdapterPackage(given, read).then(() => 'found', String);

describe('findAdapterPackage', () => {
  it('names both spellings if a folder lacks ./', async () => {
    expect(await find('adapters/stripe')).to.equal(
      'Error: "adapters/stripe" looks like a folder: write ./adapters/stripe or @paywright/stripe',
    );
    expect(await find('adapters/absent')).to.equal(
      'Error: "adapters/absent" looks like a folder: write ./adapters/absent, or the name of a package',
    );
  });

  it('accepts a folder and the name of a package', async () => {
    expect(await find('./adapters/stripe')).to.equal('found');
    expect(await find('@paywright/stripe')).to.equal('found');
    expect(await find('acme')).to.equal('found');
  });
});
