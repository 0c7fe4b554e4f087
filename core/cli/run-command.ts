/** Runs one call of the `paywright` command. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toProblems } from '../../workers/supervisor/start-error.ts';
import { escapeControls, escapeControlsInText } from '../base/text/escape-controls.ts';
import { UsageError, type Shell } from './command.ts';
import { commands } from './commands/index.ts';
import { commandsOf, describeCommand, describeCommands, describeGroup } from './describe-commands.ts';
import { printProblems } from './json.ts';
import { parseCommand } from './parse-command.ts';

/** Returns the exit code: 2 for wrong usage, 1 for a failure. With `--json`, the problems are printed as the result. */
export async function runCommand([first, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  const shell = toShell(terminal);
  try {
    if (first === undefined) throw new UsageError('A command is missing: see "paywright --help".');
    if (first === '--help' || first === '-h' || first === 'help') shell.printText(describeCommands(commands));
    else if (first === '--version') shell.print(await readVersion(shell));
    else if (isGroupHelp(first, rest)) shell.printText(describeGroup(first, commandsOf(first, commands)));
    else {
      const { command, values, operands, wantsHelp } = await parseCommand([first, ...rest], commands);
      if (!wantsHelp) return await command.run({ values, operands, shell });
      shell.printText(describeCommand(command, commandsOf(command.name, commands)));
    }
    return 0;
  } catch (error) {
    printProblems(shell, { json: rest.includes('--json') }, toProblems(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** True for `payments --help`: a word that begins several commands and is none itself. */
function isGroupHelp(first: string, [second, ...others]: readonly string[]): boolean {
  const isHelp = (second === '--help' || second === '-h') && others.length === 0;
  return isHelp && commands.every(({ name }) => name !== first) && commandsOf(first, commands).length > 0;
}

/** Where a call writes, and what it reads. */
export type Terminal = Omit<Shell, 'printText' | 'printEscaped'>;

/** All output of commands passes here, so that no text of a merchant or a provider can control the terminal. */
export function toShell(terminal: Terminal): Shell {
  const { ask } = terminal;
  return {
    ...terminal,
    print: (line) => terminal.print(escapeControls(line)),
    printText: (text) => terminal.print(escapeControlsInText(text)),
    printEscaped: (text) => terminal.print(text),
    stderr: (text) => terminal.stderr(escapeControlsInText(text)),
    ...(ask && { ask: async (question: string) => ask(escapeControlsInText(question)) }),
  };
}

async function readVersion({ root }: Shell): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
