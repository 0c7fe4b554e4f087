import { listEndpoints } from '../../engine/notifications/index.ts';
import { withDatabase, type Access } from '../with-database.ts';
import { json, printProblems, printResult } from '../json.ts';
import { findOwner } from '../owner-id.ts';
import { operatorOf } from '../operator.ts';
import { defineCommand, readKeyEnvironment, UsageError } from '../command.ts';
import type { Owner } from '../../engine/access/index.ts';

const env = { type: 'string', value: '<environment>', help: 'sandbox (default) or production' } as const;
const limitMs = 60_000;

async function ownerOf({ owners }: Pick<Access, 'owners'>, name = ''): Promise<Owner> {
  return findOwner(owners, name);
}

function environmentOf(text: string | undefined): 'test' | 'live' {
  return readKeyEnvironment(text) === 'sandbox' ? 'test' : 'live';
}

export const endpointsList = defineCommand({
  options: { owner: { type: 'string', value: '<name>', help: 'only endpoints of this merchant' }, json },
  async run({ values, shell }) {
    const found = await withDatabase(shell, async (access) => {
      const only = values.owner === undefined ? undefined : (await ownerOf(access, values.owner)).id;
      const names = new Map((await access.owners.list()).map(({ id, name }) => [id, name]));
      const endpoints = await listEndpoints(access.connection, only);
      return endpoints.map((endpoint) => ({ ...endpoint, owner: names.get(endpoint.ownerId) ?? '' }));
    });
    if (values.json) shell.print(JSON.stringify(found));
    else if (found.length === 0) shell.print('No endpoint is failing.');
    for (const { owner, environment, origin, failingSince, disabledAt } of values.json ? [] : found) {
      const state = disabledAt ? `disabled since ${disabledAt.toISOString()}` : 'still retried';
      shell.print(`${owner}  ${environment}  ${origin}  failing since ${failingSince.toISOString()}  ${state}`);
    }
    return 0;
  },
});

const reason = { type: 'string', value: '<text>', help: 'the reason, for the audit log' } as const;

export const endpointsEnable = defineCommand({
  options: { env, reason, json },
  async run({ values, operands: [name, origin = ''], shell }) {
    const environment = environmentOf(values.env);
    return withDatabase(shell, async (access) => {
      const owner = await ownerOf(access, name);
      const failing = await listEndpoints(access.connection, owner.id);
      if (!failing.some((one) => one.environment === environment && one.origin === origin))
        throw new UsageError(
          `${origin} is not failing for ${name}: "paywright endpoints list" lists the failing endpoints.`,
        );
      const endpoint = { owner, environment, origin };
      const sentAgain = (await access.merchants.enable(operatorOf(shell), endpoint, values.reason)) ?? 0;
      const words = `${origin} is enabled; ${sentAgain} kept notifications are sent again.`;
      printResult(shell, values, { origin, environment, sentAgain }, words);
      return 0;
    });
  },
});

export const endpointsDisable = defineCommand({
  options: { env, reason, json },
  notes: ['Within 30 s, only test events are sent there. Other notifications are kept for "endpoints enable".'],
  async run({ values, operands: [name, given = ''], shell }) {
    const environment = environmentOf(values.env);
    const origin = URL.canParse(given) ? new URL(given).origin : '';
    if (origin !== given)
      throw new UsageError('<origin> must be an origin such as https://shop.example, without a path.');
    return withDatabase(shell, async (access) => {
      const endpoint = { owner: await ownerOf(access, name), environment, origin };
      const isDone = await access.merchants.disable(operatorOf(shell), endpoint, values.reason);
      const words = isDone
        ? `${origin} is disabled: no notifications are sent to it.`
        : `${origin} was already disabled.`;
      printResult(shell, values, { origin, environment, isDone }, words);
      return isDone ? 0 : 1;
    });
  },
});

export const endpointsTest = defineCommand({
  options: { env, json },
  notes: [
    'Without an address, the default address of the merchant is tested. The workers of a running service send the event.',
    'The command waits up to a minute for the answer.',
  ],
  async run({ values, operands: [name, address], shell }) {
    const environment = environmentOf(values.env);
    return withDatabase(shell, async (access) => {
      const owner = await ownerOf(access, name);
      const url = address ?? owner.notifyUrls[environment];
      if (url === null) {
        const option = environment === 'test' ? '--test-notify-url' : '--notify-url';
        throw new UsageError(
          `${name} has no default address for ${environment} events: set it with "paywright owners set" ${option}, or name an address.`,
        );
      }
      if (!URL.canParse(url)) throw new UsageError('[address] must be an address such as https://shop.example/hook.');
      const target = { owner, environment, url };
      const { isDelivered, attempt } = await access.merchants.test(operatorOf(shell), target, limitMs);
      if (!attempt) {
        printProblems(shell, values, [
          'No worker has sent the event yet: it is due, and is sent when the service runs.',
        ]);
        return 1;
      }
      const words = `${url} answered ${attempt.status ?? attempt.error ?? 'nothing'} in ${attempt.ms ?? '?'} ms.`;
      printResult(shell, values, { url, isDelivered, attempt }, words);
      return isDelivered ? 0 : 1;
    });
  },
});
