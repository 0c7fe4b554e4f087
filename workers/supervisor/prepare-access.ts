import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../../config/schema.ts';
import { createAccess, type AccessDomain } from '../../core/access/index.ts';
import { apiKeyModel } from '../../core/documents/api-key.ts';
import { ensureCollections } from '../../core/documents/collections.ts';
import { ownerModel } from '../../core/documents/owner.ts';
import type { Encrypter } from '../../core/encryption.ts';
import { openEncrypter } from '../../core/secrets/index.ts';

/** Owners and keys alone, with their indexes: without the adapters, which may be what is about to be mended. */
export async function prepareAccess({
  connection,
  encryptionKeys,
  config,
  log,
}: {
  readonly connection: Connection;
  readonly encryptionKeys: readonly string[];
  readonly config: Pick<Config, 'keys'>;
  readonly log: Pick<Logger, 'warn'>;
}): Promise<AccessDomain & { readonly encrypter: Encrypter }> {
  await ensureCollections(connection, log, [ownerModel, apiKeyModel]);
  const encrypter = await openEncrypter(connection, encryptionKeys);
  return { ...createAccess({ connection, encrypter, config: config.keys, now: () => new Date(), log }), encrypter };
}
