import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { StartError } from '../start-error.ts';
import { withoutPackages } from '../testing/without-packages.ts';
import { importOptional } from './import-optional.ts';
import { mongodLibrary } from './mongod/mongod-library.ts';

const runFile = promisify(execFile);

describe('importOptional', () => {
  const about = { name: 'none-such', neededFor: 'The tea maker', instead: 'set tea.pot' };
  /** A variable, so that the compiler does not resolve the package. */
  const missing: string = about.name;
  const failure = async (load: () => Promise<unknown>): Promise<unknown> =>
    importOptional(load, about).catch((error: unknown) => error);

  it('imports a package that is installed', async () => {
    expect(await importOptional(async () => import('smtp-server'), about)).to.have.property('SMTPServer');
  });

  it('names a missing package and what to do', async () => {
    for (const load of [async () => import(missing), async () => import(`${missing}/part`)]) {
      const error = await failure(load);
      expect(error).to.be.instanceOf(StartError);
      expect((error as StartError).problems).to.deep.equal([
        'The tea maker needs the package none-such, which is not installed: run npm install --include=optional, or set tea.pot.',
      ]);
    }
  });

  it('passes on every other failure', async () => {
    const broken = new Error('none-such is broken');
    expect(await failure(async () => Promise.reject(broken))).to.equal(broken);
    const other: string = 'another-package';
    expect(await failure(async () => import(other))).to.have.property('code', 'ERR_MODULE_NOT_FOUND');
  });

  it('serves packages that are optional in package.json, and the supervisor loads without them', async () => {
    const root = new URL('../../../../', import.meta.url);
    const { dependencies, optionalDependencies } = JSON.parse(
      await readFile(new URL('package.json', root), 'utf8'),
    ) as Record<string, Record<string, string>>;
    const names = [mongodLibrary.name, 'smtp-server'];
    for (const name of names) {
      expect(optionalDependencies).to.include.keys(name);
      expect(dependencies).to.not.include.keys(name);
    }
    const env = { ...process.env, NODE_OPTIONS: withoutPackages(names) };
    const load = (file: string): string => `await import(${JSON.stringify(new URL(file, import.meta.url).href)});`;
    const script = load('../service.js') + load('../../../core/cli/with-database.js') + load('mail-catcher.js');
    await runFile(process.execPath, ['--input-type=module', '-e', script], { env });
  });
});
