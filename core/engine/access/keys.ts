/** Creates, lists, revokes, rotates and authenticates API keys. */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { apiKeyModel } from '../../database/collections/api-key.ts';
import type { ApiKeyDocument } from '../../database/collections/api-key.ts';
import { GatewayError, invalidField, notFound } from '../../base/errors.ts';
import { toEnvironment } from './key.ts';
import type { CreatedKey, Keys, KeyView } from './key.ts';
import { isKeyId, newKey, newKeyId, readKeyEnvironment, toKeyHash } from './key-text.ts';
import { createUseRecorder } from './note-use.ts';
import { readOverlapEnd } from './overlap.ts';
import type { Owners } from './owners.ts';
import { createReadCache } from './read-cache.ts';
import { defaultScopes, isScope, readScopes } from './scopes.ts';

const cacheMs = 2000;
const cachedKeys = 10_000;
const longestLimit = 1_000_000;

export function createKeys({
  connection,
  owners,
  now,
  log,
  liveKeys,
  rateLimitPerMinute,
}: {
  readonly connection: Connection;
  readonly owners: Owners;
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
  /** False outside production: live keys are refused. */
  readonly liveKeys: boolean;
  /** The limit for keys that have no limit of their own. */
  readonly rateLimitPerMinute: number;
}): Keys {
  const keys = apiKeyModel(connection);
  const recent = createReadCache({ read: findByHash, keepMs: cacheMs, maxEntries: cachedKeys, now });
  const writeUse = async (_id: string, at: Date) =>
    keys.updateOne({ _id }, { $max: { lastUsedAt: at } }, { writeConcern: { w: 1, j: false } });
  const recordUse = createUseRecorder(writeUse, now, log);

  async function findByHash(digest: string): Promise<ApiKeyDocument | undefined> {
    return (await keys.findOne({ hash: digest }).lean()) ?? undefined;
  }

  async function insert(settings: Omit<ApiKeyDocument, '_id' | 'hash' | 'createdAt'>): Promise<CreatedKey> {
    const { ownerId, environment } = settings;
    const key = newKey(environment);
    const keyId = newKeyId();
    await keys.create({ ...settings, _id: keyId, hash: toKeyHash(key), createdAt: now() });
    await demandOwner(keyId, ownerId);
    return { key, keyId, ownerId, webhookSecret: (await owners.webhookSecrets(ownerId, environment)).current };
  }

  /** The removal of an owner revokes the keys that it finds. A key that was created after that has to revoke itself. */
  async function demandOwner(keyId: string, ownerId: number): Promise<void> {
    if (await owners.isPresent(ownerId)) return;
    await change(keyId, { revokedAt: now() });
    throw removedOwner('owner');
  }

  async function change(keyId: string, update: Partial<ApiKeyDocument>): Promise<void> {
    const changed = await keys.findByIdAndUpdate(keyId, { $set: update }).lean();
    if (!changed) throw unknownKey(keyId);
    recent.forget(changed.hash);
  }

  const present = async (key: ApiKeyDocument): Promise<KeyView> =>
    presentKey(key, { at: now(), ownerName: (await owners.get(key.ownerId))?.name ?? '', rateLimitPerMinute });

  return {
    async create({ owner, environment, scopes = defaultScopes, limit, expiresAt }) {
      const settings = {
        environment: toEnvironment(environment),
        scopes: readScopes(scopes),
        ...(limit !== undefined && { limit: readLimit(limit) }),
        ...(expiresAt && { expiresAt }),
      };
      if (expiresAt && !(expiresAt > now())) throw invalidField('expiresAt', expiresAt, 'must lie in the future');
      const { id: ownerId } = await owners.findOrCreate(owner);
      return insert({ ownerId, ...settings });
    },

    async list({ owner, ownerId } = {}) {
      const named = owner === undefined ? undefined : await owners.find(owner);
      if (owner !== undefined && !named) throw notFound(`owner ${owner}`);
      const id = named?.id ?? ownerId;
      const found = await keys
        .find(id === undefined ? {} : { ownerId: id })
        .sort({ createdAt: 1, _id: 1 })
        .lean();
      return Promise.all(found.map(present));
    },

    async get(keyId) {
      const found = await keys.findById(keyId).lean();
      if (!found) throw unknownKey(keyId);
      return present(found);
    },

    async revoke(keyId) {
      const revoked = await keys.findOneAndUpdate({ _id: keyId, revokedAt: { $exists: false } }, { revokedAt: now() });
      if (revoked) recent.forget(revoked.hash);
      else if (!(await keys.exists({ _id: keyId }))) throw unknownKey(keyId);
    },

    async rotate(keyId, overlap = {}) {
      const at = now();
      const overlapEnd = readOverlapEnd(overlap, at);
      const old = await keys.findById(keyId).lean();
      if (!old) throw unknownKey(keyId);
      const state = stateOf(old, at);
      if (state !== 'active') throw invalidField('keyId', keyId, `is ${state}: create a new key instead`);
      if (old.rotatedAt) throw invalidField('keyId', keyId, 'was rotated already: create a new key instead');
      const { ownerId, environment, scopes, limit, expiresAt, createdAt } = old;
      const lifeMs = expiresAt && expiresAt.getTime() - createdAt.getTime();
      // The new key is created before the old key is limited, so a crash in between leaves both valid.
      const created = await insert({
        ownerId,
        environment,
        scopes,
        ...(limit !== undefined && { limit }),
        ...(lifeMs !== undefined && { expiresAt: new Date(at.getTime() + lifeMs) }),
      });
      const previousValidUntil = expiresAt && expiresAt < overlapEnd ? expiresAt : overlapEnd;
      await change(keyId, { expiresAt: previousValidUntil, rotatedAt: at });
      return { ...created, previousValidUntil };
    },

    async setLimit(keyId, limit) {
      await change(keyId, { limit: readLimit(limit) });
    },

    async authenticate({ apiKey, authorization }) {
      if (!apiKey) throw missingKey(authorization);
      const environment = readKeyEnvironment(apiKey);
      if (!environment) throw unauthorized('the API key in X-API-Key is not of the form gk_test_… or gk_live_…');
      if (environment === 'live' && !liveKeys) {
        throw unauthorized('live API keys are not accepted in this environment: use a test key, gk_test_…');
      }
      const key = await recent.get(toKeyHash(apiKey));
      if (!key) throw unauthorized('the API key is unknown');
      const state = stateOf(key, now());
      if (state === 'revoked') throw unauthorized('the API key was revoked');
      if (state === 'expired') throw unauthorized(`the API key expired at ${key.expiresAt?.toISOString()}`);
      const owner = await owners.get(key.ownerId);
      if (!owner) throw unauthorized('the API key belongs to an owner that does not exist any more');
      recordUse(key);
      return {
        keyId: key._id,
        ownerId: owner.id,
        ownerName: owner.name,
        environment: key.environment,
        scopes: key.scopes.filter((scope) => isScope(scope)),
        limit: key.limit ?? rateLimitPerMinute,
      };
    },
  };
}

/** Another operator was faster. */
export function removedOwner(field: string): GatewayError {
  return invalidField(field, '', 'was removed by another operator at the same time: try again');
}

function stateOf({ revokedAt, expiresAt }: ApiKeyDocument, at: Date): KeyView['state'] {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt <= at ? 'expired' : 'active';
}

interface KeyContext {
  readonly at: Date;
  readonly ownerName: string;
  readonly rateLimitPerMinute: number;
}

function presentKey(key: ApiKeyDocument, { at, ownerName, rateLimitPerMinute }: KeyContext): KeyView {
  return {
    keyId: key._id,
    ownerId: key.ownerId,
    ownerName,
    environment: key.environment === 'live' ? 'production' : 'sandbox',
    state: stateOf(key, at),
    scopes: key.scopes.filter((scope) => isScope(scope)),
    limit: key.limit ?? rateLimitPerMinute,
    createdAt: key.createdAt,
    expiresAt: key.expiresAt ?? null,
    revokedAt: key.revokedAt ?? null,
    lastUsedAt: key.lastUsedAt ?? null,
  };
}

function readLimit(limit: number): number {
  if (!Number.isInteger(limit) || limit < 1 || limit > longestLimit) {
    throw invalidField('limit', limit, `must be a whole number of requests a minute, 1 to ${longestLimit}`);
  }
  return limit;
}

function unauthorized(message: string): GatewayError {
  return new GatewayError('UNAUTHORIZED', message);
}

function missingKey(authorization: string | undefined): GatewayError {
  return /^bearer\b/i.test(authorization ?? '')
    ? unauthorized('Bearer tokens in Authorization ended on 2024-06-01: send an API key in the header X-API-Key')
    : unauthorized('the API key is missing: send it in the header X-API-Key');
}

/** Repeats the id only if it has the form of an id: the caller may have passed the key itself. */
function unknownKey(keyId: string): GatewayError {
  return notFound(isKeyId(keyId) ? `API key ${keyId}` : 'an API key of this id (key_ and 16 hex digits)');
}
