import { operatorRoles } from '../../database/collections/operator.ts';
import { findConsole } from '../running-service.ts';
import { withDatabase } from '../with-database.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, readTime, required } from '../command.ts';
import { operatorOf } from '../operator.ts';

export const operatorsCreate = defineCommand({
  options: {
    role: {
      type: 'string',
      value: operatorRoles.join('|'),
      help: 'the permissions: everything, nothing dangerous, or read only',
    },
    expires: {
      type: 'string',
      value: '<date>',
      help: 'when the key expires, for example 2030-01-31 or 2030-01-31T12:00:00Z (default: never)',
    },
    json: { type: 'boolean', help: 'print { "key", "keyId", "name", "role" }' },
  },
  notes: [
    "The key is shown only now. It is valid at the operators' listener (ops.port), as Authorization: Bearer or X-API-Key,",
    'and not in the API for merchants. An admin key is also the key of the management API, under /api.',
  ],
  async run({ values, operands: [name = ''], shell }) {
    const role = required(values.role, 'role');
    const expiresAt = readTime(values.expires, '--expires');
    const { created, consoleAt } = await withDatabase(shell, async ({ acts, loaded }) => {
      return {
        created: await acts.createOperator(operatorOf(shell), { name, role, expiresAt }),
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
      for (const { keyId, name, role, state, expiresAt, lastUsedAt } of found) {
        const end = expiresAt ? `, until ${expiresAt.toISOString()}` : '';
        const use = lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used';
        shell.print(`${keyId}  ${name}  ${role}  ${state}${end}  ${use}`);
      }
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
