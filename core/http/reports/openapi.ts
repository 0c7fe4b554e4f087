/** Describes the report: sums of payment requests. */
import { object, listOf, nullable, schemaRef, text, whole } from '../openapi/json-schema.ts';
import { merchantCall, queryParameters } from '../openapi/merchant-call.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';
import { providerCodes } from '../payment-requests/codes.ts';
import { enumRef } from '../payment-requests/enums.ts';
import { reportDays, reportQuery } from './schema.ts';

const row = object(
  {
    day: { type: 'string', format: 'date', description: 'The day of creation, UTC.' },
    providerId: { ...providerCodes.schema, description: 'Provider of the latest attempt; 0: none.' },
    methodId: enumRef('PaymentMethod', 'How the payer paid in the latest attempt.'),
    currency: text('The currency charged, else the unit as sent.'),
    status: enumRef('PaymentRequestStatus', '`paymentRequestStatusId`.'),
    count: whole('Number of payment requests.'),
    amount: text(
      'The exact sum of what was paid, also if the payer was charged twice, or else of the requested amounts. Decimal text: a sum may have more digits than a JSON number keeps.',
      { pattern: '^\\d+(\\.\\d+)?$' },
    ),
    providerAccount: nullable(
      text(
        'The account of the latest attempt, `<adapter>/<account>`; null: none. Only with `groupBy=providerAccount`.',
      ),
    ),
  },
  { optional: ['providerAccount'] },
);

const example = {
  items: [{ day: '2026-11-21', providerId: 11, methodId: 1, currency: 'EUR', status: 2, count: 3, amount: '77.7' }],
};

const reportPayments = merchantCall({
  operationId: 'reportPayments',
  tag: 'Reports',
  summary: 'Report sums of payment requests',
  description:
    'By day, provider, method, currency and status, and with `groupBy=providerAccount` by account. CSV for `Accept: text/csv`, with the same columns.',
  scope: 'requests:read',
  parameters: queryParameters(reportQuery, {
    from: `The first day, UTC. Default: ${reportDays - 1} days before the last day.`,
    to: 'The last day, UTC. Default: today.',
    providerAccount: 'Only payment requests whose latest attempt has this account, `<adapter>/<account>`.',
    groupBy: '`providerAccount` also groups by the account of the latest attempt.',
  }),
  kinds: ['INVALID_FORMAT'],
  isWriting: false,
  success: {
    description: 'The sums.',
    content: {
      'application/json': { schema: schemaRef('Report'), example },
      'text/csv': { schema: { type: 'string' }, example: 'day,providerId,methodId,currency,status,count,amount\r\n' },
    },
  },
});

/** Empty if the service has no reports. */
export function reportsSection({ hasReports }: DocumentFacts): Section {
  return {
    paths: hasReports ? { '/reports/payments': { get: reportPayments } } : {},
    schemas: { Report: object({ items: listOf(schemaRef('ReportRow'), 'Sorted by day, ascending.') }), ReportRow: row },
  };
}
