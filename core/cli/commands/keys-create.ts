import { toEnvironment } from '../../engine/access/index.ts';
import { operatorOf } from '../operator.ts';
import { defineCommand, readCount, readKeyEnvironment, readTime, required } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const keysCreate = defineCommand({
  options: {
    owner: { type: 'string', value: '<name>', help: 'the merchant that owns the key' },
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'a test key (sandbox, default) or a live key (production)',
    },
    scopes: { type: 'string', value: '<a,b>', help: 'the permissions of the key (default: all except admin)' },
    limit: { type: 'string', value: '<number>', help: 'requests per minute (default: the limit of the config)' },
    expires: {
      type: 'string',
      value: '<date>',
      help: 'when the key expires, for example 2030-01-31 or 2030-01-31T12:00:00Z',
    },
    json: { type: 'boolean', help: 'print { "key", "ownerId", "webhookSecret" }' },
  },
  notes: ['The key is shown only now. The command works whether the service runs or not.'],
  async run({ values, shell }) {
    const input = {
      owner: required(values.owner, 'owner'),
      environment: readKeyEnvironment(values.env),
      scopes: values.scopes?.split(',').map((scope) => scope.trim()),
      limit: readCount(values.limit, '--limit'),
      expiresAt: readTime(values.expires, '--expires'),
    };
    const { created, liveKeys } = await withDatabase(shell, async ({ acts, loaded }) => {
      return { created: await acts.createKey(operatorOf(shell), input), liveKeys: loaded.config.keys.liveKeys };
    });
    const { key, keyId, ownerId, webhookSecret } = created;
    if (input.environment === 'production' && !liveKeys) {
      shell.stderr('Live keys are not accepted in this environment: keys.liveKeys is false.');
    }
    if (values.json) shell.print(JSON.stringify({ key, ownerId, webhookSecret }));
    else {
      shell.print(`API key, shown only now: ${key}`);
      shell.print(`Key id: ${keyId}`);
      shell.print(`Owner: ${input.owner} (${ownerId})`);
      shell.print(`Webhook secret of the owner, ${toEnvironment(input.environment)} events: ${webhookSecret}`);
    }
    return 0;
  },
});
