import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { gatewayVersion } from '../base/version.ts';
import { moduleHooks } from '../base/testing/module-hooks.ts';

const runFile = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
const command = join(root, 'core/cli/bin/paywright.mjs');

describe('the paywright command', () => {
  const runNode = async (args: readonly string[]): Promise<{ code: unknown; out: string; err: string }> => {
    const env = { ...process.env, GATEWAY_ENV: 'nowhere' };
    const ran = await runFile(process.execPath, args, { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: unknown) => error as { code: unknown; stdout: string; stderr: string },
    );
    return { code: ran.code, out: ran.stdout, err: ran.stderr };
  };
  const run = async (...words: string[]) => runNode([command, ...words]);

  it('prints its help and its version', async () => {
    const help = await run('--help');
    expect(help).to.include({ code: 0, err: '' });
    expect(help.out)
      .to.match(/^paywright <command>/)
      .and.to.include('keys create');
    expect((await run('keys', 'create', '--help')).out).to.include('--owner <name>');
    expect(await run('--version')).to.include({ code: 0, out: `${gatewayVersion}\n` });
  });

  it('loads no package for its help and its version, so that both answer immediately', async () => {
    const watch = moduleHooks({
      head: "import { writeSync } from 'node:fs';",
      load: "if (url.startsWith('file:')) writeSync(2, url + '\\n'); return next(url, context);",
    });
    const loaded = async (...words: string[]): Promise<string[]> =>
      (await runNode(['--import', watch, command, ...words])).err
        .split('\n')
        .filter((line) => line.startsWith('file:'));
    const isPackage = (url: string): boolean => /\/node_modules\/|\/core\/contract\//.test(url);
    for (const word of ['--version', '--help']) {
      const urls = await loaded(word);
      expect(urls.filter(isPackage), word).to.deep.equal([]);
      expect(urls.length, urls.join('\n')).to.be.within(5, 20);
    }
    expect((await loaded('keys', 'list', '--help')).filter(isPackage).join()).to.include('mongoose');
  });

  it('requires the Node.js version of package.json, in one line and before anything else', async () => {
    const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    for (const [version, code] of [
      ['18.20.8', 1],
      ['20.18.3', 1],
      ['20.19.0', 0],
      ['22.1.0', 0],
    ] as const) {
      const faked = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`;
      const ran = await runNode([
        '--import',
        `data:text/javascript,${encodeURIComponent(faked)}`,
        command,
        '--version',
      ]);
      const refusal = `paywright: needs Node.js ${engines.node.slice('>='.length)} or newer, and this is ${version}: install one from https://nodejs.org.\n`;
      expect(ran, version).to.deep.include(code ? { code, out: '', err: refusal } : { code, err: '' });
    }
  });

  it('exits with 2 and one sentence for wrong usage', async () => {
    expect(await run('fly')).to.deep.equal({
      code: 2,
      out: '',
      err: 'Unknown command "fly": see "paywright --help".\n',
    });
    expect(await run('payment', 'show', '1')).to.include({
      code: 2,
      err: 'Unknown command "payment": did you mean payments?\n',
    });
    expect(await run('keys', 'lst')).to.include({
      code: 2,
      err: 'Unknown command "keys lst": did you mean list?\n',
    });
    expect(await run('keys', 'list', '--ower', 'x')).to.include({
      code: 2,
      err: 'Unknown option --ower: did you mean --owner?\n',
    });
    expect(await run()).to.include({ code: 2, err: 'A command is missing: see "paywright --help".\n' });
  });

  it('exits with 1 and one line per problem when it fails', async () => {
    const { code, out, err } = await run('config', 'print');
    expect({ code, out }).to.deep.equal({ code: 1, out: '' });
    expect(err).to.match(/^config\/nowhere\.yaml: the file does not exist; [^\n]+\n$/);
  });
});
