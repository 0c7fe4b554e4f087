/** Changes secrets in options so that they stay well formed. */
import { secretPaths } from '../../proof/options.ts';
import { isObject } from '../difference.ts';
import { otherKey } from '../other-keys.ts';
import type { Subject } from './subject.ts';

type Options = Readonly<Record<string, unknown>>;
type Path = readonly string[];

/**
 * The vectors' options with the secrets at these paths changed. A secret whose change the schema would refuse stays.
 */
export function changeSecrets<O>(
  { file, tryOptions }: Pick<Subject<O>, 'file' | 'tryOptions'>,
  paths: readonly Path[],
): Options {
  return paths.reduce<Options>((options, path) => {
    const changed = changeAt(options, path) as Options;
    return tryOptions(changed) === undefined ? options : changed;
  }, file.options);
}

function changeAt(value: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return typeof value === 'string' ? (otherKey(value) ?? otherText(value)) : value;
  if (Array.isArray(value)) return step === '*' ? value.map((item) => changeAt(item, rest)) : value;
  if (!isObject(value)) return value;
  const changed = Object.entries(value).map(([name, item]) =>
    step === '*' || step === name ? [name, changeAt(item, rest)] : [name, item],
  );
  return Object.fromEntries(changed);
}

/** Another text of the same alphabet and length: a character in the middle is replaced by its neighbour. */
export function otherText(value: string): string {
  const middle = Math.floor(value.length / 2);
  const places = Array.from({ length: value.length }, (_, at) => at).sort(
    (a, b) => Math.abs(a - middle) - Math.abs(b - middle),
  );
  const at = places.find((place) => /[A-Za-z0-9]/.test(value[place]!));
  return at === undefined ? `${value}x` : value.slice(0, at) + neighbour(value[at]!) + value.slice(at + 1);
}

/** The letter or digit after this one. */
export function neighbour(letter: string): string {
  const turned: Readonly<Record<string, string>> = { '9': '0', f: 'a', z: 'g', F: 'A', Z: 'G' };
  return turned[letter] ?? String.fromCharCode(letter.charCodeAt(0) + 1);
}

/** Paths of secrets that are lists of texts, which can be rotated. */
export function secretLists<O>({ adapter, file }: Subject<O>): Path[] {
  return secretPaths(adapter.manifest.options).filter(
    (path) => path.length === 2 && path[1] === '*' && Array.isArray(file.options[path[0]!]),
  );
}

/** The options with each secret of a list alone. */
export function secretsAlone<O>({ file }: Subject<O>, [name = '']: Path): { value: string; options: Options }[] {
  const list = file.options[name];
  const values = Array.isArray(list) ? list.filter((value) => typeof value === 'string') : [];
  return values.map((value) => ({ value, options: { ...file.options, [name]: [value] } }));
}

/** The options with a newer secret before the given one; undefined if the list can hold only one. */
export function withAdded<O>({ file, tryOptions }: Subject<O>, [name = '']: Path, value: string): Options | undefined {
  const options = { ...file.options, [name]: [otherText(value), value] };
  return tryOptions(options) === undefined ? undefined : options;
}
