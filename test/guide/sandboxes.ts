/** The adapters of the development config with what their sandboxes offer to testers. */
import type { CreateSandbox, ProviderAdapter, TestValue } from '@paywright/contract';
import { loadConfig } from '../../config/load-config.ts';
import { importPackage } from '../../core/engine/providers/index.ts';
import { root } from '../support/start-gateway.ts';

export interface DescribedSandbox {
  readonly name: string;
  readonly manifest: ProviderAdapter['manifest'];
  readonly testValues: readonly TestValue[];
  /** The events that `paywright trigger` can send. */
  readonly events: readonly string[];
}

/** Sorted by provider code. */
export async function readSandboxes(): Promise<readonly DescribedSandbox[]> {
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const all = Object.entries(config.adapters).map(async ([name, { package: from, options, sandbox }]) => {
    const adapter = (await importPackage(from, [root])) as { readonly default: ProviderAdapter };
    const { default: create } = (await importPackage(`${from}/sandbox`, [root])) as { readonly default: CreateSandbox };
    const address = 'http://127.0.0.1:9';
    const setup = { options: { ...options }, providerSide: sandbox.options, baseUrl: address, publicUrl: address };
    const running = create({ ...setup, delayMs: 1 });
    await running.close();
    const { manifest } = adapter.default;
    return { name, manifest, testValues: create.testValues ?? [], events: running.events ?? [] };
  });
  return (await Promise.all(all)).toSorted((left, right) => left.manifest.code - right.manifest.code);
}
