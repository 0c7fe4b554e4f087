import { confirmAction } from '../confirm.ts';
import { defineCommand, UsageError } from '../command.ts';
import { json, printResult } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { questionOfNewMerchant } from '../owner-id.ts';
import { withDatabase } from '../with-database.ts';

export const ownersCreate = defineCommand({
  options: {
    email: { type: 'string', value: '<address>', help: 'address for notices' },
    currency: { type: 'string', value: '<code>', help: 'currency of totals (default: the currency of the config)' },
    'notify-url': { type: 'string', value: '<address>', help: 'default address of live notifications' },
    'test-notify-url': { type: 'string', value: '<address>', help: 'default address of test notifications' },
    yes: { type: 'boolean', help: 'create the merchant although its name is close to the name of another' },
    json,
  },
  notes: ['"paywright keys create" creates a key for the merchant, and "paywright owners set" changes its settings.'],
  async run({ values, operands: [name = ''], shell }) {
    const { email, currency, 'notify-url': notifyUrl, 'test-notify-url': testNotifyUrl } = values;
    const settings = { email, reportingCurrency: currency, notifyUrl, testNotifyUrl };
    const made = await withDatabase(shell, async ({ merchants, owners }) => {
      if (await owners.find(name)) throw new UsageError(`There is already a merchant "${name}".`);
      const question = await questionOfNewMerchant(merchants, name);
      if (question !== undefined && !(await confirmAction(shell, question, values))) return undefined;
      return merchants.create(operatorOf(shell), { name, allowsNearName: true, ...settings });
    });
    if (!made) return 1;
    for (const warning of made.warnings) shell.stderr(warning);
    const { owner } = made;
    printResult(shell, values, owner, `Merchant created: ${owner.name} (${owner.id})`);
    return 0;
  },
});
