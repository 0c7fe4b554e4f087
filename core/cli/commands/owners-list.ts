import { defineCommand } from '../command.ts';
import { url, withManagement } from '../management.ts';

export const ownersList = defineCommand({
  options: { url, json: { type: 'boolean', help: 'print a JSON list' } },
  async run({ values, shell }) {
    const found = await withManagement(shell, values, async ({ all }) => all('listMerchants', {}));
    if (values.json) shell.print(JSON.stringify(found));
    else {
      for (const one of found) {
        const { id, name, notifyUrls, email, reportingCurrency, activeKeys, lastPaymentAt, createdAt } = one;
        const parts = [
          `${activeKeys} active ${activeKeys === 1 ? 'key' : 'keys'}`,
          lastPaymentAt ? `last payment ${lastPaymentAt}` : 'no payments',
          ...(one.failingEndpoints > 0 ? [`${one.failingEndpoints} failing endpoints`] : []),
          ...(one.disabledEndpoints > 0 ? [`${one.disabledEndpoints} disabled endpoints`] : []),
          `notify-url ${notifyUrls.live ?? 'none'}`,
          `test-notify-url ${notifyUrls.test ?? 'none'}`,
          `email ${email ?? 'none'}`,
          `currency ${reportingCurrency ?? 'default'}`,
        ];
        shell.print(`${id}  ${name}  since ${createdAt}: ${parts.join(', ')}`);
      }
      if (found.length === 0) shell.print('There is no merchant: "paywright owners create" creates one.');
    }
    return 0;
  },
});
