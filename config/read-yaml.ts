import { isAlias, isMap as isYamlMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { isMap, toPathText } from './settings.ts';
import type { Path } from './settings.ts';

/** Keys that could reach an object's prototype. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

/** Reads one file of settings. The messages name line or path and never quote the file: it may hold a secret. */
export function readYaml(text: string): { value: Record<string, unknown>; problems: string[] } {
  const lineCounter = new LineCounter();
  // Keys given twice are looked for below, where their path is known.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false, stringKeys: true });
  const problems = [...document.errors, ...document.warnings].map(
    ({ code, pos }) =>
      `line ${lineCounter.linePos(pos[0]).line}: is not valid YAML (${code.toLowerCase().replaceAll('_', ' ')})`,
  );
  if (problems.length > 0) return { value: {}, problems };
  problems.push(...keyProblems(document.contents, []));
  if (problems.length > 0 || document.contents === null) return { value: {}, problems };
  const value: unknown = document.toJS();
  return isMap(value) ? { value, problems } : { value: {}, problems: ['must be a map of settings'] };
}

function* keyProblems(node: unknown, path: Path): Generator<string> {
  if (isAlias(node)) yield `${toPathText(path)}: is an alias (*); write the value itself`;
  if (isSeq(node)) for (const [at, item] of node.items.entries()) yield* keyProblems(item, [...path, `${at}`]);
  if (!isYamlMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const at = [...path, name];
    if (seen.has(name)) yield `${toPathText(at)}: is there twice; keep one`;
    if (forbidden.has(name)) yield `${toPathText(at)}: is no name for a setting`;
    seen.add(name);
    yield* keyProblems(value, at);
  }
}
