import { join } from 'node:path';
import type { LoadedConfig } from '../../../config/load-config.ts';
import type { AdapterSource, Config } from '../../../config/schema.ts';
import type { RunConfig } from '../../../core/base/run-config.ts';
import type { LogTarget } from '../../../core/base/log/log.ts';
import { keepSecrets } from '../data-folder/index.ts';
import { hasMailCatcher, ownSandboxes } from './choose-ports.ts';
import { mailCatcher } from '../dev/mail-catcher.ts';
import { sandboxUrl } from '../dev/sandboxes.ts';

/**
 * The secrets of config, or secrets that are made once and kept with the data. Config of production always has them.
 */
export async function resolveSecrets({
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

/** Adds the addresses of the sandboxes that run here. */
export function withSandboxes(config: Config, ports: Readonly<Record<string, number>>): Config {
  return { ...config, adapters: withSandboxAddresses(config.adapters, ports) };
}

/** The same for commands that only read: a sandbox that never ran has no port yet, but its options need an address. */
export function withAnySandboxes(config: Config, ports: Readonly<Record<string, number>>): Config {
  const any = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, 1]));
  return withSandboxes(config, { ...any, ...ports });
}

/** Adds to the adapters the addresses of their sandboxes that run here. */
export function withSandboxAddresses<A extends AdapterSource>(
  adapters: Readonly<Record<string, A>>,
  ports: Readonly<Record<string, number>>,
): Record<string, A> {
  const filled = { ...adapters };
  for (const name of ownSandboxes({ adapters })) {
    const [adapter, port] = [adapters[name], ports[name]];
    if (!adapter || port === undefined) continue;
    const url = sandboxUrl(port);
    filled[name] = { ...adapter, options: { ...adapter.options, sandboxBaseUrl: url }, sandboxUrl: url };
  }
  return filled;
}

/** The complete config that every process runs with. */
export function toRunConfig(
  { config, environment, isProduction, root, adapterDirs }: LoadedConfig,
  {
    uri,
    ports,
    opsPort,
    encryptionKeys,
    tokenSecrets,
  }: {
    readonly uri: string;
    readonly ports: Readonly<Record<string, number>>;
    /** The port of the operators' listener, if it runs on this host. */
    readonly opsPort?: number | undefined;
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
      // On a developer's machine, the console is where the service runs.
      ...(!isProduction &&
        opsPort !== undefined && {
          ops: { ...config.ops, publicUrl: config.ops.publicUrl ?? toApiUrl({ host: config.ops.host, port: opsPort }) },
        }),
      mail: isCaught ? { ...config.mail, smtp: { host: '127.0.0.1', port: mailPort, from } } : config.mail,
    },
    environment,
    isProduction,
    root,
    adapterDirs,
  };
}

/**
 * Without a file the log goes to standard output, as containers expect it. With a file it also goes to standard error
 * in production, where standard error is collected. Elsewhere a pipe that is not read would block every process.
 */
export function toLogTarget({ config, isProduction }: Pick<LoadedConfig, 'config' | 'isProduction'>): LogTarget {
  const file = config.log.file ? join(config.database.dataDir, 'gateway.log') : undefined;
  return { file, stdout: file === undefined, stderr: isProduction && file !== undefined };
}

/** The address at which this machine reaches the API. An API that listens on every address also listens on loopback. */
export function toApiUrl({ host, port }: Pick<Config['server'], 'host' | 'port'>): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
