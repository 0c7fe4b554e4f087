/** What operators do to the keys of merchants. */
import { toEnvironment, type CreatedKey, type KeyEnvironment, type NewKey } from '../../engine/access/index.ts';
import { invalidField } from '../../base/errors.ts';
import { readTime } from '../../html/dashboard/query.ts';
import type { ConsoleAction, OneTimeResult } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import { environments, merchantName, toMerchant } from './merchants.ts';
import type { FormValues } from '../kit/form-values.ts';

export const keyActions: readonly ConsoleAction[] = [
  {
    path: '/ops/keys/:id/limit',
    section: 'merchants',
    role: 'admin',
    effect: async (deps, id, values) => {
      const { limit } = await deps.keys.get(id);
      return (
        `This lets ${await keyName(deps, id)} make ${limitOf(values)} requests a minute, instead of ${limit}: ` +
        'what comes beyond is refused.'
      );
    },
    run: async ({ access }, by, id, values) => access.limitKey(by, id, limitOf(values)),
    back: toOwner,
  },
  {
    path: '/ops/keys/:id/revoke',
    section: 'merchants',
    role: 'admin',
    effect: async (deps, id) => `This ends ${await keyName(deps, id)} within 2 s: whoever calls with it is refused.`,
    run: async ({ access }, by, id) => access.revokeKey(by, id),
    back: toOwner,
  },
  {
    path: '/ops/keys/:id/rotate',
    section: 'merchants',
    role: 'admin',
    effect: async (deps, id) =>
      `This makes a new key with the settings of ${await keyName(deps, id)}, which itself ends in 24 hours.`,
    run: async ({ access, keys }, by, id) => {
      const { environment } = await keys.get(id);
      const made = await access.rotateKey(by, id);
      const end = ['The old one ends at', made.previousValidUntil.toISOString()] as const;
      return { title: `New key ${made.keyId}`, lines: [...keyLines(made, environment), end] };
    },
    back: toOwner,
  },
  {
    path: '/ops/merchants/:id/keys',
    section: 'merchants',
    role: 'admin',
    effect: async (deps, id, values) => {
      const { owner, environment, scopes, limit, expiresAt } = await newKeyOf(deps, id, values);
      const may = scopes ? scopes.join(', ') : 'all but admin';
      return (
        `This makes a ${environment} key of ${owner}, by which whoever has it ` +
        `${environment === 'production' ? 'moves real money' : 'makes test payments'}. Scopes: ${may}; ` +
        `requests a minute: ${limit ?? 'as config says'}; it ends ${expiresAt ? `at ${expiresAt.toISOString()}` : 'when somebody ends it'}.`
      );
    },
    run: async (deps, by, id, values) => {
      const input = await newKeyOf(deps, id, values);
      const made = await deps.access.createKey(by, input);
      return { title: `New key ${made.keyId}`, lines: keyLines(made, input.environment) };
    },
    back: toMerchant,
  },
];

export function environmentOf({ environment }: FormValues): KeyEnvironment {
  const found = environments.find((one) => one === environment);
  if (!found) throw invalidField('environment', environment, `must be ${environments.join(' or ')}`);
  return found;
}

async function toOwner({ keys }: ConsoleDeps, keyId: string): Promise<string> {
  return `/ops/merchants/${(await keys.get(keyId)).ownerId}`;
}

/** With whose it is. */
async function keyName({ keys }: ConsoleDeps, id: string): Promise<string> {
  const { ownerName, environment } = await keys.get(id);
  return `the key ${id} of ${ownerName} (${environment})`;
}

function limitOf({ limit = '' }: FormValues): number {
  if (!/^\d{1,9}$/.test(limit)) throw invalidField('limit', limit, 'must be a whole number');
  return Number(limit);
}

/** What was left empty is as the command makes it. */
async function newKeyOf(deps: ConsoleDeps, id: string, values: FormValues): Promise<NewKey> {
  const { scopes = '', limit = '', expires = '' } = values;
  const expiresAt = readTime(expires === '' ? undefined : expires);
  if (expiresAt === null) throw invalidField('expires', expires, 'must be like 2026-01-31T12:00');
  return {
    owner: await merchantName(deps, id),
    environment: environmentOf(values),
    ...(scopes !== '' && { scopes: scopes.split(',').map((scope) => scope.trim()) }),
    ...(limit !== '' && { limit: limitOf(values) }),
    ...(expiresAt && { expiresAt }),
  };
}

function keyLines({ key, webhookSecret }: CreatedKey, environment: KeyEnvironment): OneTimeResult['lines'] {
  return [
    ['Key, shown only now', key],
    [`Webhook secret of the merchant, ${toEnvironment(environment)} events`, webhookSecret],
  ];
}
