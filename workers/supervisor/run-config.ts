import type { LoadedConfig } from '../../config/load-config.ts';
import type { Config } from '../../config/schema.ts';
import type { RunConfig } from '../../core/run-config.ts';
import { keepSecrets } from './data-folder/index.ts';
import { hasMailCatcher, ownSandboxes } from './choose-ports.ts';
import { mailCatcher } from './dev/mail-catcher.ts';
import { sandboxUrl } from './dev/sandboxes.ts';
import { StartError } from './start-error.ts';

/** The secrets of config, or, outside production, those that are made once and kept with the data. */
export async function finalSecrets({
  config,
  environment,
}: Pick<LoadedConfig, 'config' | 'environment'>): Promise<{ encryptionKeys: string[]; tokenSecrets: string[] }> {
  const { encryptionKey: encryptionKeys } = config.security;
  const { tokenSecrets } = config.threeDs;
  if (encryptionKeys && tokenSecrets) return { encryptionKeys, tokenSecrets };
  if (environment === 'production') {
    throw new StartError([
      'security.encryptionKey and threeDs.tokenSecrets must be set in production: config/README.md says how.',
    ]);
  }
  const kept = await keepSecrets(config.database.dataDir);
  return {
    encryptionKeys: encryptionKeys ?? [kept.encryptionKey],
    tokenSecrets: tokenSecrets ?? [kept.tokenSecret],
  };
}

/** Config with the addresses of the sandboxes that run here. */
export function withSandboxes(config: Config, ports: Readonly<Record<string, number>>): Config {
  const adapters = { ...config.adapters };
  for (const name of ownSandboxes(config)) {
    const [adapter, port] = [adapters[name], ports[name]];
    if (!adapter || port === undefined) continue;
    adapters[name] = { ...adapter, options: { ...adapter.options, sandboxBaseUrl: sandboxUrl(port) } };
  }
  return { ...config, adapters };
}

/** What every process runs with, complete. */
export function toRunConfig(
  { config, environment, root, adapterDirs }: LoadedConfig,
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
    root,
    adapterDirs,
  };
}

/** Where this machine reaches the API: what listens on every address listens on this one too. */
export function toApiUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
