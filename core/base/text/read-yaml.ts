import { isAlias, isMap as isYamlMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';

/** Keys that could change an object's prototype. */
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

/** Keys and list positions (from 0). */
type Path = readonly string[];

function toPathText(path: Path): string {
  return path.join('.');
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads one settings file. Messages name the line or path, and never quote the file, because it may contain a secret.
 */
export function readYaml(text: string): { value: Record<string, unknown>; problems: string[] } {
  const lineCounter = new LineCounter();
  // Duplicate keys are found below, where their path is known.
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
  if (isAlias(node)) yield `${toPathText(path)}: is an alias (*); write the value instead`;
  if (isSeq(node)) for (const [at, item] of node.items.entries()) yield* keyProblems(item, [...path, `${at}`]);
  if (!isYamlMap(node)) return;
  const seen = new Set<string>();
  for (const { key, value } of node.items) {
    const name = isScalar(key) ? String(key.value) : String(key);
    const at = [...path, name];
    if (seen.has(name)) yield `${toPathText(at)}: is defined twice; keep one`;
    if (forbidden.has(name)) yield `${toPathText(at)}: is not allowed as a name of a setting`;
    seen.add(name);
    yield* keyProblems(value, at);
  }
}
