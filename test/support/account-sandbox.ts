/** A sandbox that knows one account only, next to the sandbox of the account `main`. */
import { listen, type RunningSandbox } from '@paywright/contract/sandbox';
import { sandboxAddresses } from '@paywright/contract/core';
import type { CreateSandbox } from '@paywright/contract';
import { importPackage } from '../../core/engine/providers/index.ts';
import { root } from './start-gateway.ts';

/** The settings of the adapter. */
interface Given {
  readonly package: string;
  readonly options?: unknown;
  readonly sandbox: { readonly options: Readonly<Record<string, unknown>> };
}

export interface AccountSandbox extends RunningSandbox {
  /** The options of the account: `own`, and the addresses of the sandbox. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** `own`: how the options of the account differ from those of the adapter. */
export async function startAccountSandbox(
  given: Given,
  own: Readonly<Record<string, unknown>>,
  { publicUrl, delayMs }: { readonly publicUrl: string; readonly delayMs: number },
): Promise<AccountSandbox> {
  const module = (await importPackage(`${given.package}/sandbox`, [root])) as { readonly default: CreateSandbox };
  let addresses = {};
  const sandbox = await listen(
    (setup) => {
      addresses = { ...sandboxAddresses(module.default, setup.baseUrl), sandboxBaseUrl: setup.baseUrl };
      return module.default({ ...setup, options: { ...(given.options as object), ...own, ...addresses } });
    },
    { options: {}, providerSide: given.sandbox.options, publicUrl, delayMs },
  );
  return { ...sandbox, options: { ...own, ...addresses } };
}
