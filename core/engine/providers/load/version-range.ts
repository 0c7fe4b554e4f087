/**
 * npm's version ranges, without the forms that a manifest must not use: an empty range, a tag, and a pre-release.
 */
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';

/** Matches comparators with at least one number or wildcard, but no `==`, and no operator before a wildcard. */
const comparators = /^(?=.*[\d*x])(?!.*(?:[<>=^~]\s*[*x]|==))[\dvx*.^~<>=\s]+$/;

/** True if `version` (three numbers) is in the range. Throws a RangeError for a range that it cannot read. */
export function inRange(version: string, range: string): boolean {
  const isReadable = range.split('||').every((part) => comparators.test(part)) && validRange(range) !== null;
  if (!isReadable) throw new RangeError(`"${range}" is not a version range such as ^1.0`);
  return satisfies(version, range);
}
