import { isMap } from './settings.ts';
import type { Path, Problem } from './settings.ts';
import { describeSpace } from './substitute.ts';

/**
 * Finds secrets that are written in a settings file with white space at an end. They are kept as written, because the
 * author of the file can see them. `paths` are those of `secretPaths` of the contract, where `*` means every item or
 * member; `base` is the path of `settings`.
 */
export function findSpacedSecrets(paths: readonly Path[], settings: unknown, base: Path = []): Problem[] {
  return paths.flatMap((path) => find(path, settings, base));
}

function find([key, ...rest]: Path, value: unknown, path: Path): Problem[] {
  if (key !== undefined) {
    const members = isMap(value) || Array.isArray(value) ? Object.entries(value) : [];
    return members
      .filter(([name]) => key === '*' || key === name)
      .flatMap(([name, member]) => find(rest, member, [...path, name]));
  }
  if (typeof value !== 'string') return [];
  const secret = value.trim();
  // A text of several lines, such as a PEM key, ends with a line end.
  const text = secret.includes('\n') ? value.replace(/\n$/, '') : value;
  if (text === secret) return [];
  const space = secret === '' ? text : text.replace(secret, '');
  return [{ path, message: `begins or ends with ${describeSpace(space)}; remove it unless it belongs to the secret` }];
}
