import { defineCommand, UsageError } from '../command.ts';
import { withAccess } from '../with-access.ts';

export const ownersSet = defineCommand({
  name: 'owners set',
  summary: "Set an owner's default addresses",
  operands: ['<name>'],
  options: {
    'notify-url': { type: 'string', value: '<address>', help: 'where notifications go when a payment does not say' },
    email: { type: 'string', value: '<address>', help: 'where notices go' },
  },
  notes: ["An empty text takes an address away: --email ''"],
  async run({ values, operands: [name = ''], shell }) {
    const { 'notify-url': notifyUrl, email } = values;
    if (notifyUrl === undefined && email === undefined) {
      throw new UsageError('Nothing to set: give --notify-url or --email.');
    }
    const defaults = { notifyUrl: notifyUrl === '' ? null : notifyUrl, email: email === '' ? null : email };
    const owner = await withAccess(shell, async ({ owners }) => owners.setDefaults(name, defaults));
    shell.print(`${owner.name} (${owner.id}): notify-url ${owner.notifyUrl ?? 'none'}, email ${owner.email ?? 'none'}`);
    return 0;
  },
});
