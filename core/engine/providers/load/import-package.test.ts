import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { importPackage } from './import-package.ts';

describe('importPackage', () => {
  let folder: string;
  const put = (path: string, content: unknown): void => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  };
  const imported = async (name: string, ...from: string[]): Promise<unknown> => {
    const folders = from.map((one) => join(folder, one));
    return ((await importPackage(name, folders)) as { default: unknown }).default;
  };
  const failure = async (name: string, ...from: string[]): Promise<string> =>
    imported(name, ...from).then(
      () => 'none',
      (error: Error) => error.message,
    );

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'import-package-'));
    const home = (name: string, manifest: object, files: Record<string, string>, root = 'house'): void => {
      put(`${root}/node_modules/${name}/package.json`, { type: 'module', ...manifest });
      for (const [file, text] of Object.entries(files)) {
        put(`${root}/node_modules/${name}/${file}`, `export default '${text}'`);
      }
    };
    home('plain', {}, { 'index.js': 'plain' });
    home('main', { main: './lib.js' }, { 'lib.js': 'main' });
    home('text', { exports: './e.js' }, { 'e.js': 'text' });
    home(
      '@scope/esm',
      { exports: { '.': { types: './x.d.ts', require: './no.cjs', import: './dist/i.js' }, './sandbox': './s.js' } },
      { 'dist/i.js': 'import only', 's.js': 'sandbox' },
    );
    home('nested', { exports: { node: { import: ['./n.js'] } } }, { 'n.js': 'nested' });
    home('cjs', { exports: { require: './c.cjs' } }, {});
    home('escape', { exports: '../plain/index.js' }, {});
    home('throws', { exports: './t.js' }, {});
    put('house/node_modules/throws/t.js', 'throw new Error("it is broken")');
    home('both', {}, { 'index.js': 'of the house' });
    home('both', {}, { 'index.js': 'of the config' }, 'elsewhere');
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, value] of [
    ['plain', 'plain'],
    ['main', 'main'],
    ['text', 'text'],
    ['@scope/esm', 'import only'],
    ['@scope/esm/sandbox', 'sandbox'],
    ['nested', 'nested'],
  ] as const) {
    it(`imports ${name}`, async () => {
      expect(await imported(name, 'house')).to.equal(value);
    });
  }

  it('searches upwards, starting with the first folder', async () => {
    expect(await imported('both', 'elsewhere/config/deep', 'house')).to.equal('of the config');
    expect(await imported('plain', 'elsewhere', 'house')).to.equal('plain');
  });

  it('returns the same module as an import by name', async () => {
    expect(await importPackage('@paywright/contract', [import.meta.dirname])).to.equal(
      await import('@paywright/contract'),
    );
  });

  it('reports what is missing', async () => {
    expect(await failure('unknown', 'elsewhere', 'house')).to.match(
      /unknown is not installed: .*elsewhere, then .*house; install it in one of them$/,
    );
    expect(await failure('cjs', 'house')).to.equal('the package cjs has no export "." for import');
    expect(await failure('@scope/esm/other', 'house')).to.contain('has no export "./other"');
    expect(await failure('escape', 'house')).to.contain('has no export "."');
  });

  for (const name of ['./x', '/x', '..', '', '@scope', 'a b']) {
    it(`refuses "${name}" as a package name`, async () => {
      expect(await failure(name, 'house')).to.contain('is not a package name');
    });
  }

  it('rejects with the error that the module throws', async () => {
    expect(await failure('throws', 'house')).to.equal('it is broken');
  });
});
