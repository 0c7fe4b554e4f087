/** What a change makes of a payment: the record to store, and the notifications that are due with it. */
import { latestAttempt } from '../../../database/collections/attempt.ts';
import { noLease } from '../../../database/lease.ts';
import type {
  Notice,
  NotificationType,
  OutboxEntry,
  PaymentRecord,
} from '../../../database/collections/payment-request.ts';
import { becomesPaid } from '../clients/first-paid.ts';
import { currentTrace } from '../../../base/traces/index.ts';
import { withSearchMembers } from './search-members.ts';

/** The result of one step of a change. Undefined from the step leaves the payment unchanged. */
export interface Change {
  readonly next: PaymentRecord;
  readonly notify?: readonly Notice[];
  /** Set by the holder of the lease: the lease ends with this change. */
  readonly endsLease?: boolean;
  /** The trace of the span in which the change is made, if that is not the current span. */
  readonly trace?: string | undefined;
}

export interface NextRecordDeps {
  /** The body of a notification about the payment after the change. `before`: the payment before the change. */
  readonly renderBody: (
    record: PaymentRecord,
    notice: Notice,
    sequence: number,
    at: Date,
    before: PaymentRecord,
  ) => Promise<string>;
  /** The types that the merchant is to be notified of. */
  readonly wantedTypes: (
    record: PaymentRecord,
    types: readonly NotificationType[],
  ) => Promise<readonly NotificationType[]>;
  /** 1 for the client's first paid request, 2 for a later one. */
  readonly firstTimeType: (record: PaymentRecord) => Promise<1 | 2>;
  /** When the payment is to be checked next. */
  readonly nextCheckAt: (record: PaymentRecord, now: Date) => Date | null;
  readonly now: () => Date;
}

export interface NextRecord {
  /** Its `sequence` includes the entries. Its `outbox` is unchanged. */
  readonly next: PaymentRecord;
  readonly entries: readonly OutboxEntry[];
}

export async function toNextRecord(
  record: PaymentRecord,
  change: Change,
  requestId: string,
  deps: NextRecordDeps,
): Promise<NextRecord> {
  const isHeld = change.next.lease.token !== null && !change.endsLease;
  const settled: PaymentRecord = {
    ...change.next,
    ftdTypeId: becomesPaid(record, change.next) ? await deps.firstTimeType(change.next) : record.ftdTypeId,
    version: record.version + 1,
    ...(change.endsLease ? { lease: noLease } : {}),
  };
  const trace = change.trace ?? currentTrace() ?? latestAttempt(settled)?.trace;
  const made = await toEntries(settled, record, change.notify ?? [], requestId, deps);
  const entries = trace === undefined ? made : made.map((entry) => ({ ...entry, trace }));
  const next: PaymentRecord = {
    ...withSearchMembers(settled, record),
    sequence: settled.sequence + entries.length,
    // While the payment has a lease, this is the end of the lease. The holder's result sets it again.
    nextCheckAt: isHeld ? change.next.nextCheckAt : deps.nextCheckAt(settled, deps.now()),
  };
  return { next, entries };
}

async function toEntries(
  next: PaymentRecord,
  before: PaymentRecord,
  notices: readonly Notice[],
  requestId: string,
  deps: NextRecordDeps,
): Promise<OutboxEntry[]> {
  if (!notices.length) return [];
  const types = await deps.wantedTypes(
    next,
    notices.map(({ type }) => type),
  );
  const at = deps.now();
  return Promise.all(
    notices
      .filter(({ type }) => types.includes(type))
      .map(async (notice, index) => {
        const sequence = next.sequence + index + 1;
        const body = await deps.renderBody(next, notice, sequence, at, before);
        return { sequence, type: notice.type, at, requestId, body };
      }),
  );
}

/** Members that differ, except the outbox: entries are added to it, and relays remove them. */
export function changedMembers(before: PaymentRecord, after: PaymentRecord): Partial<PaymentRecord> {
  const members = Object.keys(after) as (keyof PaymentRecord)[];
  return Object.fromEntries(
    members
      .filter((member) => member !== 'outbox' && after[member] !== before[member])
      .map((member) => [member, after[member]]),
  );
}
