import { setTimeout as sleep } from 'node:timers/promises';
import { notificationModel } from '../../documents/notification.ts';
import { enableEndpoint, endpointId, listEndpoints, newTestEvent } from '../../notifications/index.ts';
import { withDatabase, type Access } from '../../../workers/supervisor/with-database.ts';
import { defineCommand, readKeyEnvironment, UsageError, type Shell } from '../command.ts';
import type { Owner } from '../../access/index.ts';

const json = { type: 'boolean', help: 'print JSON' } as const;
const env = { type: 'string', value: '<environment>', help: 'sandbox (default) or production' } as const;
const limitMs = 60_000;
const pollMs = 200;

async function ownerOf({ owners }: Pick<Access, 'owners'>, name: string | undefined): Promise<Owner> {
  const owner = await owners.find(name ?? '');
  if (!owner) throw new UsageError(`There is no owner ${name}: gateway keys list shows them.`);
  return owner;
}

function environmentOf(text: string | undefined): 'test' | 'live' {
  return readKeyEnvironment(text) === 'sandbox' ? 'test' : 'live';
}

export const endpointsList = defineCommand({
  options: { owner: { type: 'string', value: '<name>', help: 'only those of this merchant' }, json },
  async run({ values, shell }) {
    const found = await withDatabase(shell, async (access) => {
      const only = values.owner === undefined ? undefined : (await ownerOf(access, values.owner)).id;
      const names = new Map((await access.owners.list()).map(({ id, name }) => [id, name]));
      const endpoints = await listEndpoints(access.connection, only);
      return endpoints.map((endpoint) => ({ ...endpoint, owner: names.get(endpoint.ownerId) ?? '' }));
    });
    if (values.json) shell.print(JSON.stringify(found));
    else if (found.length === 0) shell.print('No address fails.');
    for (const { owner, environment, origin, failingSince, disabledAt } of values.json ? [] : found) {
      const state = disabledAt ? `disabled since ${disabledAt.toISOString()}` : 'tried still';
      shell.print(`${owner}  ${environment}  ${origin}  failing since ${failingSince.toISOString()}  ${state}`);
    }
    return 0;
  },
});

export const endpointsEnable = defineCommand({
  options: { env },
  async run({ values, operands: [name, origin = ''], shell }) {
    const environment = environmentOf(values.env);
    const count = await withDatabase(shell, async (access) => {
      const { id } = await ownerOf(access, name);
      return enableEndpoint(access.connection, endpointId(id, environment, origin));
    });
    if (count < 0)
      throw new UsageError(`Nothing fails at ${origin} for ${name}: gateway endpoints list shows what does.`);
    shell.print(`${origin} is enabled; ${count} notifications that were kept are sent again.`);
    return 0;
  },
});

export const endpointsTest = defineCommand({
  options: { env },
  notes: ['The workers of a running service send it; the command waits up to a minute for the answer.'],
  async run({ values, operands: [name], shell }) {
    const environment = environmentOf(values.env);
    return withDatabase(shell, async (access) => {
      const owner = await ownerOf(access, name);
      const url = owner.notifyUrls[environment];
      if (url === null) {
        const option = environment === 'test' ? '--test-notify-url' : '--notify-url';
        throw new UsageError(`${name} has no default address for ${environment} events: gateway owners set ${option}.`);
      }
      return sendTest(access, newTestEvent(owner.id, environment, url, new Date()), shell);
    });
  },
});

async function sendTest({ connection }: Access, row: ReturnType<typeof newTestEvent>, shell: Shell): Promise<number> {
  const model = notificationModel(connection);
  await model.create(row);
  for (const end = Date.now() + limitMs; Date.now() < end; await sleep(pollMs)) {
    const attempt = (await model.findById(row._id).lean())?.attempts.at(-1);
    if (!attempt) continue;
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    shell.print(`${row.url} answered ${attempt.status ?? attempt.error ?? 'nothing'} in ${attempt.ms ?? '?'} ms.`);
    return isDelivered ? 0 : 1;
  }
  shell.stderr('No worker has sent it yet: it is due, and is sent when the service runs.');
  return 1;
}
