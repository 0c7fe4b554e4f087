/** The `gateway` command. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { toProblems } from '../../workers/supervisor/start-error.ts';
import { UsageError, type Shell } from './command.ts';
import { commands } from './commands/index.ts';
import { describeCommand, describeCommands } from './describe-commands.ts';
import { parseCommand } from './parse-command.ts';

// A reader of our output may close it; a service does not end for that.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const shell: Shell = {
  env: process.env,
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  print: (line) => process.stdout.write(`${line}\n`),
  stderr: (line) => process.stderr.write(`${line}\n`),
};

/** Answers the exit code: 2 where the command was called wrongly, 1 where it failed. */
async function main([first, ...rest]: readonly string[]): Promise<number> {
  try {
    if (first === undefined) throw new UsageError('A command is missing: see "gateway --help".');
    if (first === '--help' || first === '-h' || first === 'help') shell.print(describeCommands(commands));
    else if (first === '--version') shell.print(await readVersion());
    else {
      const { command, values, operands, wantsHelp } = await parseCommand([first, ...rest], commands);
      if (!wantsHelp) return await command.run({ values, operands, shell });
      shell.print(describeCommand(command));
    }
    return 0;
  } catch (error) {
    for (const problem of toProblems(error)) shell.stderr(problem);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function readVersion(): Promise<string> {
  const text = await readFile(join(shell.root, 'package.json'), 'utf8');
  return v.parse(v.pipe(v.string(), v.parseJson(), v.object({ version: v.string() })), text).version;
}

process.exit(await main(process.argv.slice(2)));
