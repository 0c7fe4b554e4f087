import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { Config } from '../../../config/schema.ts';
import {
  createAccess,
  createAccessActions,
  type AccessActions,
  type AccessDomain,
} from '../../../core/engine/access/index.ts';
import { createAudit, type Audit } from '../../../core/engine/audit/index.ts';
import { apiKeyModel } from '../../../core/database/collections/api-key.ts';
import { auditEntryModel } from '../../../core/database/collections/audit-entry.ts';
import { ensureCollections } from '../../../core/database/collections.ts';
import { operatorModel } from '../../../core/database/collections/operator.ts';
import { ownerModel } from '../../../core/database/collections/owner.ts';
import { portalLinkModel } from '../../../core/database/collections/portal-link.ts';
import type { Encrypter } from '../../../core/base/crypto/encryption.ts';
import { openEncrypter } from '../../../core/engine/secrets/index.ts';

export interface PreparedAccess extends AccessDomain {
  readonly encrypter: Encrypter;
  readonly audit: Audit;
  /** Operators' actions on owners and keys. */
  readonly acts: AccessActions;
}

/**
 * Opens owners, operators and keys with their indexes. Loads no adapters, because a wrong adapter may be what the
 * operator is about to fix.
 */
export async function prepareAccess({
  connection,
  encryptionKeys,
  config,
  log,
}: {
  readonly connection: Connection;
  readonly encryptionKeys: readonly string[];
  readonly config: Pick<Config, 'keys'>;
  readonly log: Logger;
}): Promise<PreparedAccess> {
  await ensureCollections(connection, log, [ownerModel, apiKeyModel, operatorModel, portalLinkModel, auditEntryModel]);
  const encrypter = await openEncrypter(connection, encryptionKeys);
  const common = { connection, encrypter, now: (): Date => new Date(), log };
  const access = createAccess({ ...common, config: config.keys });
  const audit = createAudit(common);
  return { ...access, encrypter, audit, acts: createAccessActions({ ...access, audit }) };
}
