/** Settings while they are merged: a tree of maps, and the source of each value. */

/** The path of a setting: keys and list positions (from 0). */
export type Path = readonly string[];

/**
 * The source of values: a file, or an environment variable. A variable has no folder, and its text is not substituted.
 */
export interface Source {
  /** The name in problems, such as `config/production.yaml` or `environment variable PORT`. */
  readonly name: string;
  /** Absolute folder in which `${file:path}` and packages are looked up. */
  readonly folder?: string;
}

/** The last source of each value, by path. */
export type Origins = Map<string, Source>;

export interface Problem {
  readonly path: Path;
  /** What is wrong and what to do. Never contains a value. */
  readonly message: string;
  /** The setting works, but should be changed. */
  readonly isWarning?: true;
}

export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toPathText(path: Path): string {
  return path.join('.');
}

export function valueAt(settings: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), settings);
}

/**
 * Merges `over` into `base`: maps merge key by key, other values replace. Records the values of `source` in `origins`.
 */
export function mergeSettings(
  base: unknown,
  over: unknown,
  source: Source,
  origins: Origins,
  path: Path = [],
): unknown {
  // A variable sets one value. Problems of the map around it belong to a file.
  if (!isMap(over) || source.folder !== undefined) origins.set(toPathText(path), source);
  if (!isMap(over)) return over;
  const merged = isMap(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(over)) {
    merged[key] = mergeSettings(merged[key], value, source, origins, [...path, key]);
  }
  return merged;
}

/** The source of the value at `path`. If no source has set it, the source of the map around it. */
export function originOf(origins: Origins, path: Path): Source | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const source = origins.get(toPathText(path.slice(0, length)));
    if (source) return source;
  }
  return undefined;
}
