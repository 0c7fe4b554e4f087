/** The query of reports. */
import { defined } from '@paywright/contract';
import type { ReportQuery } from '../../engine/payments/read/report.ts';
import { invalidField } from '../../base/errors.ts';
import { accept } from '../input/form.ts';
import { anyText, day, oneOf, readExactQuery } from '../input/query.ts';
import type { Query } from '../input/query.ts';

export const reportQuery = {
  from: day,
  to: day,
  providerAccount: anyText,
  groupBy: oneOf(['providerAccount']),
} as const;

/** Days of a report whose query names none. */
export const reportDays = 30;
const dayMs = 86_400_000;

/** The span of the report includes both days. By default it ends today and has 30 days. */
export function readReportQuery(query: Query, now: Date): ReportQuery {
  const [asked] = accept(readExactQuery(reportQuery, query));
  const to = asked.to ?? toDay(now.getTime());
  const from = asked.from ?? toDay(Date.parse(to) - (reportDays - 1) * dayMs);
  if (from > to) throw invalidField('from', from, 'must not be later than to');
  const { providerAccount, groupBy } = asked;
  return { from, to, ...defined({ providerAccount, isByAccount: groupBy && true }) };
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
