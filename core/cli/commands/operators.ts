import { operatorRoles } from '../../database/collections/operator.ts';
import { findConsole } from '../running-service.ts';
import { withDatabase } from '../with-database.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, required } from '../command.ts';
import { operatorOf } from '../operator.ts';

export const operatorsCreate = defineCommand({
  options: {
    role: {
      type: 'string',
      value: operatorRoles.join('|'),
      help: 'the permissions: everything, nothing dangerous, or read only',
    },
    json: { type: 'boolean', help: 'print { "key", "keyId", "name", "role" }' },
  },
  notes: [
    "The key is shown only now. It is valid at the operators' listener (ops.port), as Authorization: Bearer or X-API-Key,",
    'and not in the API for merchants.',
  ],
  async run({ values, operands: [name = ''], shell }) {
    const role = required(values.role, 'role');
    const { created, consoleAt } = await withDatabase(shell, async ({ acts, loaded }) => {
      return {
        created: await acts.createOperator(operatorOf(shell), { name, role }),
        consoleAt: await findConsole(loaded),
      };
    });
    if (values.json) shell.print(JSON.stringify(created));
    else {
      shell.print(`Key of ${name} (${created.role}), shown only now: ${created.key}`);
      shell.print(`Key id: ${created.keyId}`);
      shell.print(consoleAt);
    }
    return 0;
  },
});

export const operatorsList = defineCommand({
  options: { json: { type: 'boolean', help: 'print a JSON list' } },
  async run({ values, shell }) {
    const found = await withDatabase(shell, async ({ operators }) => operators.list());
    if (values.json) shell.print(JSON.stringify(found));
    else {
      for (const { keyId, name, role, state, lastUsedAt } of found)
        shell.print(
          `${keyId}  ${name}  ${role}  ${state}  ${lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used'}`,
        );
    }
    return 0;
  },
});

export const operatorsRevoke = defineCommand({
  options: { json },
  async run({ values, operands: [keyId = ''], shell }) {
    await withDatabase(shell, async ({ acts }) => acts.revokeOperator(operatorOf(shell), keyId));
    printResult(shell, values, { keyId }, `Revoked: ${keyId}`);
    return 0;
  },
});
