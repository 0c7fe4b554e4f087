import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, originOf, toPathText } from './settings.ts';
import type { Origins, Path, Problem } from './settings.ts';

export interface Substituted {
  /** The settings without missing values. A list with a missing item is left out completely. */
  readonly value: unknown;
  /** Values that could not be found. */
  readonly missing: readonly Problem[];
  /** Paths of the values that came, completely or in part, from the environment or a file. */
  readonly secretValues: Set<string>;
  /** The variables and files that each value refers to, whether they exist or not. Keyed by the path of the value. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
}

interface Found {
  readonly text?: string;
  readonly isOutside?: boolean;
  /** The variable or the file. */
  readonly source?: string;
  readonly problem?: string;
}

/**
 * Replaces `${env:NAME}`, `${env:NAME:-default}` and `${file:path}` in every text; `$${` is a literal `${`. An empty
 * variable or file counts as missing. Inserted values are not searched for further `${…}`.
 */
export function substitute(
  settings: unknown,
  origins: Origins,
  env: Readonly<Record<string, string | undefined>>,
): Substituted {
  const missing: Problem[] = [];
  const secretValues = new Set<string>();
  const sources = new Map<string, string[]>();
  return { value: substituteValue(settings, []), missing, secretValues, sources };

  function substituteValue(value: unknown, path: Path): unknown {
    if (typeof value === 'string') return substituteText(value, path);
    if (Array.isArray(value)) {
      const items = value.map((item, at) => substituteValue(item, [...path, `${at}`]));
      return items.includes(undefined) ? undefined : items;
    }
    if (!isMap(value)) return value;
    const members = Object.entries(value).map(
      ([key, member]) => [key, substituteValue(member, [...path, key])] as const,
    );
    return Object.fromEntries(members.filter(([, member]) => member !== undefined));
  }

  function substituteText(text: string, path: Path): string | undefined {
    const folder = originOf(origins, path)?.folder;
    if (folder === undefined) return text;
    const failures: string[] = [];
    const replaced = text.replaceAll(/\$\$\{|\$\{[^}]*\}?/g, (mark) => {
      if (mark === '$${') return '${';
      const found = resolveMark(mark, folder);
      if (found.problem !== undefined) failures.push(found.problem);
      const at = toPathText(path);
      if (found.isOutside) secretValues.add(at);
      if (found.source !== undefined) sources.set(at, [...(sources.get(at) ?? []), found.source]);
      return found.text ?? '';
    });
    missing.push(...failures.map((message) => ({ path, message })));
    return failures.length > 0 ? undefined : replaced;
  }

  function resolveMark(mark: string, folder: string): Found {
    const [, variable, fallback] = /^\$\{env:([A-Za-z_]\w*)(?::-([^}]*))?\}$/.exec(mark) ?? [];
    if (variable !== undefined) {
      const value = env[variable];
      const source = `environment variable ${variable}`;
      if (value) return { text: value, isOutside: true, source };
      if (fallback !== undefined) return { text: fallback, source };
      return { problem: `the environment variable ${variable} is not set or empty; set it` };
    }
    const [, path] = /^\$\{file:([^}]+)\}$/.exec(mark) ?? [];
    if (path === undefined) {
      return {
        problem: 'has a ${…} that is not ${env:NAME}, ${env:NAME:-default} or ${file:path}; write $${ for a literal ${',
      };
    }
    try {
      const content = readFileSync(resolve(folder, path), 'utf8').replace(/\r?\n$/, '');
      const source = `file ${path}`;
      return content ? { text: content, isOutside: true, source } : { problem: `the file ${path} is empty; fill it` };
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      return { problem: `the file ${path} cannot be read (${code}); make it readable or correct the path` };
    }
  }
}
