import { readFile } from 'node:fs/promises';
import type { Brand } from '../../engine/access/index.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, UsageError } from '../command.ts';
import { url, withManagement } from '../management.ts';
import { guessOwner } from '../owner-id.ts';

export const ownersSet = defineCommand({
  options: {
    'notify-url': {
      type: 'string',
      value: '<address>',
      help: 'default address of live notifications, if a payment has none',
    },
    'test-notify-url': { type: 'string', value: '<address>', help: 'default address of test notifications' },
    email: { type: 'string', value: '<address>', help: 'address for notices' },
    currency: { type: 'string', value: '<code>', help: 'currency of totals (default: the currency of the config)' },
    types: {
      type: 'string',
      value: '<types>',
      help: 'the payment notification types to send, separated by commas (default: all)',
    },
    'display-name': { type: 'string', value: '<name>', help: "the name that payers see (default: the owner's name)" },
    logo: {
      type: 'string',
      value: '<file>',
      help: 'the logo that payers see: PNG, JPEG or WebP, at most 64 kB and 2000 × 2000 pixels',
    },
    colour: {
      type: 'string',
      value: '<#rrggbb>',
      help: 'colour of the payment page and mails; white text must be readable on it',
    },
    support: { type: 'string', value: '<address>', help: 'where payers find help: an e-mail or https address' },
    terms: { type: 'string', value: '<address>', help: 'https address of the terms that payers agree to' },
    'own-accounts-only': {
      type: 'boolean',
      help: 'use only the accounts of providers that are assigned to the merchant',
    },
    'all-accounts': { type: 'boolean', help: 'undo --own-accounts-only: also use accounts that serve everybody' },
    url,
    json,
  },
  notes: ["An empty text removes a setting: --email ''"],
  async run({ values, operands: [name = ''], shell }) {
    const { 'notify-url': notifyUrl, 'test-notify-url': testNotifyUrl, email, currency, types } = values;
    const { 'display-name': displayName, logo, colour, support, terms } = values;
    const { json: _, url: __, ...settable } = values;
    if (Object.values(settable).every((value) => value === undefined)) {
      throw new UsageError('Nothing to set: "paywright owners set --help" lists the settings.');
    }
    if (values['own-accounts-only'] && values['all-accounts'])
      throw new UsageError('--own-accounts-only and --all-accounts exclude each other.');
    const orNull = (value: string | undefined): string | null | undefined => (value === '' ? null : value);
    const defaults = {
      notifyUrl: orNull(notifyUrl),
      testNotifyUrl: orNull(testNotifyUrl),
      email: orNull(email),
      reportingCurrency: orNull(currency),
      notificationTypes: orNull(types)?.split(',') ?? (types === '' ? null : undefined),
      displayName: orNull(displayName),
      logo: logo ? await readLogo(logo) : logo === '' ? null : undefined,
      colour: orNull(colour),
      support: orNull(support),
      terms: orNull(terms),
      ownAccountsOnly: values['own-accounts-only'] ? (true as const) : values['all-accounts'] ? null : undefined,
    };
    const changed = await withManagement(shell, values, async ({ call, owners }) => {
      await guessOwner(owners, name);
      return call('changeMerchant', { merchant: name, ...defaults });
    });
    const { warnings, isNew: ___, ...owner } = changed;
    for (const warning of warnings) shell.stderr(warning);
    const settings = [
      `notify-url ${owner.notifyUrls.live ?? 'none'}`,
      `test-notify-url ${owner.notifyUrls.test ?? 'none'}`,
      `email ${owner.email ?? 'none'}`,
      `currency ${owner.reportingCurrency ?? "config's"}`,
      `types ${owner.notificationTypes?.join(', ') ?? 'all'}`,
      ...(owner.ownAccountsOnly ? ['own accounts only'] : []),
    ];
    const look = describeBrand(owner.brand);
    const seen = look.length > 0 ? [`payers see ${look.join(', ')}`] : [];
    printResult(shell, values, owner, [`${owner.name} (${owner.id}): ${settings.join(', ')}`, ...seen]);
    return 0;
  },
});

/** Throws an Error if the file cannot be read. The content is checked later. */
async function readLogo(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Error(`The logo ${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

function describeBrand({ displayName, logo, colour, support, terms }: Brand): string[] {
  const members = {
    'display-name': displayName,
    logo: logo && `${logo.type} ${logo.hash}`,
    colour,
    support,
    terms,
  };
  return Object.entries(members).flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]));
}
