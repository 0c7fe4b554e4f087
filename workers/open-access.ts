import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../config/schema.ts';
import { accessModels, createKeys, createOwners, type Keys, type Owners } from '../core/access/index.ts';
import { createIdBlocks } from '../core/documents/counter.ts';
import { ensureIndexes } from '../core/documents/connect.ts';
import { createSealer } from '../core/encryption.ts';

/** Owners and keys alone: without the adapters, which may be what a person is about to put right. */
export async function openAccess({
  connection,
  encryptionKey,
  config,
  log,
}: {
  readonly connection: Connection;
  readonly encryptionKey: string;
  readonly config: Pick<Config, 'keys'>;
  readonly log: Pick<Logger, 'warn'>;
}): Promise<{ readonly owners: Owners; readonly keys: Keys }> {
  await ensureIndexes(connection, accessModels);
  const now = (): Date => new Date();
  const ids = createIdBlocks(connection, 'owner', 1, () => 1);
  const sealer = createSealer(encryptionKey);
  const owners = createOwners({ connection, sealer, now, nextOwnerId: async () => ids.next() });
  return { owners, keys: createKeys({ connection, owners, now, log, ...config.keys }) };
}
