import { isWebAddress, listen as listenToEvents } from '@paywright/client/listen';
import { loadConfig } from '../../../config/load-config.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';
import { json } from '../json.ts';
import { findService, noServiceText } from '../running-service.ts';

export const listen = defineCommand({
  options: {
    'forward-to': {
      type: 'string',
      value: '<address>',
      help: 'post each event to this address, for example http://localhost:3000/hook',
    },
    url: { type: 'string', value: '<address>', help: 'the gateway (default: the one that runs on this machine)' },
    'api-key': { type: 'string', value: '<key>', help: 'a test key with the permission requests:read (default: $KEY)' },
    json,
  },
  notes: [
    'Shows test events as they happen, until Ctrl-C, including events of payments without notifyUrl. Posts each event as the',
    'gateway would: the same bytes, with signatures. After the first use, events without an address are kept for a day.',
  ],
  async run({ values, shell }) {
    // KEY is the variable that the guide and the output of the start use.
    const key = values['api-key'] ?? shell.env['KEY'] ?? shell.env['GATEWAY_API_KEY'];
    if (!key) throw new UsageError('A test key is missing: use --api-key <key>, or export the variable KEY.');
    const forwardTo = values['forward-to'];
    if (forwardTo !== undefined && !isWebAddress(forwardTo))
      throw new UsageError('--forward-to must be an http or https address.');
    await listenToEvents({
      url: values.url ?? (await runningUrl(shell)),
      key,
      forwardTo,
      json: values.json === true,
      print: (line) => shell.print(line),
      say: (line) => shell.stderr(line),
    });
    return 0;
  },
});

async function runningUrl({ env, root }: Shell): Promise<string> {
  const loaded = await loadConfig({ env, root });
  const { running } = await findService(loaded);
  if (!running) throw new Error(`${noServiceText(loaded)}: start it, or name a gateway with --url.`);
  return running.apiUrl;
}
