import { defineCommand } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';

export const keysRevoke = defineCommand({
  options: {},
  async run({ operands: [keyId = ''], shell }) {
    await withDatabase(shell, async ({ acts }) => acts.revokeKey(operatorOf(shell), keyId));
    shell.print(`Revoked: ${keyId}`);
    return 0;
  },
});
