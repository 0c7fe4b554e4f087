import { defineCommand, readCount } from '../command.ts';
import { withAccess } from '../../../workers/supervisor/with-database.ts';

export const keysLimit = defineCommand({
  name: 'keys limit',
  summary: 'Set how many requests a minute an API key may make, in force within 2 s',
  operands: ['<key id>', '<number>'],
  options: {},
  async run({ operands: [keyId = '', text], shell }) {
    const limit = readCount(text, '<number>') ?? 0;
    await withAccess(shell, async ({ keys }) => keys.setLimit(keyId, limit));
    shell.print(`${keyId}: ${limit} requests a minute`);
    return 0;
  },
});
