/** Settings while they are gathered: a tree of maps, and who said each value. */

/** Where a setting is: keys and list positions (from 0). */
export type Path = readonly string[];

/** Who sets values: a file, or an environment variable (which has no folder, and is taken as it is). */
export interface Source {
  /** As problems call it: `config/production.yaml`, `environment variable PORT`. */
  readonly name: string;
  /** Absolute folder that `${file:path}` and packages are looked up from. */
  readonly folder?: string;
}

/** Who said a value last, by path. */
export type Origins = Map<string, Source>;

export interface Problem {
  readonly path: Path;
  /** What is wrong and its cure; never a value. */
  readonly message: string;
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

/** Lays `over` upon `base`: maps merge key by key, anything else replaces. Notes in `origins` what `source` said. */
export function mergeSettings(
  base: unknown,
  over: unknown,
  source: Source,
  origins: Origins,
  path: Path = [],
): unknown {
  // A variable sets one value: what is missing beside it is for a file to say.
  if (!isMap(over) || source.folder !== undefined) origins.set(toPathText(path), source);
  if (!isMap(over)) return over;
  const merged = isMap(base) ? { ...base } : {};
  for (const [key, value] of Object.entries(over)) {
    merged[key] = mergeSettings(merged[key], value, source, origins, [...path, key]);
  }
  return merged;
}

/** Who set the value at `path`; of a value that nobody set, who set the map around it. */
export function originOf(origins: Origins, path: Path): Source | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const source = origins.get(toPathText(path.slice(0, length)));
    if (source) return source;
  }
  return undefined;
}
