import { withDatabase, type Access } from '../with-database.ts';
import { idOfOwner } from '../owner-id.ts';
import { json, printResult } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { defineCommand, UsageError, type Shell } from '../command.ts';

export const ownersPortal = defineCommand({
  options: {
    mode: {
      type: 'string',
      value: 'test|live',
      help: 'the mode of the events and calls that it shows: test (default) or live',
    },
    'allow-rotation': {
      type: 'boolean',
      help: 'allow changes: the default address, the types, and the webhook secret',
    },
    list: { type: 'boolean', help: 'list the links of this merchant or of all, without the links themselves' },
    revoke: { type: 'string', value: '<link id>', help: 'revoke a link; takes effect within 2 s' },
    json,
  },
  notes: [
    'For an hour, a visitor with the link sees the payments, deliveries, addresses and API calls of this merchant. The',
    'visitor may send notifications again, send a test event and enable an address.',
  ],
  async run({ values, operands: [name], shell }) {
    const { mode = 'test', revoke, list, json: isJson = false } = values;
    if (mode !== 'test' && mode !== 'live') throw new UsageError('--mode must be test or live.');
    const printed = { json: isJson };
    return withDatabase(shell, async (access) => {
      const { portal } = access.merchants;
      if (revoke !== undefined) {
        await portal.revoke(operatorOf(shell), revoke);
        printResult(shell, printed, { id: revoke }, `Revoked: ${revoke}`);
      } else if (list) {
        await printLinks(access, name, shell, printed);
      } else {
        if (name === undefined) throw new UsageError('<name> is missing: "paywright owners list" lists the merchants.');
        const owner = { id: await idOfOwner(access.owners, name), name };
        const allowsRotation = values['allow-rotation'] === true;
        const made = await portal.create(operatorOf(shell), { owner, environment: mode, allowsRotation });
        const { id, url, expiresAt } = made;
        const words = [`Portal of ${name}, ${mode} mode, until ${expiresAt.toISOString()}: ${url}`, `Link id: ${id}`];
        printResult(shell, printed, made, words);
      }
      return 0;
    });
  },
});

async function printLinks(
  { owners, merchants }: Access,
  name: string | undefined,
  shell: Shell,
  printed: { readonly json: boolean },
): Promise<void> {
  const names = new Map((await owners.list()).map((owner) => [owner.id, owner.name]));
  const found = (await merchants.portal.list(name === undefined ? undefined : await idOfOwner(owners, name))).map(
    (link) => {
      return { ...link, owner: names.get(link.ownerId) ?? '' };
    },
  );
  const lines = found.map(({ id, owner, environment, state, allowsRotation, madeBy, expiresAt, lastUsedAt }) =>
    [
      id,
      owner,
      environment,
      `${state}, expires ${expiresAt.toISOString()}`,
      `created by ${madeBy}`,
      lastUsedAt ? `last used ${lastUsedAt.toISOString()}` : 'never used',
      ...(allowsRotation ? ['allows changes'] : []),
    ].join('  '),
  );
  printResult(shell, printed, found, lines.length > 0 ? lines : 'There is no link.');
}
