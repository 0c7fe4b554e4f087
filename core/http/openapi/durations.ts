/** Writes durations of the configuration as text. */

/** Formats `30 seconds`, `5 minutes`, `76 hours`: rounded, in the largest unit of which there are two or more. */
export function formatSeconds(seconds: number): string {
  const [size, unit] = units.find(([least]) => seconds >= 2 * least) ?? [1, 'second'];
  const count = Math.round(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}

const units = [
  [3600, 'hour'],
  [60, 'minute'],
] as const;
