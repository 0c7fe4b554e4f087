import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { describe, it } from 'mocha';

const runFile = promisify(execFile);
const command = fileURLToPath(new URL('../../../core/cli/bin/gateway.mjs', import.meta.url));

describe('the gateway command', () => {
  const run = async (...words: string[]): Promise<{ code: unknown; out: string; err: string }> => {
    const env = { ...process.env, GATEWAY_ENV: 'nowhere' };
    const ran = await runFile(process.execPath, [command, ...words], { env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: unknown) => error as { code: unknown; stdout: string; stderr: string },
    );
    return { code: ran.code, out: ran.stdout, err: ran.stderr };
  };

  it('helps, and tells its version', async () => {
    const help = await run('--help');
    expect(help).to.include({ code: 0, err: '' });
    expect(help.out)
      .to.match(/^gateway <command>/)
      .and.to.include('keys create');
    expect((await run('keys', 'create', '--help')).out).to.include('--owner <name>');
    expect(await run('--version')).to.include({ code: 0, out: '0.1.0\n' });
  });

  it('ends with 2 and one sentence when it is called wrongly', async () => {
    expect(await run('fly')).to.deep.equal({
      code: 2,
      out: '',
      err: 'There is no command "fly": see "gateway --help".\n',
    });
    expect(await run()).to.include({ code: 2, err: 'A command is missing: see "gateway --help".\n' });
  });

  it('ends with 1 and the problems, a line each, when it fails', async () => {
    const { code, out, err } = await run('config', 'print');
    expect({ code, out }).to.deep.equal({ code: 1, out: '' });
    expect(err).to.match(/^config\/nowhere\.yaml: there is no such file; [^\n]+\n$/);
  });
});
