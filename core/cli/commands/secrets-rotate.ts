import { defineCommand, readHours } from '../command.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';

export const secretsRotate = defineCommand({
  options: {
    'overlap-hours': {
      type: 'string',
      value: '<hours>',
      help: 'how long the old one signs too: 0 to 168; default: 24',
    },
    json: { type: 'boolean', help: 'print { "ownerId", "webhookSecret", "previousValidUntil" }' },
  },
  async run({ values, operands: [name = ''], shell }) {
    const overlap = readHours(values['overlap-hours']);
    const rotated = await withDatabase(shell, async ({ owners }) => owners.rotateSecret(name, overlap));
    if (values.json) shell.print(JSON.stringify(rotated));
    else {
      shell.print(`Webhook secret of ${name}: ${rotated.webhookSecret}`);
      shell.print(`The old one signs too until ${rotated.previousValidUntil.toISOString()}`);
    }
    return 0;
  },
});
