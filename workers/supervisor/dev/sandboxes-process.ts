/** One process that runs every sandbox: simulators of the providers. */
import { join } from 'node:path';
import { listen, type RunningSandbox } from '@paywright/contract/sandbox';
import type { CreateSandbox, SandboxProvider } from '@paywright/contract';
import * as v from 'valibot';
import type { RunConfig } from '../../../core/base/run-config.ts';
import { mainAccount } from '../../../core/engine/providers/account-ref.ts';
import { importPackage } from '../../../core/engine/providers/load/import-package.ts';
import { configuredEntries } from '../../../core/engine/providers/accounts/configured-entries.ts';
import {
  loadAdapters,
  type ActiveAdapter,
  type LoadedAdapter,
} from '../../../core/engine/providers/load/load-adapters.ts';
import { runChild } from '../processes/child-process.ts';
import { mailCatcher, startMailCatcher } from './mail-catcher.ts';
import { SandboxPorts, describeTakenPort, type SandboxReport } from './sandboxes.ts';
import { StartError } from '../start-error.ts';

runChild(async ({ options, log }) => {
  const { run } = options;
  const ports = v.parse(SandboxPorts, options.extra);
  const running: Pick<RunningSandbox, 'close'>[] = [];
  const report: SandboxReport[] = [];
  // Load all of them, so that all problems are reported together.
  const all = await loadAdapters(configuredEntries(run, {}, new Map()), { ...run, gatewayRoot: run.root });
  for (const loaded of all) {
    const port = ports[loaded.name];
    // All accounts of an adapter share its sandbox.
    if (!loaded.adapter || loaded.account !== mainAccount || port === undefined) continue;
    const { code, inputs, title } = loaded.adapter.manifest;
    const provider = { name: loaded.name, title, code, inputs };
    const others = all.filter(({ name, account }) => name === loaded.name && account !== mainAccount);
    const sandbox = await open(loaded, others, provider, run, port);
    running.push(sandbox);
    report.push({ name: loaded.name, url: sandbox.baseUrl, code, inputs: [...inputs] });
    log.info({ adapter: loaded.name, url: sandbox.baseUrl }, 'sandbox listens');
  }
  const mailPort = ports[mailCatcher];
  if (mailPort !== undefined) {
    const folder = join(run.config.database.dataDir, 'mail');
    const onMail = (file: string): void => log.info({ file }, 'a mail was caught');
    running.push(await startMailCatcher({ port: mailPort, folder, onMail }));
  }
  return {
    report,
    async stop() {
      await Promise.all(running.map(async (sandbox) => sandbox.close()));
    },
  };
});

async function open(
  { name, package: packageName, sandboxOptions: options }: ActiveAdapter,
  others: readonly LoadedAdapter[],
  provider: SandboxProvider,
  run: RunConfig,
  port: number,
): Promise<RunningSandbox> {
  const { config, adapterDirs, root } = run;
  const module = (await importPackage(`${packageName}/sandbox`, [adapterDirs[name] ?? root, root])) as {
    readonly default?: unknown;
  };
  if (typeof module.default !== 'function') {
    throw new StartError([`${name}: ${packageName}/sandbox has no function as its default export`]);
  }
  const { delayMs = 0, options: providerSide = {} } = config.adapters[name]?.sandbox ?? {};
  try {
    const { publicUrl } = config.server;
    const otherAccounts = others.flatMap((other) => (other.adapter ? [other.sandboxOptions] : []));
    const setup = { options, otherAccounts, providerSide, publicUrl, delayMs, provider };
    return await listen(module.default as CreateSandbox, setup, port);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new StartError([describeTakenPort(name, port)], { cause: error });
  }
}
