import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { createIdBlocks } from '../../database/collections/counter.ts';
import type { Encrypter } from '../../base/crypto/encryption.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import type { Keys } from './key.ts';
import { createKeys } from './keys.ts';
import { createOperators, type Operators } from './operators.ts';
import { createOwners, type Owners } from './owners.ts';
import { createRateLimiter, type RateLimiter } from './rate-limiter.ts';

export interface AccessDomain extends Pick<Keys, 'authenticate'>, Pick<Owners, 'webhookSecrets' | 'logo'> {
  readonly owners: Owners;
  readonly keys: Keys;
  readonly operators: Operators;
  readonly rateLimiter: RateLimiter;
  readonly idempotency: Idempotency;
}

export interface AccessDeps {
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly config: { readonly liveKeys: boolean; readonly rateLimitPerMinute: number };
  readonly now: () => Date;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Creates the services that decide who may call the API, and how often: merchants (owners), operators, their keys, rate
 * limits and idempotency.
 */
export function createAccess({ connection, encrypter, config, now, log }: AccessDeps): AccessDomain {
  const ids = createIdBlocks(connection, 'owner', 1, () => 1);
  const owners = createOwners({ connection, encrypter, now, nextOwnerId: async () => ids.next() });
  const keys = createKeys({ connection, owners, now, log, ...config });
  return {
    owners,
    keys,
    operators: createOperators({ connection, now, log }),
    rateLimiter: createRateLimiter({ connection, now }),
    idempotency: createIdempotency({ connection, encrypter, now }),
    authenticate: async (credentials) => keys.authenticate(credentials),
    webhookSecrets: async (ownerId, environment) => owners.webhookSecrets(ownerId, environment),
    logo: async (ownerId, hash) => owners.logo(ownerId, hash),
  };
}
