import { url, withManagement } from '../management.ts';
import { json, printProblems, printResult } from '../json.ts';
import { findOwner } from '../owner-id.ts';
import { defineCommand, readKeyEnvironment, UsageError } from '../command.ts';

const env = { type: 'string', value: '<environment>', help: 'sandbox (default) or production' } as const;

function environmentOf(text: string | undefined): 'test' | 'live' {
  return readKeyEnvironment(text) === 'sandbox' ? 'test' : 'live';
}

export const endpointsList = defineCommand({
  options: { owner: { type: 'string', value: '<name>', help: 'only endpoints of this merchant' }, url, json },
  async run({ values, shell }) {
    const { owner: merchant } = values;
    const found = await withManagement(shell, values, async ({ all, owners }) => {
      if (merchant !== undefined) await findOwner(owners, merchant);
      return all('listEndpoints', { merchant });
    });
    if (values.json) shell.print(JSON.stringify(found));
    else if (found.length === 0) shell.print('No endpoint is failing.');
    for (const { owner, environment, origin, failingSince, disabledAt } of values.json ? [] : found) {
      const state = disabledAt ? `disabled since ${disabledAt}` : 'still retried';
      shell.print(`${owner}  ${environment}  ${origin}  failing since ${failingSince}  ${state}`);
    }
    return 0;
  },
});

const reason = { type: 'string', value: '<text>', help: 'the reason, for the audit log' } as const;

export const endpointsEnable = defineCommand({
  options: { env, reason, url, json },
  async run({ values, operands: [merchant = '', origin = ''], shell }) {
    const environment = environmentOf(values.env);
    return withManagement(shell, values, async ({ call, all, owners }) => {
      await findOwner(owners, merchant);
      const failing = await all('listEndpoints', { merchant });
      if (!failing.some((one) => one.environment === environment && one.origin === origin))
        throw new UsageError(
          `${origin} is not failing for ${merchant}: "paywright endpoints list" lists the failing endpoints.`,
        );
      const endpoint = { merchant, environment, origin, reason: values.reason };
      const { sentAgain } = await call('enableEndpoint', endpoint);
      const words = `${origin} is enabled; ${sentAgain} kept notifications are sent again.`;
      printResult(shell, values, { origin, environment, sentAgain }, words);
      return 0;
    });
  },
});

export const endpointsDisable = defineCommand({
  options: { env, reason, url, json },
  notes: ['Within 30 s, only test events are sent there. Other notifications are kept for "endpoints enable".'],
  async run({ values, operands: [merchant = '', given = ''], shell }) {
    const environment = environmentOf(values.env);
    const origin = URL.canParse(given) ? new URL(given).origin : '';
    if (origin !== given)
      throw new UsageError('<origin> must be an origin such as https://shop.example, without a path.');
    return withManagement(shell, values, async ({ call, owners }) => {
      await findOwner(owners, merchant);
      const endpoint = { merchant, environment, origin, reason: values.reason };
      const { isDone } = await call('disableEndpoint', endpoint);
      const words = isDone
        ? `${origin} is disabled: no notifications are sent to it.`
        : `${origin} was already disabled.`;
      printResult(shell, values, { origin, environment, isDone }, words);
      return isDone ? 0 : 1;
    });
  },
});

export const endpointsTest = defineCommand({
  options: { env, url, json },
  notes: [
    'Without an address, the default address of the merchant is tested. The workers of a running service send the event.',
    'The command waits up to a minute for the answer.',
  ],
  async run({ values, operands: [merchant = '', address], shell }) {
    const environment = environmentOf(values.env);
    return withManagement(shell, values, async ({ call, owners }) => {
      const { notifyUrls } = await findOwner(owners, merchant);
      const tested = address ?? notifyUrls[environment];
      if (tested === null) {
        const option = environment === 'test' ? '--test-notify-url' : '--notify-url';
        throw new UsageError(
          `${merchant} has no default address for ${environment} events: set it with "paywright owners set" ${option}, or name an address.`,
        );
      }
      if (!URL.canParse(tested))
        throw new UsageError('[address] must be an address such as https://shop.example/hook.');
      const { isDelivered, attempt } = await call('testEndpoint', { merchant, environment, url: tested });
      if (!attempt) {
        printProblems(shell, values, [
          'No worker has sent the event yet: it is due, and is sent when the service runs.',
        ]);
        return 1;
      }
      const words = `${tested} answered ${attempt.status ?? attempt.error ?? 'nothing'} in ${attempt.ms ?? '?'} ms.`;
      printResult(shell, values, { url: tested, isDelivered, attempt }, words);
      return isDelivered ? 0 : 1;
    });
  },
});
