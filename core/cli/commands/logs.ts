import { join } from 'node:path';
import { loadConfig } from '../../../config/load-config.ts';
import { defineCommand, readCount, readWord } from '../command.ts';
import { json } from '../json.ts';
import { aboutPayment, describeLogLine, isAtLeast, levels } from '../logs/log-line.ts';
import { tailLog } from '../logs/tail-log.ts';
import { readPaymentId } from '../payment-id.ts';

export const logsTail = defineCommand({
  options: {
    payment: { type: 'string', value: '<id>', help: 'only what is about this payment, from files put aside too' },
    level: { type: 'string', value: '<word>', help: 'only warn, error and the like, and what is worse' },
    lines: { type: 'string', value: '<number>', help: 'first so many that are there already (20; of a payment 1000)' },
    'no-follow': { type: 'boolean', help: 'end with what is there' },
    json: { ...json, help: 'print the lines as they are written, JSON' },
  },
  notes: [
    'It follows gateway.log of the data folder, through every rotation, until Ctrl-C. Of one host: each has its own. Where',
    'log.file is false, who runs the service has the log (journalctl, docker logs, kubectl logs).',
  ],
  async run({ values, shell }) {
    const level = readWord(values.level, levels, '--level') ?? 'trace';
    const id = values.payment === undefined ? undefined : readPaymentId(values.payment);
    const last = readCount(values.lines, '--lines') ?? (id === undefined ? 20 : 1000);
    const { config } = await loadConfig({ env: shell.env, root: shell.root });
    if (!config.log.file)
      throw new Error('The log is in no file (log.file is false): who runs the service has what it writes.');
    const isAbout = id === undefined ? () => true : aboutPayment(id);
    const hasColours = process.stdout.isTTY && !shell.env['NO_COLOR'];
    await tailLog({
      file: join(config.database.dataDir, 'gateway.log'),
      last,
      withPutAside: id !== undefined,
      isOnce: values['no-follow'] === true,
      isWanted: (line) => isAtLeast(line, level) && isAbout(line),
      show: (text, line) => shell.print(values.json || !line ? text : describeLogLine(line, hasColours)),
      signal: new AbortController().signal,
    });
    return 0;
  },
});
