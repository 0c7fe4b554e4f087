import { groupBy } from '../base/group-by.ts';
import type { Command, CommandEntry } from './command.ts';

/** The help of all commands, under their headings. */
export function describeCommands(commands: readonly CommandEntry[]): string {
  const width = widthOf(commands.map(usageOf));
  const groups = [...groupBy(commands, ({ group = '' }) => group)].flatMap(([group, entries]) => [
    '',
    ...(group === '' ? [] : [group]),
    ...columns(entries.map(rowOf), width),
  ]);
  return [
    'paywright <command> [options]',
    ...groups,
    '',
    'Run "paywright <command> --help" for the help of one command, or "paywright --version" for the version.',
    'Settings come from config/ and the environment: see config/README.md.',
  ].join('\n');
}

/** The help of the commands that begin with the same word, such as `payments`. */
export function describeGroup(group: string, commands: readonly CommandEntry[]): string {
  return [
    `paywright ${group} <command> [options]`,
    '',
    ...columns(commands.map(rowOf)),
    '',
    `Run "paywright ${group} <command> --help" for the help of one command.`,
  ].join('\n');
}

/** The help of one command. `others`: the commands whose names begin with its name. */
export function describeCommand(command: Command, others: readonly CommandEntry[] = []): string {
  const rows = Object.entries(command.options).map(([name, { value, help }]) => {
    return [`--${name}${value ? ` ${value}` : ''}`, help] as const;
  });
  return [
    `paywright ${usageOf(command)}${rows.length > 0 ? ' [options]' : ''}`,
    '',
    `${command.summary}.`,
    ...(rows.length > 0 ? ['', ...columns(rows)] : []),
    ...(command.notes ? ['', ...command.notes] : []),
    ...(others.length > 0 ? ['', 'Other commands', ...columns(others.map(rowOf))] : []),
  ].join('\n');
}

/** The commands whose names begin with these words and another one. */
export function commandsOf(group: string, commands: readonly CommandEntry[]): readonly CommandEntry[] {
  return commands.filter(({ name }) => name.startsWith(`${group} `));
}

/** The name of a command and its operands. */
export function usageOf({ name, operands = [] }: Pick<CommandEntry, 'name' | 'operands'>): string {
  return [name, ...operands].join(' ');
}

function rowOf(command: CommandEntry): readonly [string, string] {
  return [usageOf(command), command.summary];
}

function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}

function columns(rows: readonly (readonly [string, string])[], width = widthOf(rows.map(([left]) => left))): string[] {
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
