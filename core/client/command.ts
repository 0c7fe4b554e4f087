/** The command of this package: `npx @paywright/client listen`. It needs no checkout and no settings of the gateway. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { isWebAddress, listen } from './listen/index.ts';

const defaultUrl = 'http://127.0.0.1:8080';

export const usage = `paywright-client listen [--forward-to <address>] [--url <address>] [--json]

Shows the test events of a gateway as they happen, until Ctrl-C, including events of payments without notifyUrl.
After the first use, events without an address are kept for a day.

  --forward-to <address>  post each event to this address, for example http://localhost:3000/hook: the same bytes as in
                          a real delivery, with signatures
  --url <address>         the gateway (default: $GATEWAY_URL, otherwise ${defaultUrl})
  --json                  print each event as JSON

The environment variable GATEWAY_API_KEY (or KEY) is a test key with the scope requests:read. A key is never read from
the command line, where other users of the machine could see it.`;

/** The user's mistake. The message says what to do. */
class UsageError extends Error {}

/** What the command needs of its process. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Runs the command. Resolves with the exit code: 0, 1 if the gateway refuses, 2 for wrong usage. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { print, say } = terminal;
  if (words.length === 0 || words.includes('--help')) {
    print(usage);
    return words.length === 0 ? 2 : 0;
  }
  try {
    await listen({ ...readWords(words, terminal.env), ...terminal });
    return 0;
  } catch (error) {
    say(`paywright-client: ${(error as Error).message}`);
    return error instanceof UsageError ? 2 : 1;
  }
}

function readWords([command = '', ...rest]: readonly string[], env: Terminal['env']) {
  if (command !== 'listen') throw new UsageError(`Unknown command "${command}". The only command is "listen".`);
  const values = readOptions(rest);
  const key = env['GATEWAY_API_KEY'] ?? env['KEY'];
  const url = values.url ?? env['GATEWAY_URL'] ?? defaultUrl;
  const forwardTo = values['forward-to'];
  if (!key) throw new UsageError('A test key is missing: export GATEWAY_API_KEY=gk_test_….');
  if (!isWebAddress(url)) throw new UsageError('--url must be an http or https address.');
  if (forwardTo !== undefined && !isWebAddress(forwardTo))
    throw new UsageError('--forward-to must be an http or https address.');
  return { url, key, forwardTo, json: values.json };
}

function readOptions(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        'forward-to': { type: 'string' },
        url: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${(error as Error).message} See paywright-client --help.`, { cause: error });
  }
}

/** The terminal of this process. Ctrl-C ends the command. */
export function processTerminal(): Terminal {
  const stopping = new AbortController();
  process.once('SIGINT', () => stopping.abort());
  return {
    env: process.env,
    print: (line) => process.stdout.write(`${line}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
    signal: stopping.signal,
  };
}
