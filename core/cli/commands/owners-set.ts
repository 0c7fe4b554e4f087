import { isCurrency } from '@gateway/contract';
import { createGuard } from '../../notifications/guard.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, UsageError } from '../command.ts';
import { operatorOf } from '../operator.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';

export const ownersSet = defineCommand({
  options: {
    'notify-url': {
      type: 'string',
      value: '<address>',
      help: 'where live notifications go when a payment does not say',
    },
    'test-notify-url': { type: 'string', value: '<address>', help: 'the same for test notifications' },
    email: { type: 'string', value: '<address>', help: 'where notices go' },
    currency: { type: 'string', value: '<code>', help: "of totals, else config's" },
    types: {
      type: 'string',
      value: '<types>',
      help: 'of payments, those to be notified of, with commas between; else all',
    },
    json,
  },
  notes: ["An empty text takes it away: --email ''"],
  async run({ values, operands: [name = ''], shell }) {
    const { 'notify-url': notifyUrl, 'test-notify-url': testNotifyUrl, email, currency, types } = values;
    if ([notifyUrl, testNotifyUrl, email, currency, types].every((value) => value === undefined)) {
      throw new UsageError('Nothing to set: give --notify-url, --test-notify-url, --email, --currency or --types.');
    }
    const orNull = (value: string | undefined): string | null | undefined => (value === '' ? null : value);
    const defaults = {
      notifyUrl: orNull(notifyUrl),
      testNotifyUrl: orNull(testNotifyUrl),
      email: orNull(email),
      reportingCurrency: orNull(currency),
      notificationTypes: orNull(types)?.split(',') ?? (types === '' ? null : undefined),
    };
    const owner = await withDatabase(shell, async ({ acts, loaded }) => {
      const { reportingCurrency, exchangeRates } = loaded.config.payments;
      // Without a rate every other currency would count as nothing.
      const isKnown = currency !== undefined && isCurrency(currency);
      if (isKnown && currency !== reportingCurrency && exchangeRates[currency] === undefined) {
        throw new Error(`config has no rate for ${currency}: set payments.exchangeRates.${currency}`);
      }
      const guard = createGuard(loaded.config.notifications);
      for (const url of [notifyUrl, testNotifyUrl]) {
        const refusal = url ? guard.refusalOf(url) : undefined;
        if (refusal !== undefined) shell.stderr(`Notifications will not be sent to ${url}: ${refusal}.`);
      }
      return acts.setOwner(operatorOf(shell), name, defaults);
    });
    const settings = [
      `notify-url ${owner.notifyUrls.live ?? 'none'}`,
      `test-notify-url ${owner.notifyUrls.test ?? 'none'}`,
      `email ${owner.email ?? 'none'}`,
      `currency ${owner.reportingCurrency ?? "config's"}`,
      `types ${owner.notificationTypes?.join(', ') ?? 'all'}`,
    ];
    printResult(shell, values, owner, `${owner.name} (${owner.id}): ${settings.join(', ')}`);
    return 0;
  },
});
