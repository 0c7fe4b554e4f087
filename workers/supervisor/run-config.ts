import { join } from 'node:path';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { AdapterSource, Config } from '../../config/schema.ts';
import type { RunConfig } from '../../core/base/run-config.ts';
import type { LogTarget } from '../../core/base/log/log.ts';
import { keepSecrets } from './data-folder/index.ts';
import { hasMailCatcher, ownSandboxes } from './choose-ports.ts';
import { mailCatcher } from './dev/mail-catcher.ts';
import { sandboxUrl } from './dev/sandboxes.ts';

/** The secrets of config, or those that are made once and kept with the data: production's config always has them. */
export async function finalSecrets({
  config,
}: Pick<LoadedConfig, 'config'>): Promise<{ encryptionKeys: string[]; tokenSecrets: string[] }> {
  const { encryptionKey: encryptionKeys } = config.security;
  const { tokenSecrets } = config.threeDs;
  if (encryptionKeys && tokenSecrets) return { encryptionKeys, tokenSecrets };
  const kept = await keepSecrets(config.database.dataDir);
  return {
    encryptionKeys: encryptionKeys ?? [kept.encryptionKey],
    tokenSecrets: tokenSecrets ?? [kept.tokenSecret],
  };
}

/** Config with the addresses of the sandboxes that run here. */
export function withSandboxes(config: Config, ports: Readonly<Record<string, number>>): Config {
  return { ...config, adapters: withSandboxAddresses(config.adapters, ports) };
}

/** The same for who only looks: a sandbox that never ran has no port yet, and its options need an address all the same. */
export function withAnySandboxes(config: Config, ports: Readonly<Record<string, number>>): Config {
  const any = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, 1]));
  return withSandboxes(config, { ...any, ...ports });
}

/** Adapters with the addresses of their sandboxes that run here. */
export function withSandboxAddresses<A extends AdapterSource>(
  adapters: Readonly<Record<string, A>>,
  ports: Readonly<Record<string, number>>,
): Record<string, A> {
  const filled = { ...adapters };
  for (const name of ownSandboxes({ adapters })) {
    const [adapter, port] = [adapters[name], ports[name]];
    if (!adapter || port === undefined) continue;
    filled[name] = { ...adapter, options: { ...adapter.options, sandboxBaseUrl: sandboxUrl(port) } };
  }
  return filled;
}

/** What every process runs with, complete. */
export function toRunConfig(
  { config, environment, isProduction, root, adapterDirs }: LoadedConfig,
  {
    uri,
    ports,
    encryptionKeys,
    tokenSecrets,
  }: {
    readonly uri: string;
    readonly ports: Readonly<Record<string, number>>;
    readonly encryptionKeys: string[];
    readonly tokenSecrets: string[];
  },
): RunConfig {
  const { adapters } = withSandboxes(config, ports);
  const mailPort = ports[mailCatcher];
  const from = 'gateway@localhost.localdomain';
  const isCaught = hasMailCatcher(config) && mailPort !== undefined;
  return {
    config: {
      ...config,
      database: { ...config.database, uri },
      security: { ...config.security, encryptionKey: encryptionKeys },
      threeDs: { ...config.threeDs, tokenSecrets },
      adapters,
      mail: isCaught ? { ...config.mail, smtp: { host: '127.0.0.1', port: mailPort, from } } : config.mail,
    },
    environment,
    isProduction,
    root,
    adapterDirs,
  };
}

/**
 * Standard output where there is no file, as containers have it. Beside a file standard error, and only where somebody collects
 * it: a pipe that nobody reads would stop every process.
 */
export function toLogTarget({ config, isProduction }: Pick<LoadedConfig, 'config' | 'isProduction'>): LogTarget {
  const file = config.log.file ? join(config.database.dataDir, 'gateway.log') : undefined;
  return { file, stdout: file === undefined, stderr: isProduction && file !== undefined };
}

/** Where this machine reaches the API: what listens on every address listens on this one too. */
export function toApiUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
