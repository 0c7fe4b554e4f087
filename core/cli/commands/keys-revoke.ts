import { defineCommand } from '../command.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';

export const keysRevoke = defineCommand({
  options: {},
  async run({ operands: [keyId = ''], shell }) {
    await withDatabase(shell, async ({ keys }) => keys.revoke(keyId));
    shell.print(`Revoked: ${keyId}`);
    return 0;
  },
});
