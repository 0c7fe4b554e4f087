/** Where the secrets of an adapter are set, and where their values are found at the provider. Never a value. */
import { secretPaths } from '@paywright/contract';
import { mainAccount } from './account-ref.ts';
import { descriptionAt } from './load/describe-issue.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';

export interface SecretPlace {
  /** The path below the adapter's options, for example `webhookSecret`. */
  readonly path: string;
  /** What the option is and where its value is found. Undefined: the adapter does not say. */
  readonly description: string | undefined;
}

type Options = ActiveAdapter['adapter']['manifest']['options'];

export function secretsOf(options: Options): readonly SecretPlace[] {
  return secretPaths(options).map((path) => {
    const description = path.map((_, at) => descriptionAt(options, path.slice(0, path.length - at))).find(Boolean);
    return { path: path.filter((key) => key !== '*').join('.'), description };
  });
}

/**
 * A sentence that names the config of each secret, and where its value is found. For an account of the database it
 * names the command that changes it. Empty: the adapter has no secret.
 */
export function secretPlaces(
  { name, account, ref, adapter, isStored }: Pick<ActiveAdapter, 'name' | 'account' | 'ref' | 'adapter' | 'isStored'>,
  sandbox: boolean,
): string {
  const base = account === mainAccount ? name : `${name}.accounts.${account}`;
  const places = secretsOf(adapter.manifest.options).map(({ path, description }) => {
    const own = isStored ? path : `adapters.${base}.${sandbox ? 'sandboxOptions' : 'options'}.${path}`;
    return description ? `${own} (${description.replace(/\.$/, '')})` : own;
  });
  if (places.length === 0) return '';
  const cure = `: paywright accounts set ${ref} --${sandbox ? 'sandbox-options' : 'options'} <file>`;
  return `Compare ${places.join(', ')}${isStored ? cure : ''}`;
}
