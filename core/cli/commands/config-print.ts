import { secretPaths, v } from '@paywright/contract';
import { stringify } from 'yaml';
import { hideSecrets } from '../../../config/hide-secrets.ts';
import { loadConfig, type LoadedConfig } from '../../../config/load-config.ts';
import { readState } from '../../../workers/supervisor/data-folder/index.ts';
import { withSandboxes } from '../../../workers/supervisor/start/run-config.ts';
import { importPackage } from '../../engine/providers/load/import-package.ts';
import { defineCommand } from '../command.ts';

export const configPrint = defineCommand({
  options: { json: { type: 'boolean', help: 'print JSON instead of YAML' } },
  notes: [
    'Prints the format of the config files. Sandboxes of the service are shown with their address once it is chosen.',
  ],
  async run({ values, shell }) {
    const loaded = await loadConfig({ env: shell.env, root: shell.root });
    const { ports } = await readState(loaded.config.database.dataDir);
    const config = withoutStartMembers(withSandboxes(loaded.config, ports.sandboxes));
    const { secretValues } = loaded;
    const shown = hideSecrets({ config, secretValues }, await findSecretPaths(loaded));
    shell.printText(values.json ? JSON.stringify(shown, null, 2) : stringify(shown).trimEnd());
    return 0;
  },
});

/** The members that a config file can have. */
function withoutStartMembers(config: LoadedConfig['config']): LoadedConfig['config'] {
  const adapters = structuredClone(config.adapters);
  for (const adapter of Object.values(adapters)) Reflect.deleteProperty(adapter, 'sandboxUrl');
  return { ...config, adapters };
}

const Module = v.object({ default: v.object({ manifest: v.object({ options: v.unknown() }) }) });

/** The option names that each adapter's schema marks as secret. */
async function findSecretPaths({ config, adapterDirs, root }: LoadedConfig): Promise<Record<string, string[][]>> {
  const found = Object.entries(config.adapters).map(async ([name, adapter]) => {
    try {
      const module = v.parse(Module, await importPackage(adapter.package, [adapterDirs[name] ?? root, root]));
      return [name, secretPaths(module.default.manifest.options as v.GenericSchema)] as const;
    } catch {
      // An adapter that cannot be loaded has no schema; then the option names decide.
      return [name, []] as const;
    }
  });
  return Object.fromEntries(await Promise.all(found)) as Record<string, string[][]>;
}
