/** Actions of operators on the keys of merchants. */
import {
  scopes as allScopes,
  toEnvironment,
  type CreatedKey,
  type KeyEnvironment,
  type NewKey,
  type Overlap,
} from '../../engine/access/index.ts';
import { invalidField } from '../../base/errors.ts';
import { readTime } from '../../html/components/query.ts';
import type { OneTimeResult } from '../../http/submit-once.ts';
import type { ConsoleAction } from '../kit/action.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { FormValues } from '../kit/form-values.ts';
import { scopeField } from './keys-section.ts';
import { environmentOf, merchantName, merchantPath, modeText } from './merchants.ts';

export const keyActions: readonly ConsoleAction[] = [
  {
    path: '/ops/keys/:id/limit',
    section: 'merchants',
    role: 'admin',
    label: 'Limit',
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
    back: toKeys,
  },
  {
    path: '/ops/keys/:id/revoke',
    section: 'merchants',
    role: 'admin',
    label: 'Revoke',
    done: 'Key revoked. Requests with it are refused within 2 s.',
    effect: async (deps, id) => ({
      title: `Revoke ${id}?`,
      text: `This revokes ${await keyName(deps, id)} within 2 s. Requests with it are then refused.`,
      label: 'Revoke key',
    }),
    run: async ({ merchants }, by, id) => merchants.revokeKey(by, id),
    back: toKeys,
  },
  {
    path: '/ops/keys/:id/rotate',
    section: 'merchants',
    role: 'admin',
    label: 'Rotate',
    effect: async (deps, id, values) => ({
      title: `Rotate ${id}?`,
      text: `This creates a new key with the settings of ${await keyName(deps, id)}. ${overlapText(values, 'key')}`,
      label: 'Rotate key',
    }),
    run: async ({ merchants, keys }, by, id, values) => {
      const { environment } = await keys.get(id);
      const made = await merchants.rotateKey(by, id, overlapOf(values));
      const end = ['Old key valid until', made.previousValidUntil.toISOString()] as const;
      return { title: `New key ${made.keyId}`, lines: [...keyLines(made, environment), end] };
    },
    back: toKeys,
  },
  {
    path: '/ops/merchants/:id/keys',
    section: 'merchants',
    role: 'admin',
    label: 'Create key',
    effect: async (deps, id, values) => {
      const { owner, environment, scopes = [], limit, expiresAt } = await newKeyOf(deps, id, values);
      const isLive = environment === 'production';
      return {
        title: `Create a ${isLive ? 'live' : 'test'} key of ${owner}?`,
        text:
          `Anyone who has the key can ${isLive ? 'move real money' : 'make test payments'}. ` +
          `Scopes: ${scopes.join(', ')}; requests per minute: ${limit ?? 'the limit of the config'}; ` +
          `expiry: ${expiresAt ? expiresAt.toISOString() : 'never'}.`,
        label: 'Create key',
        isDangerous: isLive,
      };
    },
    run: async (deps, by, id, values) => {
      const input = await newKeyOf(deps, id, values);
      const made = await deps.merchants.createKey(by, input);
      return {
        title: `New ${modeText(input.environment).toLowerCase()} key ${made.keyId}`,
        lines: keyLines(made, input.environment),
      };
    },
    back: (_, id) => merchantPath(id, 'keys'),
  },
];

async function toKeys({ keys }: ConsoleDeps, keyId: string): Promise<string> {
  return merchantPath((await keys.get(keyId)).ownerId, 'keys');
}

/** Names the key together with its merchant. */
async function keyName({ keys }: ConsoleDeps, id: string): Promise<string> {
  const { ownerName, environment } = await keys.get(id);
  return `the ${modeText(environment).toLowerCase()} key ${id} of ${ownerName}`;
}

function limitOf({ limit = '' }: FormValues): number {
  if (!/^\d{1,9}$/.test(limit)) throw invalidField('limit', limit, 'must be a whole number');
  return Number(limit);
}

/** Throws VAL002 if the text is not a number; the service checks its range. */
export function overlapOf({ overlapHours = '' }: FormValues): Overlap {
  if (overlapHours === '') return {};
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(overlapHours))
    throw invalidField('overlapHours', overlapHours, 'must be a number of hours, 0 to 168');
  return { overlapHours: Number(overlapHours) };
}

export function overlapText(values: FormValues, what: 'key' | 'secret'): string {
  const { overlapHours = 24 } = overlapOf(values);
  const isNow = overlapHours === 0;
  if (what === 'key') return `The old key ends ${isNow ? 'immediately' : `in ${overlapHours} hours`}.`;
  return isNow
    ? 'Notifications are signed only with the new secret immediately.'
    : `For ${overlapHours} hours, notifications are signed with both secrets, then only with the new one.`;
}

/** An empty field gets the same default as in the command. */
async function newKeyOf(deps: ConsoleDeps, id: string, values: FormValues): Promise<NewKey> {
  const { limit = '', expires = '' } = values;
  const expiresAt = readTime(expires === '' ? undefined : expires);
  if (expiresAt === null) throw invalidField('expires', expires, 'must be like 2026-01-31T12:00');
  const scopes = allScopes.filter((scope) => values[scopeField(scope)] === 'yes');
  if (scopes.length === 0) throw invalidField('scopes', '', 'choose at least one');
  return {
    owner: await merchantName(deps, id),
    environment: environmentOf(values),
    scopes,
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
