/**
 * The part of npm's version ranges that a manifest needs: caret, tilde, comparators, exact, `1.x`, `*`, spaces, `||`.
 */

type Version = readonly [number, number, number];
interface Span {
  readonly from: Version;
  /** The first version that is too new; absent: no end. */
  readonly before?: Version;
}

const comparator = /^(\^|~|>=|<=|>|<|=)?v?(\*|x|\d{1,9})?(?:\.(\*|x|\d{1,9}))?(?:\.(\*|x|\d{1,9}))?$/;

/** True when `version` (three numbers) lies in the range. Throws a RangeError on a range that it cannot read. */
export function inRange(version: string, range: string): boolean {
  const numbers = version.split('.').map(Number) as unknown as Version;
  return range.split('||').some((all) => {
    const parts = all
      .replaceAll(/(\^|~|[<>]=?|=)\s+/g, '$1')
      .trim()
      .split(/\s+/);
    return parts
      .map(readSpan)
      .every(({ from, before }) => !isLess(numbers, from) && (!before || isLess(numbers, before)));
  });
}

function readSpan(text: string): Span {
  const [, operator = '', ...given] = comparator.exec(text) ?? [];
  const wild = given.findIndex((part) => part === undefined || part === '*' || part === 'x');
  const known = given.slice(0, wild < 0 ? 3 : wild).map(Number);
  if (known.length === 0) {
    if (given[0] === undefined || operator) throw new RangeError(`"${text}" is no version range such as ^1.0`);
    return { from: [0, 0, 0] };
  }

  const [major = 0, minor = 0, patch = 0] = known;
  const from: Version = [major, minor, patch];
  /** The first version whose part at `at` is larger. */
  const after = (at: number): Version =>
    at === 0 ? [major + 1, 0, 0] : at === 1 ? [major, minor + 1, 0] : [major, minor, patch + 1];
  const last = known.length - 1;
  switch (operator) {
    case '^': {
      const firstThatCounts = known.findIndex((part) => part > 0);
      return { from, before: after(firstThatCounts < 0 ? last : firstThatCounts) };
    }
    case '~':
      return { from, before: after(Math.min(last, 1)) };
    case '>=':
      return { from };
    case '>':
      return { from: after(last) };
    case '<':
      return { from: [0, 0, 0], before: from };
    case '<=':
      return { from: [0, 0, 0], before: after(last) };
    default:
      return { from, before: after(last) };
  }
}

function isLess(left: Version, right: Version): boolean {
  const at = left.findIndex((part, index) => part !== right[index]);
  return at >= 0 && left[at]! < right[at]!;
}
