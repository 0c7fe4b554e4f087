import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { LoadedConfig } from '../../../config/load-config.ts';
import type { Encrypter } from '../../../core/base/crypto/encryption.ts';
import type { Host } from '../../../core/database/collections/host.ts';
import { currentVersion } from '../../../core/database/collections/schema-version.ts';
import { packageVersion } from '../../../core/engine/providers/load/import-package.ts';

/** The part of this host's document that does not change while it runs. */
export function identifyHost({
  loaded: { config, root, adapterDirs },
  encrypter,
  tokenSecrets,
}: {
  readonly loaded: LoadedConfig;
  readonly encrypter: Pick<Encrypter, 'fingerprint'>;
  readonly tokenSecrets: readonly string[];
}): Pick<Host, '_id' | 'hostname' | 'schemaVersion' | 'tokenSecrets' | 'adapters'> {
  const adapters = Object.entries(config.adapters).flatMap(([name, adapter]) => {
    const version = packageVersion(adapter.package, [adapterDirs[name] ?? root, root]);
    return version === undefined ? [] : [{ name, version }];
  });
  return {
    _id: `${hostname()}-${randomBytes(4).toString('hex')}`,
    hostname: hostname(),
    schemaVersion: currentVersion,
    tokenSecrets: tokenSecrets.map((secret) => encrypter.fingerprint(`3D Secure secret ${secret}`)),
    adapters,
  };
}
