/** Medians, and the table that a run prints. */
import { percentile } from '../support/percentile.ts';

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** One case: the values of both sides in each run, and the goal. */
export interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  /** Values of the baseline in the same runs. Absent if a figure is compared only with its goal. */
  readonly theirs?: readonly number[];
  readonly goal: Goal;
}

/** Goal for the ratio ours : theirs. It applies to our own figure if there is no baseline, or if `of` says so. */
export type Goal = ({ readonly atLeast: number } | { readonly atMost: number }) & { readonly of?: 'ours' };

export interface Line {
  readonly name: string;
  readonly ours: string;
  readonly theirs: string;
  /** Median of the runs, with the smallest and the largest value. */
  readonly ratio: string;
  readonly goal: string;
  readonly met: boolean;
}

export function toLine({ name, unit, ours, theirs, goal }: Figure): Line {
  const ratios = theirs?.map((value, run) => (ours[run] ?? Number.NaN) / value);
  const judged = median(goal.of === 'ours' ? ours : (ratios ?? ours));
  const [sign, bound] = 'atLeast' in goal ? ['≥', goal.atLeast] : ['≤', goal.atMost];
  return {
    name,
    ours: `${shortNumber(median(ours))} ${unit}`,
    theirs: theirs ? `${shortNumber(median(theirs))} ${unit}` : '–',
    ratio: ratios
      ? `${shortNumber(median(ratios))} (${shortNumber(Math.min(...ratios))}–${shortNumber(Math.max(...ratios))})`
      : '–',
    goal: `${sign} ${bound}${ratios && goal.of !== 'ours' ? '' : ` ${unit}`}`,
    met: 'atLeast' in goal ? judged >= goal.atLeast : judged <= goal.atMost,
  };
}

export function toTable(figures: readonly Figure[]): string {
  const lines = figures.map(toLine);
  const head = { name: 'case', ours: 'gateway', theirs: 'baseline', ratio: 'ratio (spread)', goal: 'goal' };
  const columns = ['name', 'ours', 'theirs', 'ratio', 'goal'] as const;
  const width = (column: (typeof columns)[number]): number =>
    Math.max(...[head, ...lines].map((line) => line[column].length));
  const row = (line: Pick<Line, (typeof columns)[number]>, mark: string): string =>
    `${columns.map((column) => line[column].padEnd(width(column))).join('  ')}  ${mark}`.trimEnd();
  return [row(head, ''), ...lines.map((line) => row(line, line.met ? 'met' : 'missed'))].join('\n');
}

function shortNumber(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
