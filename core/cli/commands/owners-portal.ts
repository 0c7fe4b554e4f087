import { url, withManagement, type Management } from '../management.ts';
import { findOwner } from '../owner-id.ts';
import { json, printResult } from '../json.ts';
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
    url,
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
    return withManagement(shell, values, async (management) => {
      const { call, owners } = management;
      if (revoke !== undefined) {
        await call('revokePortalLink', { linkId: revoke });
        printResult(shell, printed, { id: revoke }, `Revoked: ${revoke}`);
      } else if (list) {
        await printLinks(management, name, shell, printed);
      } else {
        if (name === undefined) throw new UsageError('<name> is missing: "paywright owners list" lists the merchants.');
        await findOwner(owners, name);
        const allowsRotation = values['allow-rotation'] === true;
        const made = await call('createPortalLink', { merchant: name, environment: mode, allowsRotation });
        const { id, url: link, expiresAt } = made;
        const words = [`Portal of ${name}, ${mode} mode, until ${expiresAt}: ${link}`, `Link id: ${id}`];
        printResult(shell, printed, made, words);
      }
      return 0;
    });
  },
});

async function printLinks(
  { all, owners }: Management,
  name: string | undefined,
  shell: Shell,
  printed: { readonly json: boolean },
): Promise<void> {
  if (name !== undefined) await findOwner(owners, name);
  const found = await all('listPortalLinks', { merchant: name });
  const lines = found.map(({ id, owner, environment, state, allowsRotation, madeBy, expiresAt, lastUsedAt }) =>
    [
      id,
      owner,
      environment,
      `${state}, expires ${expiresAt}`,
      `created by ${madeBy}`,
      lastUsedAt ? `last used ${lastUsedAt}` : 'never used',
      ...(allowsRotation ? ['allows changes'] : []),
    ].join('  '),
  );
  printResult(shell, printed, found, lines.length > 0 ? lines : 'There is no link.');
}
