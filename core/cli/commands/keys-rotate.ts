import { defineCommand, readHours } from '../command.ts';
import { withAccess } from '../../../workers/supervisor/with-database.ts';

export const keysRotate = defineCommand({
  name: 'keys rotate',
  summary: 'Replace an API key by a new one with the same settings',
  operands: ['<key id>'],
  options: {
    'overlap-hours': {
      type: 'string',
      value: '<hours>',
      help: 'how long the old one stays valid: 0 to 168, 24 unless told',
    },
    json: { type: 'boolean', help: 'print { "key", "ownerId", "webhookSecret", "keyId", "previousValidUntil" }' },
  },
  notes: ['The new key is shown this once.'],
  async run({ values, operands: [keyId = ''], shell }) {
    const overlap = readHours(values['overlap-hours']);
    const rotated = await withAccess(shell, async ({ keys }) => keys.rotate(keyId, overlap));
    const { key, ownerId, webhookSecret, keyId: newId, previousValidUntil } = rotated;
    if (values.json) shell.print(JSON.stringify({ key, ownerId, webhookSecret, keyId: newId, previousValidUntil }));
    else {
      shell.print(`API key, shown only now: ${key}`);
      shell.print(`Key id: ${newId}`);
      shell.print(`The old key ${keyId} ends at ${previousValidUntil.toISOString()}`);
    }
    return 0;
  },
});
