import { expect } from 'chai';
import { describe, it } from 'mocha';
import { defineCommand, UsageError, type CommandEntry, type Options } from './command.ts';
import { commandsOf, describeCommand, describeCommands, describeGroup } from './describe-commands.ts';
import { parseCommand } from './parse-command.ts';

const imported: string[] = [];
const entry = (
  name: string,
  summary: string,
  operands: readonly string[] = [],
  options: Options = {},
): CommandEntry => ({
  name,
  summary,
  operands,
  async load() {
    imported.push(name);
    return defineCommand({ options, notes: ['More.'], run: async () => 0 });
  },
});
const commands = [
  entry('start', 'Start it'),
  entry('keys limit', 'Limit a key', ['<key id>', '<number>'], {
    json: { type: 'boolean', help: 'as JSON' },
    owner: { type: 'string', value: '<name>', help: 'whose' },
  }),
  entry('keys list', 'List keys'),
  entry('adapters', 'List adapters'),
  entry('adapters drain', 'Drain one', ['<name>']),
];

describe('parseCommand', () => {
  const refusal = async (...words: string[]): Promise<string> => {
    try {
      await parseCommand(words, commands);
    } catch (error) {
      if (error instanceof UsageError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  it('reads command, options and operands in any order', async () => {
    for (const words of ['keys limit k1 --owner=A 5 --json', 'keys limit --json --owner A k1 5']) {
      const { command, values, operands, wantsHelp } = await parseCommand(words.split(' '), commands);
      expect(command.name).to.equal('keys limit');
      expect({ ...values }).to.deep.equal({ json: true, owner: 'A' });
      expect({ operands, wantsHelp }).to.deep.equal({ operands: ['k1', '5'], wantsHelp: false });
    }
    expect((await parseCommand(['keys', 'limit', '--help'], commands)).wantsHelp).to.equal(true);
  });

  for (const [words, problem] of [
    ['stop', 'Unknown command "stop": see "paywright --help".'],
    ['keys', '"keys" needs a subcommand: limit, list.'],
    ['keys break', '"keys" needs a subcommand: limit, list.'],
    ['adapters drian x --reason y', 'Unknown command "adapters drian": did you mean drain?'],
    ['adapters pause x', 'Unknown command "adapters pause": the subcommands are drain.'],
    ['start now', 'unexpected operand now: see "paywright start --help".'],
    ['keys limit k1', '<number> is missing: see "paywright keys limit --help".'],
    ['start --fast', 'Unknown option --fast: see "paywright start --help".'],
    ['start -x', 'Unknown option -x: see "paywright start --help".'],
    ['keys limit k1 5 --owner', '--owner needs a value: see "paywright keys limit --help".'],
    ['keys limit k1 5 --json=yes', '--json takes no value: see "paywright keys limit --help".'],
  ] as const) {
    it(`refuses wrong usage in one sentence: ${words}`, async () => {
      expect(await refusal(...words.split(' '))).to.equal(problem);
    });
  }

  it('imports only the called command', async () => {
    imported.length = 0;
    await parseCommand(['keys', 'list'], commands);
    expect(imported).to.deep.equal(['keys list']);
  });

  it('describes all commands and one command', async () => {
    const all = describeCommands(commands);
    for (const { name, summary } of commands) expect(all).to.include(name).and.to.include(summary);
    const grouped = describeCommands(commands.map((one, at) => ({ ...one, group: at < 3 ? 'First' : 'Second' })));
    expect(grouped).to.match(/\n\nFirst\n {2}start .*\n {2}keys limit .*\n {2}keys list .*\n\nSecond\n {2}adapters /s);
    expect(describeGroup('keys', commandsOf('keys', commands)).split('\n')).to.deep.equal([
      'paywright keys <command> [options]',
      '',
      '  keys limit <key id> <number>  Limit a key',
      '  keys list                     List keys',
      '',
      'Run "paywright keys <command> --help" for the help of one command.',
    ]);
    const { command } = await parseCommand(['adapters', '--help'], commands);
    expect(describeCommand(command, commandsOf('adapters', commands))).to.match(/Other commands\n {2}adapters drain/);
    expect(
      describeCommand((await parseCommand(['keys', 'limit', '--help'], commands)).command).split('\n'),
    ).to.deep.equal([
      'paywright keys limit <key id> <number> [options]',
      '',
      'Limit a key.',
      '',
      '  --json          as JSON',
      '  --owner <name>  whose',
      '',
      'More.',
    ]);
  });
});
