/** The query of reports. */
import { invalidField } from '../../base/errors.ts';
import { accept } from '../input/form.ts';
import { day, readExactQuery } from '../input/query.ts';
import type { Query } from '../input/query.ts';

export const reportQuery = { from: day, to: day } as const;

/** Days of a report whose query names none. */
export const reportDays = 30;
const dayMs = 86_400_000;

/** The span of the report, including both days. By default the span ends today and has 30 days. */
export function readReportSpan(query: Query, now: Date): { readonly from: string; readonly to: string } {
  const [asked] = accept(readExactQuery(reportQuery, query));
  const to = asked.to ?? toDay(now.getTime());
  const from = asked.from ?? toDay(Date.parse(to) - (reportDays - 1) * dayMs);
  if (from > to) throw invalidField('from', from, 'must not be later than to');
  return { from, to };
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
