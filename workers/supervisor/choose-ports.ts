import type { AdapterSource, Config } from '../../config/schema.ts';
import { chooseFreePort, isPortFree } from './dev/mongod/index.ts';
import type { KeptState } from './data-folder/index.ts';
import { mailCatcher } from './dev/mail-catcher.ts';
import { sandboxPortTaken } from './dev/sandboxes.ts';
import { StartError } from './start-error.ts';

/**
 * The adapters whose sandbox runs here. One whose `sandboxBaseUrl` config sets is played by somebody else, at that
 * address, also where it is on this machine.
 */
export function ownSandboxes({ adapters }: { readonly adapters: Readonly<Record<string, AdapterSource>> }): string[] {
  return Object.entries(adapters)
    .filter(
      ([, { state, sandbox, options, sandboxOptions }]) =>
        state !== 'off' && sandbox.run && { ...options, ...sandboxOptions }['sandboxBaseUrl'] === undefined,
    )
    .map(([name]) => name);
}

/** A mail server that config names takes the place of our own. */
export function hasMailCatcher({ mail }: Pick<Config, 'mail'>): boolean {
  return mail.catcher && !mail.smtp;
}

/**
 * Of the operators' listener: config's; else the one that was chosen before, or another where somebody has taken that.
 * Undefined: there is none.
 */
export async function chooseOpsPort(
  { enabled, port }: Config['ops'],
  kept: number | undefined,
): Promise<number | undefined> {
  if (!enabled) return undefined;
  if (port !== undefined) return port;
  return kept !== undefined && (await isPortFree(kept)) ? kept : chooseFreePort();
}

/**
 * The ports that are kept with the data, new ones for what has none yet. Throws a StartError where another program has
 * taken that of a sandbox that runs here; mongod's own start reports its port.
 */
export async function choosePorts(
  config: Config,
  kept: KeptState['ports'],
  runsSandboxes: boolean,
): Promise<KeptState['ports']> {
  const wanted = [...ownSandboxes(config), ...(hasMailCatcher(config) ? [mailCatcher] : [])];
  const taken: string[] = [];
  const sandboxes = { ...kept.sandboxes };
  for (const name of wanted) {
    const port = sandboxes[name];
    if (port === undefined) sandboxes[name] = await chooseFreePort();
    else if (runsSandboxes && !(await isPortFree(port))) taken.push(sandboxPortTaken(name, port));
  }
  if (taken.length > 0) throw new StartError(taken);
  const mongod = config.database.uri === undefined ? (kept.mongod ?? (await chooseFreePort())) : kept.mongod;
  return { sandboxes, ...(mongod !== undefined && { mongod }) };
}
