import { withDatabase } from '../with-database.ts';
import { reencryptBy } from '../../engine/secrets/index.ts';
import { json, printResult } from '../json.ts';
import { defineCommand } from '../command.ts';
import { operatorOf } from '../operator.ts';

export const secretsReencrypt = defineCommand({
  options: { json },
  notes: [
    'To rotate security.encryptionKey: add the new key last on every host, then move it first on every host, run this',
    'command, then remove the old key. The service can keep running. After an interruption, run the command again: it resumes.',
  ],
  async run({ values, shell }) {
    return withDatabase(shell, async ({ connection, encrypter, audit }) => {
      const changed = await reencryptBy(operatorOf(shell), audit, connection, encrypter, (progress) =>
        shell.stderr(`${progress.collection}: ${progress.changed} values re-encrypted`),
      );
      const words = `${changed} values re-encrypted: all values use the key ${encrypter.keyId}, earlier keys can be removed`;
      printResult(shell, values, { changed, keyId: encrypter.keyId }, words);
      return 0;
    });
  },
});
