import { secretPaths } from '@paywright/contract';
import type { AdapterOptions } from '../load/load-adapters.ts';
import type { ProviderAdapter } from '@paywright/contract';
import { hidden, type Options } from './account-settings.ts';

/**
 * Returns a copy of the options with `[hidden]` for each secret: only that it is set can be seen. Without the adapter,
 * whose schema marks the secrets, every value is hidden.
 */
export function maskOptions(options: Options, adapter: ProviderAdapter<AdapterOptions> | undefined): Options {
  if (!adapter) return Object.fromEntries(Object.keys(options).map((name) => [name, hidden]));
  return secretPaths(adapter.manifest.options).reduce<unknown>(maskAt, options) as Options;
}

function maskAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (value === undefined) return undefined;
  if (key === undefined) return hidden;
  if (Array.isArray(value))
    return value.map((item, at) => (key === '*' || key === `${at}` ? maskAt(item, rest) : item));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value);
  return Object.fromEntries(
    members.map(([name, one]) => [name, key === '*' || key === name ? maskAt(one, rest) : one]),
  );
}
