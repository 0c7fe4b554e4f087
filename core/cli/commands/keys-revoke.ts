import { defineCommand } from '../command.ts';
import { withAccess } from '../../../workers/supervisor/with-database.ts';

export const keysRevoke = defineCommand({
  name: 'keys revoke',
  summary: 'End an API key, for good and within 2 s',
  operands: ['<key id>'],
  options: {},
  async run({ operands: [keyId = ''], shell }) {
    await withAccess(shell, async ({ keys }) => keys.revoke(keyId));
    shell.print(`Revoked: ${keyId}`);
    return 0;
  },
});
