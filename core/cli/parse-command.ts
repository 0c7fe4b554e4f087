import { parseArgs } from 'node:util';
import { didYouMean } from '../base/text/nearest.ts';
import { UsageError, type Command, type CommandEntry, type Options, type Values } from './command.ts';

export interface Parsed {
  readonly command: Command;
  readonly values: Values<Options>;
  readonly operands: readonly string[];
  readonly wantsHelp: boolean;
}

/** Parses the command line and imports only the called command. Rejects with a UsageError. */
export async function parseCommand(words: readonly string[], commands: readonly CommandEntry[]): Promise<Parsed> {
  const { load, ...entry } = findCommand(words, commands);
  const command = { ...entry, ...(await load()) };
  const rest = words.slice(command.name.split(' ').length);
  const { values, positionals } = parse(rest, command);
  const { help, ...own } = values;
  const wantsHelp = help === true;
  const expected = command.operands ?? [];
  const isTooMany = positionals.length > expected.length && !command.manyOperands;
  const missing = expected.slice(positionals.length).filter((operand) => !operand.startsWith('['));
  if (!wantsHelp && (missing.length > 0 || isTooMany)) {
    const problem = missing.length > 0 ? `${missing.join(' ')} is missing` : `unexpected operand ${positionals.at(-1)}`;
    throw new UsageError(`${problem}: see "paywright ${command.name} --help".`);
  }
  return { command, values: own, operands: positionals, wantsHelp };
}

function findCommand(words: readonly string[], commands: readonly CommandEntry[]): CommandEntry {
  const fitting = commands.filter(({ name }) => name.split(' ').every((word, at) => words[at] === word));
  // `adapters on` is not `adapters` with an operand.
  const found = fitting.toSorted((a, b) => b.name.length - a.name.length)[0];
  if (found) {
    checkSecondWord(found, words, commands);
    return found;
  }
  const [group = ''] = words;
  const inGroup = commands.map(({ name }) => name.split(' ')).filter(([first]) => first === group);
  if (inGroup.length > 0) {
    const seconds = inGroup.map(([, name = '']) => name);
    const [, given] = words;
    const guess = given === undefined || given.startsWith('-') ? '' : didYouMean(given, seconds);
    if (guess !== '') throw new UsageError(`Unknown command "${group} ${given}"${guess}`);
    throw new UsageError(`"${group}" needs a subcommand: ${seconds.join(', ')}.`);
  }
  const guess = didYouMean(group, [...new Set(commands.map(({ name }) => name.split(' ')[0]!))]);
  throw new UsageError(`Unknown command "${group}"${guess || ': see "paywright --help".'}`);
}

/** If a group is itself a command without operands, a further word is meant to be one of its subcommands. */
function checkSecondWord(
  { name, operands = [] }: CommandEntry,
  words: readonly string[],
  all: readonly CommandEntry[],
) {
  const given = words[name.split(' ').length];
  const others = all.flatMap((one) => (one.name.startsWith(`${name} `) ? one.name.slice(name.length + 1) : []));
  if (operands.length > 0 || others.length === 0 || given === undefined || given.startsWith('-')) return;
  const guess = didYouMean(given, others) || `: the subcommands are ${others.join(', ')}.`;
  throw new UsageError(`Unknown command "${name} ${given}"${guess}`);
}

function parse(args: string[], command: Command) {
  try {
    const options = { ...command.options, help: { type: 'boolean' } } as const;
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    const option = /'(?:-\w, )?(-[^\s']*)/.exec(message)?.[1] ?? 'an option';
    const help = `see "paywright ${command.name} --help".`;
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
      const known = Object.keys(command.options).map((name) => `--${name}`);
      throw new UsageError(`Unknown option ${option}${didYouMean(option, known) || `: ${help}`}`);
    }
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') {
      const takes = message.includes('does not take') ? 'takes no value' : 'needs a value';
      throw new UsageError(`${option} ${takes}: ${help}`);
    }
    throw error;
  }
}
