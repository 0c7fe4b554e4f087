import { confirmAction, yes } from '../confirm.ts';
import { defineCommand } from '../command.ts';
import { json, printResult } from '../json.ts';
import { url, withManagement } from '../management.ts';
import { findOwner } from '../owner-id.ts';

export const ownersRemove = defineCommand({
  options: { yes, url, json },
  notes: [
    'Only a merchant without payments can be removed. Its API keys and portal links are revoked. A new key for the same name',
    'restores the merchant with its settings.',
  ],
  async run({ values, operands: [name = ''], shell }) {
    return withManagement(shell, values, async ({ call, all, owners }) => {
      const { id } = await findOwner(owners, name);
      const active = (await all('listKeys', { merchant: name })).filter(({ state }) => state === 'active').length;
      const effect = `This removes the merchant "${name}" (${id}) and revokes its ${active} active API ${active === 1 ? 'key' : 'keys'}.`;
      if (!(await confirmAction(shell, effect, values))) return 1;
      await call('removeMerchant', { merchant: name });
      printResult(shell, values, { id, name }, `Removed: ${name} (${id})`);
      return 0;
    });
  },
});
