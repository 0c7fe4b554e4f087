/** Serves sums of payments as JSON or CSV. Rows are written as they are read, so a long report needs no memory. */
import { Readable } from 'node:stream';
import { stringifyExact } from '@paywright/contract';
import { Router } from '@koa/router';
import { toCsvLine } from '../../base/text/csv.ts';
import type { HttpDeps, ReportRow, Reports } from '../deps.ts';
import { toCaller } from '../middleware/idempotency.ts';
import type { MerchantGate } from '../middleware/merchant.ts';
import { readReportQuery } from './schema.ts';
import type { RequestState } from '../state.ts';

const usual = ['day', 'providerId', 'methodId', 'currency', 'status', 'count', 'amount'] as const;
const byAccount = [...usual, 'providerAccount'] as const;
type Columns = readonly (typeof byAccount)[number][];

export function reportRoutes(reports: Reports, { now }: HttpDeps, { reading }: MerchantGate): Router<RequestState> {
  const router = new Router<RequestState>({ sensitive: true, strict: true });

  router.get('/reports/payments', ...reading('requests:read'), async (ctx) => {
    const query = readReportQuery(ctx.query, now());
    const columns = query.isByAccount ? byAccount : usual;
    const rows = reports.payments(toCaller(ctx), query);
    // Waits for the first row, so that an unavailable database causes an error instead of half an answer.
    const report = await awaitFirstRow(rows);
    const asCsv = ctx.accepts('application/json', 'text/csv') === 'text/csv';
    ctx.vary('Accept');
    ctx.body = Readable.from(asCsv ? toCsv(report, columns) : toJson(report, columns));
    ctx.type = asCsv ? 'text/csv; charset=utf-8' : 'application/json';
  });

  return router;
}

/** Waits for the first row before the answer starts, so that a failing query is answered with an error. */
async function awaitFirstRow(rows: AsyncIterable<ReportRow>): Promise<AsyncIterable<ReportRow>> {
  const iterator = rows[Symbol.asyncIterator]();
  const first = await iterator.next();
  return (async function* () {
    if (first.done) return;
    yield first.value;
    yield* { [Symbol.asyncIterator]: () => iterator };
  })();
}

async function* toCsv(rows: AsyncIterable<ReportRow>, columns: Columns): AsyncGenerator<string> {
  yield toCsvLine(columns);
  for await (const row of rows) yield toCsvLine(columns.map((column) => row[column] ?? ''));
}

async function* toJson(rows: AsyncIterable<ReportRow>, columns: Columns): AsyncGenerator<string> {
  let between = '';
  yield '{"items":[';
  for await (const row of rows) {
    yield between + stringifyExact(Object.fromEntries(columns.map((column) => [column, row[column]])));
    between = ',';
  }
  yield ']}';
}
