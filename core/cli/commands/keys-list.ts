import { defineCommand } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const keysList = defineCommand({
  options: {
    owner: { type: 'string', value: '<name>', help: 'only keys of this merchant' },
    json: { type: 'boolean', help: 'print a JSON list' },
  },
  async run({ values, shell }) {
    const found = await withDatabase(shell, async ({ keys }) => keys.list({ owner: values.owner }));
    if (values.json) shell.print(JSON.stringify(found));
    else {
      for (const { keyId, ownerName, environment, state, limit, scopes, expiresAt, lastUsedAt } of found) {
        const use = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used';
        const end = expiresAt ? `, until ${expiresAt.toISOString()}` : '';
        shell.print(
          `${keyId}  ${ownerName}  ${environment}  ${state}${end}  ${limit}/min  ${scopes.join(',')}  ${use}`,
        );
      }
    }
    return 0;
  },
});
