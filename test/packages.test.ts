/** The package.json of every package in the repository. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { root } from './support/start-gateway.ts';

interface Package {
  readonly name: string;
  readonly engines?: { readonly node: string };
  readonly scripts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly sideEffects?: boolean;
  readonly publishConfig?: { readonly access: string };
  /** Code is exported with its types, a data file only by its name. */
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>> | string>>;
}

const read = (folder: string): Package =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Package;
/** Every folder but the guide for authors, which is no package. */
const adapters = readdirSync(join(root, 'adapters'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'guide')
  .map(({ name }) => `adapters/${name}`);

describe('a package', () => {
  for (const folder of ['core/contract', 'core/client', ...adapters]) {
    it(`builds, tests and publishes itself: ${folder}`, () => {
      const { engines, scripts, files, sideEffects, publishConfig, exports = {} } = read(folder);
      expect(engines).to.deep.equal(read('.').engines);
      expect(scripts).to.include.keys('build', 'test');
      expect(files).to.include.members(['dist', '!dist/**/test', 'README.md']);
      expect(sideEffects).to.equal(false);
      expect(publishConfig).to.deep.equal({ access: 'public' });
      expect(exports).to.include.keys('.', ...(folder === 'core/client' ? [] : ['./sandbox']));
      for (const [path, target] of Object.entries(exports)) {
        // Types come first, because a resolver takes the first condition that matches.
        if (typeof target === 'string') expect(target, path).to.match(/\.json$/);
        else expect(Object.keys(target), path).to.deep.equal(['types', 'default']);
        for (const file of typeof target === 'string' ? [target] : Object.values(target))
          expect(existsSync(join(root, folder, file)), `${path}: ${file}`).to.equal(true);
      }
    });
  }

  for (const name of readdirSync(join(root, 'core/client/shops'))) {
    it(`is released with the service: the one for ${name}`, () => {
      const { name: called, engines, scripts, files, sideEffects, publishConfig } = read(`core/client/shops/${name}`);
      expect(called).to.equal(`@paywright/${name}`);
      expect(engines).to.deep.equal(read('.').engines);
      expect(scripts).to.include.keys('build', 'test');
      expect(files).to.include.members(['dist', '!dist/**/test', 'README.md']);
      expect([sideEffects, publishConfig]).to.deep.equal([false, { access: 'public' }]);
      expect(existsSync(join(root, `core/client/shops/${name}/package-lock.json`))).to.equal(true);
    });
  }
});
