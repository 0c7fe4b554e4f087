import type { Config } from '../../config/schema.ts';

/** Everything a process needs to know, as JSON: the supervisor makes it once and sends it to its children. */
export interface RunConfig {
  readonly config: Config;
  readonly environment: string;
  /** By itself, or by what it extends. */
  readonly isProduction: boolean;
  /** The gateway's own folder. */
  readonly root: string;
  /** By adapter: the folder of the config file that lists it. */
  readonly adapterDirs: Readonly<Record<string, string>>;
}

/** What no process can do without, and config may leave to who starts it. Throws an Error that names the setting. */
export function readEssentials({ database, security, threeDs }: Config) {
  const { uri } = database;
  const { encryptionKey: encryptionKeys } = security;
  const { tokenSecrets, tokenTtlSeconds } = threeDs;
  if (!uri) throw new Error('no database address: set MONGODB_URI');
  if (!encryptionKeys) throw new Error('no encryption key: set security.encryptionKey');
  if (!tokenSecrets) throw new Error('no 3D Secure token secret: set threeDs.tokenSecrets');
  return { uri, encryptionKeys, threeDs: { tokenSecrets, tokenTtlSeconds } };
}
