import { defineCommand } from '../command.ts';
import { withDatabase } from '../with-database.ts';

export const ownersList = defineCommand({
  options: { json: { type: 'boolean', help: 'print a JSON list' } },
  async run({ values, shell }) {
    const found = await withDatabase(shell, async ({ owners, keys }) => {
      const all = await keys.list();
      return (await owners.list()).map((owner) => {
        const active = all.filter(({ ownerId, state }) => ownerId === owner.id && state === 'active');
        return { ...owner, activeKeys: active.length };
      });
    });
    if (values.json) shell.print(JSON.stringify(found));
    else {
      for (const { id, name, notifyUrls, email, reportingCurrency, activeKeys, createdAt } of found) {
        const parts = [
          `${activeKeys} active ${activeKeys === 1 ? 'key' : 'keys'}`,
          `notify-url ${notifyUrls.live ?? 'none'}`,
          `test-notify-url ${notifyUrls.test ?? 'none'}`,
          `email ${email ?? 'none'}`,
          `currency ${reportingCurrency ?? "config's"}`,
        ];
        shell.print(`${id}  ${name}  since ${createdAt.toISOString()}: ${parts.join(', ')}`);
      }
      if (found.length === 0) shell.print('There is no owner: "paywright keys create" creates one.');
    }
    return 0;
  },
});
