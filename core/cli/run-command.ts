/** Runs one call of the `paywright` command. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toProblems } from '../../workers/supervisor/start-error.ts';
import { UsageError, type Shell } from './command.ts';
import { commands } from './commands/index.ts';
import { describeCommand, describeCommands } from './describe-commands.ts';
import { printProblems } from './json.ts';
import { parseCommand } from './parse-command.ts';

/** Returns the exit code: 2 for wrong usage, 1 for a failure. With `--json`, the problems are printed as the result. */
export async function runCommand([first, ...rest]: readonly string[], shell: Shell): Promise<number> {
  try {
    if (first === undefined) throw new UsageError('A command is missing: see "paywright --help".');
    if (first === '--help' || first === '-h' || first === 'help') shell.print(describeCommands(commands));
    else if (first === '--version') shell.print(await readVersion(shell));
    else {
      const { command, values, operands, wantsHelp } = await parseCommand([first, ...rest], commands);
      if (!wantsHelp) return await command.run({ values, operands, shell });
      shell.print(describeCommand(command));
    }
    return 0;
  } catch (error) {
    printProblems(shell, { json: rest.includes('--json') }, toProblems(error));
    return error instanceof UsageError ? 2 : 1;
  }
}

async function readVersion({ root }: Shell): Promise<string> {
  const text = await readFile(join(root, 'package.json'), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
