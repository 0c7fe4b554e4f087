import { defineCommand, readHours } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../with-database.ts';

export const keysRotate = defineCommand({
  options: {
    'overlap-hours': {
      type: 'string',
      value: '<hours>',
      help: 'how long the old key stays valid, 0 to 168 (default 24)',
    },
    json: { type: 'boolean', help: 'print { "key", "ownerId", "webhookSecret", "keyId", "previousValidUntil" }' },
  },
  notes: ['The new key is shown only now.'],
  async run({ values, operands: [keyId = ''], shell }) {
    const overlap = readHours(values['overlap-hours']);
    const rotated = await withDatabase(shell, async ({ acts }) => acts.rotateKey(operatorOf(shell), keyId, overlap));
    const { key, ownerId, webhookSecret, keyId: newId, previousValidUntil } = rotated;
    if (values.json) shell.print(JSON.stringify({ key, ownerId, webhookSecret, keyId: newId, previousValidUntil }));
    else {
      shell.print(`API key, shown only now: ${key}`);
      shell.print(`Key id: ${newId}`);
      shell.print(`The old key ${keyId} expires at ${previousValidUntil.toISOString()}`);
    }
    return 0;
  },
});
