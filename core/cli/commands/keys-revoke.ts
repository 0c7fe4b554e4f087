import { json, printResult } from '../json.ts';
import { defineCommand } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../with-database.ts';

export const keysRevoke = defineCommand({
  options: { json },
  async run({ values, operands: [keyId = ''], shell }) {
    await withDatabase(shell, async ({ acts }) => acts.revokeKey(operatorOf(shell), keyId));
    printResult(shell, values, { keyId }, `Revoked: ${keyId}`);
    return 0;
  },
});
