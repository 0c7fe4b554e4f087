import { confirmAction } from '../confirm.ts';
import { defineCommand, UsageError } from '../command.ts';
import { json, printResult } from '../json.ts';
import { url, withManagement } from '../management.ts';
import { questionOfNewMerchant } from '../owner-id.ts';

export const ownersCreate = defineCommand({
  options: {
    email: { type: 'string', value: '<address>', help: 'address for notices' },
    currency: { type: 'string', value: '<code>', help: 'currency of totals (default: the currency of the config)' },
    'notify-url': { type: 'string', value: '<address>', help: 'default address of live notifications' },
    'test-notify-url': { type: 'string', value: '<address>', help: 'default address of test notifications' },
    yes: { type: 'boolean', help: 'create the merchant although its name is close to the name of another' },
    url,
    json,
  },
  notes: ['"paywright keys create" creates a key for the merchant, and "paywright owners set" changes its settings.'],
  async run({ values, operands: [name = ''], shell }) {
    const { email, currency, 'notify-url': notifyUrl, 'test-notify-url': testNotifyUrl } = values;
    const settings = { email, reportingCurrency: currency, notifyUrl, testNotifyUrl };
    const made = await withManagement(shell, values, async ({ call, owners }) => {
      if (await owners.find(name)) throw new UsageError(`There is already a merchant "${name}".`);
      const question = await questionOfNewMerchant(owners, name);
      if (question !== undefined && !(await confirmAction(shell, question, values))) return undefined;
      return call('createMerchant', { name, allowsNearName: true, ...settings });
    });
    if (!made) return 1;
    const { warnings, isNew: _, ...owner } = made;
    for (const warning of warnings) shell.stderr(warning);
    printResult(shell, values, owner, `Merchant created: ${owner.name} (${owner.id})`);
    return 0;
  },
});
