import type { Config } from '../../config/schema.ts';

/**
 * The complete configuration of a process, as JSON. The supervisor creates it once and sends it to its child processes.
 */
export interface RunConfig {
  readonly config: Config;
  readonly environment: string;
  /** Whether the environment is production or extends it. */
  readonly isProduction: boolean;
  /** The gateway's own folder. */
  readonly root: string;
  /** For each adapter, the folder of the config file that lists it. */
  readonly adapterDirs: Readonly<Record<string, string>>;
}

/**
 * Returns the settings that every process needs but that the config may leave to the supervisor. Throws an Error that
 * names the missing setting.
 */
export function readEssentials({ database, security, threeDs }: Config) {
  const { uri } = database;
  const { encryptionKey: encryptionKeys } = security;
  const { tokenSecrets, tokenTtlSeconds } = threeDs;
  if (!uri) throw new Error('no database address: set MONGODB_URI');
  if (!encryptionKeys) throw new Error('no encryption key: set security.encryptionKey');
  if (!tokenSecrets) throw new Error('no 3D Secure token secret: set threeDs.tokenSecrets');
  return { uri, encryptionKeys, threeDs: { tokenSecrets, tokenTtlSeconds } };
}
