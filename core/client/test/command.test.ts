import { expect } from 'chai';
import { describe, it } from 'mocha';
import { runCommand } from '../command.ts';

async function run(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const printed: string[] = [];
  const said: string[] = [];
  const terminal = { env, print: (line: string) => printed.push(line), say: (line: string) => said.push(line) };
  return { code: await runCommand(words, terminal), out: printed.join('\n'), problem: said.join('\n') };
}

describe('the command of the client package', () => {
  it('explains itself', async () => {
    const { code, out } = await run(['--help']);
    expect(code).to.equal(0);
    expect(out)
      .to.match(/^paywright-client listen/)
      .and.contain('GATEWAY_API_KEY');
    expect((await run([])).code).to.equal(2);
  });

  for (const [words, problem] of [
    [['hear'], 'Unknown command "hear". The only command is "listen".'],
    [['listen'], 'A test key is missing: export GATEWAY_API_KEY=gk_test_….'],
    [['listen', '--forward-to', 'localhost:3000'], '--forward-to must be an http or https address.'],
    [['listen', '--url', 'shop'], '--url must be an http or https address.'],
    [['listen', '--key', 'x'], 'See paywright-client --help.'],
  ] as const) {
    it(`refuses ${words.join(' ')}`, async () => {
      const env = words.length > 1 ? { GATEWAY_API_KEY: 'gk_test_x' } : {};
      const refused = await run(words, env);
      expect(refused.code).to.equal(2);
      expect(refused.problem).to.contain(problem);
    });
  }
});
