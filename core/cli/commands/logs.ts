import { join } from 'node:path';
import { loadConfig } from '../../../config/load-config.ts';
import { defineCommand, readCount, readWord } from '../command.ts';
import { json } from '../json.ts';
import { aboutPayment, describeLogLine, isAtLeast, levels } from '../logs/log-line.ts';
import { tailLog } from '../logs/tail-log.ts';
import { readPaymentId } from '../payment-id.ts';

export const logsTail = defineCommand({
  options: {
    payment: { type: 'string', value: '<id>', help: 'only lines about this payment, including rotated files' },
    level: { type: 'string', value: '<word>', help: 'only lines of this level (for example warn) or higher' },
    lines: {
      type: 'string',
      value: '<number>',
      help: 'number of existing lines to show first (default 20; for a payment 1000)',
    },
    'no-follow': { type: 'boolean', help: 'stop after the existing lines' },
    json: { ...json, help: 'print the original JSON lines' },
  },
  notes: [
    'Follows gateway.log of the data folder across rotations, until Ctrl-C. Each host has its own log. If log.file is false,',
    'the log is in the output of the service (journalctl, docker logs, kubectl logs).',
  ],
  async run({ values, shell }) {
    const level = readWord(values.level, levels, '--level') ?? 'trace';
    const id = values.payment === undefined ? undefined : readPaymentId(values.payment);
    const last = readCount(values.lines, '--lines') ?? (id === undefined ? 20 : 1000);
    const { config } = await loadConfig({ env: shell.env, root: shell.root });
    if (!config.log.file)
      throw new Error('There is no log file (log.file is false): the log is in the output of the service.');
    const isAbout = id === undefined ? () => true : aboutPayment(id);
    const hasColours = process.stdout.isTTY && !shell.env['NO_COLOR'];
    await tailLog({
      file: join(config.database.dataDir, 'gateway.log'),
      last,
      withPutAside: id !== undefined,
      isOnce: values['no-follow'] === true,
      isWanted: (line) => isAtLeast(line, level) && isAbout(line),
      show: (text, line) =>
        values.json || !line ? shell.print(text) : shell.printEscaped(describeLogLine(line, hasColours)),
      signal: new AbortController().signal,
    });
    return 0;
  },
});
