/** What a change makes of a payment: the record as it is to be stored, and the notifications that are due with it. */
import { latestAttempt } from '../../../database/collections/attempt.ts';
import { noLease } from '../../../database/lease.ts';
import type { NotificationType, OutboxEntry, PaymentRecord } from '../../../database/collections/payment-request.ts';
import { becomesPaid } from '../clients/first-paid.ts';
import { currentTrace } from '../../../base/traces/index.ts';

/** What one step of a change comes to; `undefined` from the step leaves the payment as it is. */
export interface Change {
  readonly next: PaymentRecord;
  readonly notify?: readonly NotificationType[];
  /** Set by the holder of the lease: it ends with this change. */
  readonly endsLease?: boolean;
  /** Of the span that it is made in, where that is not the one under way. */
  readonly trace?: string | undefined;
}

export interface NextRecordDeps {
  /** The body of a notification about the payment as it then is; `before`: as it is stored until then. */
  readonly renderBody: (
    record: PaymentRecord,
    type: NotificationType,
    sequence: number,
    at: Date,
    before: PaymentRecord,
  ) => Promise<string>;
  /** Those of the types that somebody is to be notified of. */
  readonly wantedTypes: (
    record: PaymentRecord,
    types: readonly NotificationType[],
  ) => Promise<readonly NotificationType[]>;
  /** 1 for the client's first paid request, 2 for a later one. */
  readonly firstTimeType: (record: PaymentRecord) => Promise<1 | 2>;
  /** When it is to be checked next. */
  readonly nextCheckAt: (record: PaymentRecord, now: Date) => Date | null;
  readonly now: () => Date;
}

export interface NextRecord {
  /** Its sequence counts the entries; its outbox is as it was. */
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
    ...settled,
    sequence: settled.sequence + entries.length,
    // The end of the lease of who checks it, or begins to with this change; with the result it is set anew.
    nextCheckAt: isHeld ? change.next.nextCheckAt : deps.nextCheckAt(settled, deps.now()),
  };
  return { next, entries };
}

async function toEntries(
  next: PaymentRecord,
  before: PaymentRecord,
  types: readonly NotificationType[],
  requestId: string,
  deps: NextRecordDeps,
): Promise<OutboxEntry[]> {
  const wanted = types.length ? await deps.wantedTypes(next, types) : [];
  const at = deps.now();
  return Promise.all(
    wanted.map(async (type, index) => {
      const sequence = next.sequence + index + 1;
      return { sequence, type, at, requestId, body: await deps.renderBody(next, type, sequence, at, before) };
    }),
  );
}

/** Members that differ, but for the outbox: entries are added to it, and others take them out. */
export function changedMembers(before: PaymentRecord, after: PaymentRecord): Partial<PaymentRecord> {
  const members = Object.keys(after) as (keyof PaymentRecord)[];
  return Object.fromEntries(
    members
      .filter((member) => member !== 'outbox' && after[member] !== before[member])
      .map((member) => [member, after[member]]),
  );
}
