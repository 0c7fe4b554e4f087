import { hostname } from 'node:os';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../../../config/schema.ts';
import type { CreatedKey } from '../../../core/engine/access/index.ts';
import { prepareAccess } from './prepare-access.ts';

/** The owner of the first start's key. */
export const firstOwner = 'demo';

/** Makes a test key for trying out the service. Returns undefined if the owner already exists in the database. */
export async function makeFirstKey(options: {
  readonly connection: Connection;
  readonly encryptionKeys: readonly string[];
  readonly config: Config;
  readonly log: Logger;
}): Promise<CreatedKey | undefined> {
  const { owners, acts } = await prepareAccess(options);
  if (await owners.find(firstOwner)) return undefined;
  const by = { type: 'service', name: 'first start', from: hostname() } as const;
  return acts.createKey(by, { owner: firstOwner, environment: 'sandbox' });
}
