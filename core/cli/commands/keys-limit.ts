import { json, printResult } from '../json.ts';
import { defineCommand, readCount } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../with-database.ts';

export const keysLimit = defineCommand({
  options: { json },
  async run({ values, operands: [keyId = '', text], shell }) {
    const limit = readCount(text, '<number>') ?? 0;
    await withDatabase(shell, async ({ acts }) => acts.limitKey(operatorOf(shell), keyId, limit));
    printResult(shell, values, { keyId, limit }, `${keyId}: ${limit} requests per minute`);
    return 0;
  },
});
