import { brands, type Brand } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createRegistry } from './registry.ts';
import { fakeActive, type FakeChanges } from './testing/fake-adapter.ts';
import { findPicture, pictureFile } from './way-look.ts';

const { visa, mastercard } = brands;
const png: Brand = { name: 'Own', picture: Buffer.from('89504e470d0a1a0a', 'hex') };
const registryOf = (changes: FakeChanges) =>
  createRegistry([fakeActive({ ...changes, manifest: { brands: { card: [visa, png] }, ...changes.manifest } })]);

describe('findPicture', () => {
  it('finds a picture by the hash in its file name', () => {
    const registry = registryOf({});
    expect(findPicture(registry, pictureFile(visa)!)).to.deep.equal({
      type: 'image/svg+xml',
      bytes: Buffer.from(String(visa.picture)),
    });
    expect(findPicture(registry, pictureFile(png)!)).to.deep.equal({ type: 'image/png', bytes: png.picture });
  });

  it('finds only pictures that an adapter shows which is on or draining', () => {
    const [file] = [pictureFile(visa)!];
    expect(findPicture(registryOf({}), pictureFile(mastercard)!)).to.equal(undefined);
    expect(findPicture(registryOf({ brands: ['Own'] }), file)).to.equal(undefined);
    expect(findPicture(registryOf({ state: 'draining' }), file)).not.to.equal(undefined);
    expect(findPicture(registryOf({ state: 'off' }), file)).to.equal(undefined);
  });
});

describe('pictureFile', () => {
  it('names a picture by its content, and a brand without one not at all', () => {
    expect(pictureFile(visa)).to.equal(pictureFile({ ...visa, name: 'Another' }));
    expect(pictureFile({ name: 'Visa' })).to.equal(null);
  });
});
