import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { contractVersion } from '../index.ts';

const home = join(dirname(fileURLToPath(import.meta.url)), '../..');
const readme = readFileSync(join(home, 'README.md'), 'utf8');

describe('the README of the contract', () => {
  it('links to pages that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#:]+)\)/g)].map(([, path]) => path!);
    expect(links).to.include('docs/3ds.md');
    for (const path of links) expect(existsSync(join(home, path)), path).to.equal(true);
  });

  it('names the range of the current version', () => {
    expect(readme).to.contain(`contract: '^${contractVersion.split('.').slice(0, 2).join('.')}'`);
  });

  it('names files and folders that exist', () => {
    const map = readme.slice(readme.indexOf('## Map'));
    for (const [, file] of map.matchAll(/`([\w-]+\.ts)`/g)) {
      expect(existsSync(join(home, file!)), file).to.equal(true);
    }
  });
});
