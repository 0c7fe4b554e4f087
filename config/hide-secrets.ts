import { secretPaths } from '@paywright/contract';
import type { LoadedConfig } from './load-config.ts';
import { Config } from './schema.ts';
import { isMap, toPathText } from './settings.ts';
import type { Path } from './settings.ts';

/** In options without a schema, a key with such a name counts as a secret. */
const secretName = /secret|key|password|passphrase|token|salt|seal|credential|private|pin$/i;

/**
 * Returns the settings in the form of the files, with every secret as `[hidden]`. A value is a secret if a schema marks
 * it, if it came from `${env:…}` or `${file:…}`, or if its key in an adapter's options is named like a secret.
 * `adapterSecretPaths` lists the secret options of each adapter, as `secretPaths` of the contract returns them.
 */
export function hideSecrets(
  { config, secretValues }: Pick<LoadedConfig, 'config' | 'secretValues'>,
  adapterSecretPaths: Readonly<Record<string, readonly Path[]>> = {},
): unknown {
  const marked: Path[] = [
    ...secretPaths(Config),
    ...Object.entries(adapterSecretPaths).flatMap(([name, paths]) =>
      paths.flatMap((path) =>
        ['options', 'sandboxOptions'].flatMap((member) => [
          ['adapters', name, member, ...path],
          ['adapters', name, 'accounts', '*', member, ...path],
        ]),
      ),
    ),
  ];
  return hide(config, []);

  function hide(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, at) => hide(item, [...path, `${at}`]));
    if (isMap(value)) {
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, hide(member, [...path, key])]));
    }
    return value !== undefined && isSecret(path) ? '[hidden]' : value;
  }

  function isSecret(path: Path): boolean {
    const holder = { sandbox: 3, accounts: 4 }[path[2] ?? ''] ?? 2;
    const options = path[0] === 'adapters' ? path.slice(holder) : [];
    return (
      marked.some((mark) => mark.every((key, at) => (key === '*' ? at < path.length : key === path[at]))) ||
      path.some((_, at) => secretValues.has(toPathText(path.slice(0, at + 1)))) ||
      (/^(sandboxO|o)ptions$/.test(options[0] ?? '') && options.slice(1).some((key) => secretName.test(key)))
    );
  }
}
