import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { toEnvironment } from '../../engine/access/index.ts';
import { createErasure, type Counts } from '../../erasure/index.ts';
import { StartError } from '../../../workers/supervisor/start-error.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand, readKeyEnvironment, required, UsageError } from '../command.ts';
import { confirmAction, yes } from '../confirm.ts';
import { json } from '../json.ts';
import { operatorOf } from '../operator.ts';
import { idOfOwner } from '../owner-id.ts';

export const payersErase = defineCommand({
  options: {
    email: { type: 'string', value: '<address>', help: 'the e-mail address of the payer; required' },
    owner: { type: 'string', value: '<name>', help: 'only the data of this merchant about the payer' },
    env: {
      type: 'string',
      value: 'sandbox|production',
      help: 'only test (sandbox) or only live (production) payments',
    },
    export: {
      type: 'string',
      value: '<file>',
      help: 'first write a copy of all known data to this new file, as JSON',
    },
    'without-export': { type: 'boolean', help: 'write no copy' },
    reason: { type: 'string', value: '<text>', help: 'the reason, for the audit log' },
    yes,
    json,
  },
  notes: [
    'Erases name, e-mail, address, phone, notes, last digits of the card, device, and the same data in messages of providers',
    'and to merchants. Amounts, times and ids stay. Payments in progress are refused. The erasure cannot be undone.',
    'The audit log identifies the payer by a fingerprint. Reasons of earlier actions stay, even if they name a payer. Backups,',
    'providers and merchants have their own copies. With --owner or --env, callbacks without a payment are left unchanged,',
    'because their merchant and environment are unknown.',
  ],
  async run({ values, shell }) {
    const email = readEmail(required(values.email, 'email'));
    if ((values.export === undefined) !== (values['without-export'] === true))
      throw new UsageError('Use either --export <file> or --without-export: erased data cannot be restored.');
    const environment = values.env === undefined ? undefined : toEnvironment(readKeyEnvironment(values.env));
    return withDatabase(shell, async ({ connection, owners, encrypter, audit }) => {
      const ownerId = values.owner === undefined ? undefined : await idOfOwner(owners, values.owner);
      const payer = { email, ...(ownerId !== undefined && { ownerId }), ...(environment && { environment }) };
      const erasure = createErasure({ connection, encrypter, audit, progress: shell.stderr });
      const { payerId, counts, refusals } = await erasure.plan(payer);
      if (Object.values(counts).every((count) => count === 0))
        throw new Error('No payer is known with this e-mail address.');
      if (refusals.length > 0)
        throw new StartError([...refusals, 'Nothing was erased: work in progress still needs this data.']);
      if (
        !(await confirmAction(
          shell,
          `This permanently erases the personal data of the payer from ${countsText(counts)}.`,
          values,
        ))
      )
        return 1;
      const { export: file } = values;
      const keep = async (copy: unknown): Promise<void> => {
        if (file === undefined) return;
        await writeCopy(resolve(file), { payer, at: new Date(), ...Object(copy) });
        shell.stderr(`A copy of all known data is in ${resolve(file)}.`);
      };
      const erased = await erasure.erase(operatorOf(shell), payer, { reason: values.reason, keep });
      if (values.json) shell.print(JSON.stringify({ payerId, ...erased }));
      else
        shell.print(
          `Erased from ${countsText(erased)}. "paywright audit list --subject payer:${payerId}" shows the entry.`,
        );
      return 0;
    });
  },
});

/** Never overwrites another copy: the copy of an interrupted erasure contains data that is already erased. */
async function writeCopy(file: string, copy: object): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(copy, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const why =
      code === 'EEXIST' ? 'already exists and is not overwritten: name another file' : `cannot be written: ${message}`;
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
