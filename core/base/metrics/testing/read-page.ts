/** Reads the metrics of a scrape. */
import { presentMetrics, type Metrics } from '../index.ts';

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Returns all series of a page in the text format of Prometheus. */
export function readPage(text: string): Series[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:]\w*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [{ name, labels: Object.fromEntries(pairs) as Record<string, string>, value: Number(value) }];
  });
}

/** The sum of the series that have at least these labels; undefined if there is none. */
export function valueIn(
  page: readonly Series[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | undefined {
  const fitting = page.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  return fitting.length > 0 ? fitting.reduce((sum, { value }) => sum + value, 0) : undefined;
}

/** The same for one process. */
export async function valueOf(
  metrics: Metrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const { text } = await presentMetrics([await metrics.snapshot()], []);
  return valueIn(readPage(text), name, labels);
}
