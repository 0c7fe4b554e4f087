import { toEnvironment } from '../../engine/access/index.ts';
import { defineCommand, readHours, readKeyEnvironment } from '../command.ts';
import { guessOwner } from '../owner-id.ts';
import { url, withManagement } from '../management.ts';

export const secretsRotate = defineCommand({
  options: {
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'the secret of test events (sandbox, default) or live events (production)',
    },
    'overlap-hours': {
      type: 'string',
      value: '<hours>',
      help: 'how long the old secret also signs, 0 to 168 (default 24)',
    },
    url,
    json: { type: 'boolean', help: 'print { "ownerId", "webhookSecret", "previousValidUntil" }' },
  },
  async run({ values, operands: [name = ''], shell }) {
    const environment = toEnvironment(readKeyEnvironment(values.env));
    const overlap = readHours(values['overlap-hours']);
    const rotated = await withManagement(shell, values, async ({ call, owners }) => {
      await guessOwner(owners, name);
      return call('rotateWebhookSecret', { merchant: name, environment, ...overlap });
    });
    if (values.json) shell.print(JSON.stringify(rotated));
    else {
      shell.print(`Webhook secret of ${name}, ${environment} events: ${rotated.webhookSecret}`);
      shell.print(`The old secret also signs until ${rotated.previousValidUntil}`);
    }
    if (values.env === undefined)
      shell.stderr('Live events use another secret, which is unchanged: rotate it with --env production.');
    return 0;
  },
});
