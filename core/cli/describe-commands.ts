import type { Command, CommandEntry } from './command.ts';

/** The help of all commands. */
export function describeCommands(commands: readonly CommandEntry[]): string {
  const rows = commands.map((command) => [usageOf(command), command.summary] as const);
  return [
    'paywright <command> [options]',
    '',
    ...columns(rows),
    '',
    'Run "paywright <command> --help" for the help of one command, or "paywright --version" for the version.',
    'Settings come from config/ and the environment: see config/README.md.',
  ].join('\n');
}

/** The help of one command. */
export function describeCommand(command: Command): string {
  const rows = Object.entries(command.options).map(([name, { value, help }]) => {
    return [`--${name}${value ? ` ${value}` : ''}`, help] as const;
  });
  return [
    `paywright ${usageOf(command)}${rows.length > 0 ? ' [options]' : ''}`,
    '',
    `${command.summary}.`,
    ...(rows.length > 0 ? ['', ...columns(rows)] : []),
    ...(command.notes ? ['', ...command.notes] : []),
  ].join('\n');
}

/** The name of a command and its operands. */
export function usageOf({ name, operands = [] }: Pick<CommandEntry, 'name' | 'operands'>): string {
  return [name, ...operands].join(' ');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
