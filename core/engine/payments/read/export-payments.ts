/**
 * The export of found payments: one line per payment, amounts and currency in columns of their own. `net` is `paid`
 * minus the three columns between them.
 */
import { toCsvLine, type CsvValue } from '../../../base/text/csv.ts';
import { amountText } from '../../../base/text/money-text.ts';
import type { FoundPayment } from './found-payment.ts';

interface Exported {
  readonly found: FoundPayment;
  readonly merchant: string;
}

type Column = readonly [name: string, valueOf: (one: Exported) => CsvValue];

const columns: readonly Column[] = [
  ['id', ({ found }) => found.id],
  ['created_at', ({ found }) => found.createdAt.toISOString()],
  ['paid_at', ({ found }) => found.paidAt?.toISOString() ?? ''],
  ['mode', ({ found }) => found.environment],
  ['merchant', ({ merchant }) => merchant],
  ['merchant_reference', ({ found }) => found.referenceId ?? ''],
  ['status', ({ found }) => found.status],
  ['problems', ({ found }) => found.problems.join(' ')],
  ['currency', ({ found }) => found.currency],
  ['amount', ({ found }) => decimal(found.amount, found.currency)],
  ['paid', ({ found }) => paidPart(found, 'paid')],
  ['fee', ({ found }) => paidPart(found, 'fee')],
  ['refunded', ({ found }) => paidPart(found, 'refunded')],
  ['charged_back', ({ found }) => paidPart(found, 'held')],
  ['net', ({ found }) => paidPart(found, 'netAfterAll')],
  ['method', ({ found }) => found.method ?? ''],
  ['provider', ({ found }) => found.adapter ?? ''],
  ['provider_reference', ({ found }) => found.providerReference ?? ''],
  ['provider_account', ({ found }) => found.providerAccount ?? ''],
  ['card_brand', ({ found }) => found.cardBrand ?? ''],
  ['card_last_four', ({ found }) => found.cardLastDigits ?? ''],
  ['decline_code', ({ found }) => found.decline?.code ?? ''],
  ['decline_text', ({ found }) => found.decline?.text ?? ''],
  ['failure', ({ found }) => (found.status === 'failed' ? (found.failure ?? '') : '')],
];

/** Only operators who may act get the personal data of many payers in one file. */
const payerColumns: readonly Column[] = [
  ['payer_name', ({ found }) => found.name ?? ''],
  ['payer_email', ({ found }) => found.email ?? ''],
];

export interface ExportOptions {
  readonly withPayers: boolean;
}

export function exportHead(options: ExportOptions): string {
  return toCsvLine(columnsOf(options).map(([name]) => name));
}

export function exportLine(found: FoundPayment, merchant: string, options: ExportOptions): string {
  return toCsvLine(columnsOf(options).map(([, valueOf]) => valueOf({ found, merchant })));
}

function columnsOf({ withPayers }: ExportOptions): readonly Column[] {
  return withPayers ? [...columns, ...payerColumns] : columns;
}

/** Empty while nothing is paid. */
function paidPart({ money }: FoundPayment, member: 'paid' | 'fee' | 'refunded' | 'held' | 'netAfterAll'): CsvValue {
  const [amount, currency] = [money[member], money.currency];
  return amount === null || currency === null ? '' : decimal(amount, currency);
}

function decimal(amount: string, currency: string): CsvValue {
  return { decimal: amountText(amount, currency) };
}
