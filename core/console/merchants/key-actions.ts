/** Actions of operators on the keys of merchants. */
import { toEnvironment, type CreatedKey, type KeyEnvironment, type NewKey } from '../../engine/access/index.ts';
import { invalidField } from '../../base/errors.ts';
import { readTime } from '../../html/components/query.ts';
import type { OneTimeResult } from '../../http/submit-once.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import { environments, merchantName, toMerchant } from './merchants.ts';
import type { FormValues } from '../kit/form-values.ts';

export const keyActions: readonly ConsoleAction[] = [
  {
    path: '/ops/keys/:id/limit',
    section: 'merchants',
    role: 'admin',
    label: 'Limiting',
    done: 'Rate limit changed.',
    effect: async (deps, id, values) => {
      const { limit } = await deps.keys.get(id);
      return {
        title: `Limit the key to ${limitOf(values)} requests per minute?`,
        text:
          `This limits ${await keyName(deps, id)} to ${limitOf(values)} requests per minute, instead of ${limit}. ` +
          'Requests beyond the limit are refused.',
        label: 'Limit',
        isDangerous: false,
      };
    },
    run: async ({ merchants }, by, id, values) => merchants.limitKey(by, id, limitOf(values)),
    back: toOwner,
  },
  {
    path: '/ops/keys/:id/revoke',
    section: 'merchants',
    role: 'admin',
    label: 'Revoking',
    done: 'Key revoked. Requests with it are refused within 2 s.',
    effect: async (deps, id) => ({
      title: `Revoke ${id}?`,
      text: `This revokes ${await keyName(deps, id)} within 2 s. Requests with it are then refused.`,
      label: 'Revoke key',
    }),
    run: async ({ merchants }, by, id) => merchants.revokeKey(by, id),
    back: toOwner,
  },
  {
    path: '/ops/keys/:id/rotate',
    section: 'merchants',
    role: 'admin',
    label: 'Rotating',
    effect: async (deps, id) => ({
      title: `Rotate ${id}?`,
      text: `This creates a new key with the settings of ${await keyName(deps, id)}. The old key expires in 24 hours.`,
      label: 'Rotate key',
    }),
    run: async ({ merchants, keys }, by, id) => {
      const { environment } = await keys.get(id);
      const made = await merchants.rotateKey(by, id);
      const end = ['Old key valid until', made.previousValidUntil.toISOString()] as const;
      return { title: `New key ${made.keyId}`, lines: [...keyLines(made, environment), end] };
    },
    back: toOwner,
  },
  {
    path: '/ops/merchants/:id/keys',
    section: 'merchants',
    role: 'admin',
    label: 'Creating a key',
    effect: async (deps, id, values) => {
      const { owner, environment, scopes, limit, expiresAt } = await newKeyOf(deps, id, values);
      const allowed = scopes ? scopes.join(', ') : 'all except admin';
      return {
        title: `Create a ${environment} key of ${owner}?`,
        text:
          `This creates a ${environment} key of ${owner}. Anyone who has it can ` +
          `${environment === 'production' ? 'move real money' : 'make test payments'}. Scopes: ${allowed}; ` +
          `requests per minute: ${limit ?? 'the default from config'}; ` +
          `expiry: ${expiresAt ? expiresAt.toISOString() : 'none'}.`,
        label: 'Create key',
        isDangerous: environment === 'production',
      };
    },
    run: async (deps, by, id, values) => {
      const input = await newKeyOf(deps, id, values);
      const made = await deps.merchants.createKey(by, input);
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

/** Names the key together with its merchant. */
async function keyName({ keys }: ConsoleDeps, id: string): Promise<string> {
  const { ownerName, environment } = await keys.get(id);
  return `the key ${id} of ${ownerName} (${environment})`;
}

function limitOf({ limit = '' }: FormValues): number {
  if (!/^\d{1,9}$/.test(limit)) throw invalidField('limit', limit, 'must be a whole number');
  return Number(limit);
}

/** An empty field gets the same default as in the command. */
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
    ['Key (shown only once)', key],
    [`Webhook secret of the merchant for ${toEnvironment(environment)} events`, webhookSecret],
  ];
}
