/** Finds the known name that was probably meant. */

const maxDistance = 2;
/** Maximum length of a name; none of ours is longer. */
const maxLength = 40;

/** Returns the known name from which `name` differs by a typing error. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  if (name.length > maxLength) return undefined;
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[_-]/g, '');
  const [nearest] = known
    .map((one) => ({ one, distance: distanceOf(plain(name), plain(one)) }))
    .filter(({ one, distance }) => distance <= maxDistance && distance < one.length / 2)
    .toSorted((a, b) => a.distance - b.distance);
  return nearest?.one;
}

/** Returns a question for the end of an error message. Empty if no known name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearestOf(name, known);
  return near === undefined ? '' : `: did you mean ${near}?`;
}

/** Levenshtein distance: the number of insertions, deletions and replacements from one text to the other. */
function distanceOf(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(from).entries()) {
    const line = [row + 1];
    for (let at = 1; at <= to.length; at += 1) {
      const replaced = above[at - 1]! + (to[at - 1] === letter ? 0 : 1);
      line.push(Math.min(above[at]! + 1, line[at - 1]! + 1, replaced));
    }
    above = line;
  }
  return above[to.length]!;
}
