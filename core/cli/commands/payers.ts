import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toEnvironment } from '../../engine/access/index.ts';
import { createErasure, type Counts } from '../../erasure/index.ts';
import { StartError } from '../../../workers/supervisor/start-error.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand, readKeyEnvironment, required, UsageError } from '../command.ts';
import { mayDo, yes } from '../confirm.ts';
import { json } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { idOfOwner } from '../owner-id.ts';

export const payersErase = defineCommand({
  options: {
    email: { type: 'string', value: '<address>', help: 'of the payer; required' },
    owner: { type: 'string', value: '<name>', help: 'only what this merchant has of the payer' },
    env: { type: 'string', value: 'sandbox|production', help: 'only test payments or only live ones' },
    export: {
      type: 'string',
      value: '<file>',
      help: 'where a copy of all that is known goes first, as JSON; a new file',
    },
    'without-export': { type: 'boolean', help: 'keep no copy' },
    reason: { type: 'string', value: '<text>', help: 'why, for the audit' },
    yes,
    json,
  },
  notes: [
    'Amounts, times and ids stay, who it was goes: name, e-mail, address, phone, notes, last digits of the card, device, and',
    'what providers and merchants were told of it. A payment that is under way is refused. Nobody can take it back.',
    'The audit names the payer by a fingerprint; what reasons in earlier acts say of a payer stays. Backups, providers and',
    'merchants have copies of their own. With --owner or --env, callbacks that name no payment are left: nobody knows whose they',
    'are.',
  ],
  async run({ values, shell }) {
    const email = readEmail(required(values.email, 'email'));
    if ((values.export === undefined) !== (values['without-export'] === true))
      throw new UsageError('Either --export <file> or --without-export is needed: what is erased cannot be had again.');
    const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
    return withDatabase(shell, async ({ connection, owners, encrypter, audit }) => {
      const ownerId = values.owner === undefined ? undefined : await idOfOwner(owners, values.owner);
      const payer = { email, ...(ownerId !== undefined && { ownerId }), ...(environment && { environment }) };
      const erasure = createErasure({ connection, encrypter, audit, progress: shell.stderr });
      const { payerId, counts, refusals } = await erasure.plan(payer);
      if (Object.values(counts).every((count) => count === 0)) throw new Error('Nobody is known by this e-mail.');
      if (refusals.length > 0)
        throw new StartError([...refusals, 'Nothing was erased: what is under way still needs to know who it is.']);
      if (!(await mayDo(shell, `This erases who paid from ${countsText(counts)}, for good.`, values))) return 1;
      const { export: file } = values;
      const keep = async (copy: unknown): Promise<void> => {
        if (file === undefined) return;
        await writeCopy(resolve(file), { payer, at: new Date(), ...Object(copy) });
        shell.stderr(`A copy of all that is known is in ${resolve(file)}.`);
      };
      const erased = await erasure.erase(operatorOf(shell), payer, { reason: values.reason, keep });
      if (values.json) shell.print(JSON.stringify({ payerId, ...erased }));
      else shell.print(`Erased from ${countsText(erased)}. paywright audit list --subject payer:${payerId} shows it.`);
      return 0;
    });
  },
});

/** Never over another copy: that of an erasure that was interrupted has what is gone already. */
async function writeCopy(file: string, copy: object): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(copy, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST'
        ? 'is there already, and is not written over: name another file'
        : `cannot be written: ${message}`;
    throw new Error(`${file} ${why}. Nothing was erased.`, { cause: error });
  }
}

function readEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new UsageError('--email must be a mail address.');
  return text;
}

function countsText({ clients, payments, notifications, callbacks }: Counts): string {
  const counted = [
    [clients, 'client'],
    [payments, 'payment'],
    [notifications, 'notification'],
    [callbacks, 'callback'],
  ] as const;
  return counted.map(([count, what]) => `${count} ${what}${count === 1 ? '' : 's'}`).join(', ');
}
