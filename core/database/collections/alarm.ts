/**
 * Alarms: problems that an operator must check. There is one document per kind and subject, however often the alarm is
 * raised.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import type { Environment } from '../../base/environment.ts';
import { indexLeases, leaseSchema, type Lease } from '../lease.ts';
import { modelFor } from '../model.ts';

export type AlarmKind =
  | 'adapter_versions_differ'
  | 'backlog_old'
  | 'breaker_open'
  | 'callback_dead_letter'
  | 'callback_of_other_account'
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

/** Something that happened to an alarm. */
export interface AlarmEvent {
  readonly at: Date;
  /**
   * - `raised`: the alarm opened
   * - `raised_again`: it opened again soon after it was resolved automatically
   * - `reported`: it was sent to receivers
   */
  readonly what: 'raised' | 'raised_again' | 'reported' | 'acknowledged' | 'resolved';
  /** The operator; absent: the service. */
  readonly by?: string;
  /** The operator's words. */
  readonly reason?: string;
  /** For `reported`: the receivers that accepted the report. */
  readonly to?: readonly string[];
}

/** What an alarm is about, in addition to its subject. Contains no payer data. */
export interface AlarmAbout {
  /** The merchant. */
  readonly ownerId?: number;
  readonly environment?: Environment;
  /** The money at stake: decimal text and a currency. */
  readonly money?: { readonly amount: string; readonly currency: string };
}

export interface Alarm extends AlarmAbout {
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
  /** What happened to the alarm, the oldest first: the latest `maxAlarmEvents`. Absent for an earlier version. */
  readonly history?: readonly AlarmEvent[];
  /**
   * Only for an alarm that was resolved automatically: if it is raised again before this time, it continues, with its
   * count and its first time.
   */
  readonly returnsUntil?: Date;
  /** Only for resolved alarms: MongoDB deletes the document at this time. */
  readonly expireAt?: Date;
}

export const maxAlarmEvents = 50;

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
    // Stored only if they have a value: hosts of earlier versions do not know these members.
    ownerId: Number,
    environment: String,
    money: {
      type: new Schema({ amount: String, currency: String }, { _id: false, strict: 'throw' }),
      default: undefined,
    },
    history: {
      type: [
        new Schema(
          { at: Date, what: String, by: String, reason: String, to: { type: [String], default: undefined } },
          { _id: false, strict: 'throw' },
        ),
      ],
      default: undefined,
    },
    returnsUntil: Date,
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
