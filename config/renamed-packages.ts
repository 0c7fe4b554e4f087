/**
 * Accepts the package names from before the scope `@gateway` was renamed to `@paywright`, so that existing config files
 * keep loading. Only the adapters of this repository were renamed: a company's own package under `@gateway` keeps its
 * name.
 */
import { isMap } from './settings.ts';

const renamed = new Set([
  'adyen',
  'btcpay',
  'crypto',
  'mollie',
  'provider-a',
  'provider-b',
  'provider-c',
  'provider-d',
  'provider-e',
  'provider-f',
  'provider-g',
  'provider-h',
  'razorpay',
  'stripe',
  'token',
  'upi',
]);

export interface RenamedPackages {
  /** The settings, with the current package names. */
  readonly value: unknown;
  /** One line per earlier name, with the setting and the name to use. */
  readonly warnings: readonly string[];
}

export function renamePackages(value: unknown): RenamedPackages {
  const adapters = isMap(value) ? value['adapters'] : undefined;
  if (!isMap(value) || !isMap(adapters)) return { value, warnings: [] };
  const warnings: string[] = [];
  const entries = Object.entries(adapters).map(([name, adapter]) => {
    const current = isMap(adapter) ? currentName(adapter['package']) : undefined;
    if (!isMap(adapter) || current === undefined) return [name, adapter] as const;
    warnings.push(`adapters.${name}.package: the package is now called ${current}; change the name in this file`);
    return [name, { ...adapter, package: current }] as const;
  });
  return { value: { ...value, adapters: Object.fromEntries(entries) }, warnings };
}

function currentName(name: unknown): string | undefined {
  const [, short] = typeof name === 'string' ? (/^@gateway\/(.+)$/.exec(name) ?? []) : [];
  return short !== undefined && renamed.has(short) ? `@paywright/${short}` : undefined;
}
