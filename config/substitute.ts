import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, originOf, toPathText } from './settings.ts';
import type { Origins, Path, Problem } from './settings.ts';

export interface Substituted {
  /** The settings without missing values. A list with a missing item is left out completely. */
  readonly value: unknown;
  /** Values that could not be found, or that contain a control character. */
  readonly missing: readonly Problem[];
  /** White space that was removed around values of the environment and of files. */
  readonly trimmed: readonly Problem[];
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
  /** What was removed around the value, for a warning. */
  readonly removed?: string;
}

/**
 * Replaces `${env:NAME}`, `${env:NAME:-default}` and `${file:path}` in every text; `$${` is a literal `${`. An empty
 * variable or file counts as missing. Inserted values are not searched for further `${…}`. They lose surrounding white
 * space, because a line end more or less makes another key. Text that is written in a settings file stays as it is.
 */
export function substitute(
  settings: unknown,
  origins: Origins,
  env: Readonly<Record<string, string | undefined>>,
): Substituted {
  const missing: Problem[] = [];
  const trimmed: Problem[] = [];
  const secretValues = new Set<string>();
  const sources = new Map<string, string[]>();
  return { value: substituteValue(settings, []), missing, trimmed, secretValues, sources };

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
      if (found.removed !== undefined) trimmed.push({ path, message: found.removed });
      return found.text ?? '';
    });
    const control = controlCharacter.exec(replaced)?.[0];
    if (control !== undefined) failures.push(`contains the control character ${codeOf(control)}; remove it`);
    missing.push(...failures.map((message) => ({ path, message })));
    return failures.length > 0 ? undefined : replaced;
  }

  function resolveMark(mark: string, folder: string): Found {
    const [, variable, fallback] = /^\$\{env:([A-Za-z_]\w*)(?::-([^}]*))?\}$/.exec(mark) ?? [];
    if (variable !== undefined) {
      const source = `environment variable ${variable}`;
      const { value, removed } = trimOutside(env[variable] ?? '');
      if (value) return { text: value, isOutside: true, source, ...(removed && { removed }) };
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
      // One line end is how every text file ends.
      const { value, removed } = trimOutside(readFileSync(resolve(folder, path), 'utf8').replace(/\r?\n$/, ''));
      if (!value) return { problem: `the file ${path} is empty; fill it` };
      return { text: value, isOutside: true, source: `file ${path}`, ...(removed && { removed }) };
    } catch (error) {
      const { code = 'unknown error' } = error as NodeJS.ErrnoException;
      return { problem: `the file ${path} cannot be read (${code}); make it readable or correct the path` };
    }
  }
}

/** Tabs and line ends may be part of a value, such as a PEM key. */
const controlCharacter = /[^\P{Cc}\t\n\r]/u;

function codeOf(character: string): string {
  return `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function trimOutside(text: string): { readonly value: string; readonly removed?: string } {
  const value = text.trim();
  if (value === text) return { value };
  const at = text.indexOf(value);
  const ends = [
    ['before', text.slice(0, at)],
    ['after', text.slice(at + value.length)],
  ] as const;
  const removed = ends.flatMap(([side, space]) => (space ? `${describeSpace(space)} ${side} the value` : []));
  return { value, removed: `${removed.join(' and ')} was removed` };
}

/** Names the kinds of white space in the text. */
export function describeSpace(space: string): string {
  const kinds = [
    ['a byte order mark', /\uFEFF/],
    ['a line end', /[\r\n\u2028\u2029]/],
    ['a tab', /\t/],
    ['a blank', /[^\uFEFF\r\n\u2028\u2029\t]/],
  ] as const;
  return kinds
    .filter(([, pattern]) => pattern.test(space))
    .map(([kind]) => kind)
    .join(', ');
}
