import { isWebAddress, readEvents, type StreamEvent } from '../listen/read-events.ts';
import { findApi } from '../../../workers/supervisor/data-folder/index.ts';
import { loadConfig } from '../../../config/load-config.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { json } from '../json.ts';

/** Of the receiver, for a whole answer: as long as a notification waits. */
const forwardLimitMs = 30_000;

export const listen = defineCommand({
  options: {
    'forward-to': {
      type: 'string',
      value: '<address>',
      help: 'where each event is posted, such as http://localhost:3000/hook',
    },
    url: { type: 'string', value: '<address>', help: 'of the gateway; default: the one that runs here' },
    'api-key': { type: 'string', value: '<key>', help: 'a test key with requests:read; default: $KEY' },
    json,
  },
  notes: [
    'It shows test events as they happen, until Ctrl-C, also of payments without notifyUrl, and posts each as the gateway',
    'would: the same bytes, with signatures. From the first listening on events without an address are kept for a day.',
  ],
  async run({ values, shell }) {
    // The variable of the guide and of what the start prints.
    const key = values['api-key'] ?? shell.env['KEY'] ?? shell.env['GATEWAY_API_KEY'];
    if (!key)
      throw new UsageError('A test key is missing: --api-key <key>, or the variable KEY, in force by export KEY.');
    const forwardTo = values['forward-to'];
    if (forwardTo !== undefined && !isWebAddress(forwardTo))
      throw new UsageError('--forward-to must be an http or https address.');
    const base = (values.url ?? (await runningUrl(shell))).replace(/\/+$/, '');
    shell.stderr(`Listening to test events of ${base}${forwardTo === undefined ? '' : `, for ${forwardTo}`}.`);
    for await (const event of readEvents({ base, key, say: (line) => shell.stderr(line) })) {
      const answered = forwardTo === undefined ? undefined : await forward(forwardTo, event);
      if (values.json) shell.print(JSON.stringify({ ...event, ...(answered !== undefined && { answered }) }));
      else
        shell.print(`${event.createdAt}  ${event.type}  ${event.id}${answered === undefined ? '' : `  ${answered}`}`);
    }
    return 0;
  },
});

async function runningUrl({ env, root }: Shell): Promise<string> {
  const { config } = await loadConfig({ env, root });
  const running = await findApi(config.database.dataDir);
  if (!running) throw new Error('No gateway runs here: start it, or name one with --url.');
  return running.apiUrl;
}

/** What the receiver answered: its status, or why there was none. */
async function forward(url: string, { headers, body }: StreamEvent): Promise<string> {
  try {
    const signal = AbortSignal.timeout(forwardLimitMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const { cause = error } = error as { readonly cause?: unknown };
    const { code } = cause as NodeJS.ErrnoException;
    return `no answer (${code ?? (cause instanceof Error ? cause.message : 'unknown')})`;
  }
}
