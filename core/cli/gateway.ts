/** The `paywright` command. */
import { fileURLToPath } from 'node:url';
import { runCommand, type Terminal } from './run-command.ts';

// A reader may close the pipe of our output; the service must not stop because of it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const terminal: Terminal = {
  env: process.env,
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  print: (line) => process.stdout.write(`${line}\n`),
  stderr: (line) => process.stderr.write(`${line}\n`),
  ...(process.stdin.isTTY && process.stderr.isTTY && { ask }),
  ...(process.stdout.isTTY && { columns: process.stdout.columns }),
};

async function ask(question: string): Promise<string> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

process.exit(await runCommand(process.argv.slice(2), terminal));
