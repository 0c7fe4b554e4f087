/** Loads the settings, and reports every problem that the service or an adapter finds in them. */
import { secretPaths } from '@paywright/contract';
import { loadConfig, type AdapterSources, type LoadedConfig } from '../../config/load-config.ts';
import type { Problem } from '../../config/settings.ts';
import { findSpacedSecrets } from '../../config/spaced-secrets.ts';
import { AdapterLoadError, loadAdapters, mainAccount, type AdapterFinding } from '../engine/providers/index.ts';
import { withSandboxAddresses } from '../../workers/supervisor/start/run-config.ts';

/** Throws a ConfigError with every problem of settings and adapters. */
export async function loadCheckedConfig(options: {
  readonly env: NodeJS.ProcessEnv;
  readonly root: string;
}): Promise<LoadedConfig> {
  return loadConfig({ ...options, checkAdapters });
}

async function checkAdapters({
  adapters,
  adapterDirs,
  environment,
  isProduction,
  root,
}: AdapterSources): Promise<Problem[]> {
  // A start chooses the ports. Any port will do to check the options.
  const anyPorts = Object.fromEntries(Object.keys(adapters).map((name) => [name, 1]));
  const entries = Object.entries(withSandboxAddresses(adapters, anyPorts)).map(([name, adapter]) => {
    return { ...adapter, name, from: adapterDirs[name] ?? root };
  });
  try {
    const loaded = await loadAdapters(entries, { gatewayRoot: root, environment, isProduction });
    return loaded.flatMap(({ name, account, adapter }) => {
      const paths = adapter ? secretPaths(adapter.manifest.options) : [];
      const isMain = account === mainAccount;
      const settings = isMain ? adapters[name] : adapters[name]?.accounts?.[account];
      const base = isMain ? ['adapters', name] : ['adapters', name, 'accounts', account];
      return (['options', 'sandboxOptions'] as const).flatMap((member) =>
        findSpacedSecrets(paths, settings?.[member], [...base, member]).map(
          (problem) => ({ ...problem, isWarning: true }) as const,
        ),
      );
    });
  } catch (error) {
    if (error instanceof AdapterLoadError) return error.findings.map(toProblem);
    throw error;
  }
}

/** A problem of a package is reported for the setting that names the package. */
function toProblem({ adapter, path, message }: AdapterFinding): Problem {
  const isSetting = ['options', 'sandboxOptions', 'accounts'].includes(path[0] ?? '');
  if (isSetting) return { path: ['adapters', adapter, ...path], message };
  return { path: ['adapters', adapter, 'package'], message: [path.join('.'), message].filter(Boolean).join(': ') };
}
