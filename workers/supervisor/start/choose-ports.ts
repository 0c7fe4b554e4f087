import type { AdapterSource, Config } from '../../../config/schema.ts';
import { chooseFreePort, isPortFree } from '../dev/mongod/index.ts';
import type { KeptState } from '../data-folder/index.ts';
import { mailCatcher } from '../dev/mail-catcher.ts';
import { describeTakenPort } from '../dev/sandboxes.ts';
import { StartError } from '../start-error.ts';

/**
 * The adapters whose sandbox runs here. If config sets the `sandboxBaseUrl` of an adapter, another program plays the
 * provider at that address, even if the address is on this machine.
 */
export function ownSandboxes({ adapters }: { readonly adapters: Readonly<Record<string, AdapterSource>> }): string[] {
  return Object.entries(adapters)
    .filter(
      ([, { state, sandbox, options, sandboxOptions }]) =>
        state !== 'off' && sandbox.run && { ...options, ...sandboxOptions }['sandboxBaseUrl'] === undefined,
    )
    .map(([name]) => name);
}

/** Whether our own mail server catches mail. A mail server that config names replaces it. */
export function hasMailCatcher({ mail }: Pick<Config, 'mail'>): boolean {
  return mail.catcher && !mail.smtp;
}

/**
 * The port of the operators' listener: the port of config, or else the port of an earlier start, or else, if another
 * program took that port, a new one. Undefined: there is no listener.
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
 * The ports that are kept with the data, and new ports for what has none yet. Throws a StartError if another program
 * took the port of a sandbox that runs here. mongod's own start reports a taken port of mongod.
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
    else if (runsSandboxes && !(await isPortFree(port))) taken.push(describeTakenPort(name, port));
  }
  if (taken.length > 0) throw new StartError(taken);
  const mongod = config.database.uri === undefined ? (kept.mongod ?? (await chooseFreePort())) : kept.mongod;
  return { sandboxes, ...(mongod !== undefined && { mongod }) };
}
