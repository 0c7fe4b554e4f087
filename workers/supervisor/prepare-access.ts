import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { createAccess, type AccessDomain } from '../../core/access/index.ts';
import { apiKeyModel } from '../../core/documents/api-key.ts';
import { ensureIndexes } from '../../core/documents/collections.ts';
import { ownerModel } from '../../core/documents/owner.ts';
import { createEncrypter } from '../../core/encryption.ts';

/** Owners and keys alone, with their indexes: without the adapters, which may be what is about to be mended. */
export async function prepareAccess({
  connection,
  encryptionKey,
  config,
  log,
}: {
  readonly connection: Connection;
  readonly encryptionKey: string;
  readonly config: Pick<Config, 'keys'>;
  readonly log: Pick<Logger, 'warn'>;
}): Promise<AccessDomain> {
  await ensureIndexes(connection, [ownerModel, apiKeyModel]);
  const encrypter = createEncrypter(encryptionKey);
  return createAccess({ connection, encrypter, config: config.keys, now: () => new Date(), log });
}
