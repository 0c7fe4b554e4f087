/**
 * Alarms: problems that an operator must check. There is one document per kind and subject, however often the alarm is
 * raised.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { indexLeases, leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

export type AlarmKind =
  | 'adapter_versions_differ'
  | 'backlog_old'
  | 'breaker_open'
  | 'callback_dead_letter'
  | 'callback_of_other_mode'
  | 'callback_too_large'
  | 'callback_unreadable'
  | 'callbacks_refused'
  | 'capture_failed'
  | 'charged_twice'
  | 'clock_skew'
  | 'database_slow'
  | 'dispute_differs'
  | 'endpoint_disabled'
  | 'event_without_effect'
  | 'job_failed'
  | 'key_unknown'
  | 'notification_unsigned'
  | 'notifications_exhausted'
  | 'payment_ends_workers'
  | 'payment_underpaid'
  | 'payment_unresolved'
  | 'process_failed'
  | 'provider_misconfigured'
  | 'refund_failed'
  | 'refund_needs_merchant'
  | 'refund_unresolved'
  | 'seen_refused'
  | 'settlement_difference'
  | 'status_unknown'
  | 'three_ds_missing';

export type AlarmState = 'open' | 'acknowledged' | 'resolved';

export interface AlarmSubject {
  readonly type: 'payment' | 'callback' | 'adapter' | 'owner' | 'queue' | 'job' | 'host' | 'process';
  /** The id within its type, such as the id of a payment. */
  readonly id: string;
}

export interface Alarm {
  /** Kind and subject. */
  readonly _id: string;
  readonly kind: AlarmKind;
  readonly subject: AlarmSubject;
  /** The reason of the latest raise. Never contains a secret or payer data. */
  readonly reason: string;
  readonly state: AlarmState;
  /** How often the alarm was raised since it was opened. */
  readonly count: number;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /**
   * When the alarm is next reported to the operator. While a worker reports it, the end of the lease. Only for open
   * alarms.
   */
  readonly dueAt?: Date;
  readonly lease: Lease;
  /** How often the alarm was reported to the operator since it was opened; absent for alarms of an earlier version. */
  readonly reports?: number;
  /** How often reporting failed since the last success. */
  readonly failures: number;
  /** The targets that already received the report that is in progress. Absent if none or all have received it. */
  readonly reportedTo?: readonly string[];
  /** Only for resolved alarms: MongoDB deletes the document at this time. */
  readonly expireAt?: Date;
}

const schema = new Schema<Alarm>(
  {
    _id: String,
    kind: String,
    subject: { _id: false, type: new Schema({ type: String, id: String }, { _id: false, strict: 'throw' }) },
    reason: String,
    state: String,
    count: Number,
    firstSeenAt: Date,
    lastSeenAt: Date,
    dueAt: Date,
    lease: leaseSchema,
    reports: { type: Number, default: 0 },
    failures: { type: Number, default: 0 },
    reportedTo: { type: [String], default: undefined },
    expireAt: Date,
  },
  { collection: 'alarms', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ state: 1, lastSeenAt: -1 });
indexLeases(schema, 'dueAt');
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function alarmModel(connection: Connection): Model<Alarm> {
  return modelFor(connection, 'Alarm', schema);
}
