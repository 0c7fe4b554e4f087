/** The commands `keys …`: create, list, revoke, rotate and limit API keys of merchants. */
import { toEnvironment } from '../../engine/access/index.ts';
import { defineCommand, readCount, readHours, readKeyEnvironment, readTime, required } from '../command.ts';
import { confirmAction } from '../confirm.ts';
import { json, printResult } from '../json.ts';
import { questionOfNewMerchant } from '../owner-id.ts';
import { url, withManagement } from '../management.ts';

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
    yes: { type: 'boolean', help: 'create a merchant although its name is close to the name of another' },
    url,
    json: { type: 'boolean', help: 'print { "key", "ownerId", "webhookSecret" }' },
  },
  notes: ['The key is shown only now. The command works whether the service runs or not.'],
  async run({ values, shell }) {
    const input = {
      merchant: required(values.owner, 'owner'),
      environment: readKeyEnvironment(values.env),
      scopes: values.scopes?.split(',').map((scope) => scope.trim()),
      limit: readCount(values.limit, '--limit'),
      expiresAt: readTime(values.expires, '--expires'),
    };
    const created = await withManagement(shell, values, async ({ call, owners }) => {
      const question = await questionOfNewMerchant(owners, input.merchant);
      if (question !== undefined && !(await confirmAction(shell, question, values))) return undefined;
      return call('createKey', { ...input, allowsNearName: true });
    });
    if (!created) return 1;
    const { key, keyId, ownerId, webhookSecret, warnings } = created;
    for (const warning of warnings) shell.stderr(warning);
    if (values.json) shell.print(JSON.stringify({ key, ownerId, webhookSecret }));
    else {
      shell.print(`API key, shown only now: ${key}`);
      shell.print(`Key id: ${keyId}`);
      shell.print(`Merchant: ${input.merchant} (${ownerId})`);
      shell.print(`Webhook secret of the merchant, ${toEnvironment(input.environment)} events: ${webhookSecret}`);
    }
    return 0;
  },
});

export const keysList = defineCommand({
  options: {
    owner: { type: 'string', value: '<name>', help: 'only keys of this merchant' },
    url,
    json: { type: 'boolean', help: 'print a JSON list' },
  },
  async run({ values, shell }) {
    const found = await withManagement(shell, values, async ({ all }) => all('listKeys', { merchant: values.owner }));
    if (values.json) shell.print(JSON.stringify(found));
    else {
      for (const { keyId, ownerName, environment, state, limit, scopes, expiresAt, lastUsedAt } of found) {
        const use = lastUsedAt ? `last used ${lastUsedAt}` : 'never used';
        const end = expiresAt ? `, until ${expiresAt}` : '';
        shell.print(
          `${keyId}  ${ownerName}  ${environment}  ${state}${end}  ${limit}/min  ${scopes.join(',')}  ${use}`,
        );
      }
    }
    return 0;
  },
});

export const keysRevoke = defineCommand({
  options: { url, json },
  async run({ values, operands: [keyId = ''], shell }) {
    await withManagement(shell, values, async ({ call }) => call('revokeKey', { keyId }));
    printResult(shell, values, { keyId }, `Revoked: ${keyId}`);
    return 0;
  },
});

export const keysRotate = defineCommand({
  options: {
    'overlap-hours': {
      type: 'string',
      value: '<hours>',
      help: 'how long the old key stays valid, 0 to 168 (default 24)',
    },
    url,
    json: { type: 'boolean', help: 'print { "key", "ownerId", "webhookSecret", "keyId", "previousValidUntil" }' },
  },
  notes: ['The new key is shown only now.'],
  async run({ values, operands: [keyId = ''], shell }) {
    const overlap = readHours(values['overlap-hours']);
    const rotated = await withManagement(shell, values, async ({ call }) => call('rotateKey', { keyId, ...overlap }));
    const { key, ownerId, webhookSecret, keyId: newId, previousValidUntil } = rotated;
    if (values.json) shell.print(JSON.stringify({ key, ownerId, webhookSecret, keyId: newId, previousValidUntil }));
    else {
      shell.print(`API key, shown only now: ${key}`);
      shell.print(`Key id: ${newId}`);
      shell.print(`The old key ${keyId} expires at ${previousValidUntil}`);
    }
    return 0;
  },
});

export const keysLimit = defineCommand({
  options: { url, json },
  async run({ values, operands: [keyId = '', text], shell }) {
    const limit = readCount(text, '<number>') ?? 0;
    await withManagement(shell, values, async ({ call }) => call('limitKey', { keyId, limit }));
    printResult(shell, values, { keyId, limit }, `${keyId}: ${limit} requests per minute`);
    return 0;
  },
});
