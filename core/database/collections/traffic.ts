/** The traffic of a host in one minute, summed over its processes. For the operators' console; kept for a day. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface TrafficMinute {
  /** Host and minute; for the document `lastCallbacks`, that name. */
  readonly _id: string;
  /** The start of the minute; absent for `lastCallbacks`. */
  readonly at?: Date;
  /** Counts by name, for example `callbacks|provider-a|accepted`. */
  readonly counts?: Readonly<Record<string, number>>;
  /**
   * By queue: how long the oldest due entry had been due, the maximum within the minute, in seconds. Absent for a host
   * of an earlier version.
   */
  readonly ages?: Readonly<Record<string, number>>;
  /** Time of each adapter's latest callback, exact to the interval between two polls. Only for `lastCallbacks`. */
  readonly seenAt?: Readonly<Record<string, Date>>;
  /**
   * Time of each adapter's latest callback that was accepted, like `seenAt`. Absent before the first one, and for a
   * host of an earlier version.
   */
  readonly acceptedAt?: Readonly<Record<string, Date>>;
  readonly expireAt?: Date;
}

/** The id of the one document that has no minute. */
export const lastCallbacksId = 'lastCallbacks';

const schema = new Schema<TrafficMinute>(
  {
    _id: { type: String, required: true },
    at: Date,
    counts: Schema.Types.Mixed,
    ages: Schema.Types.Mixed,
    seenAt: Schema.Types.Mixed,
    acceptedAt: Schema.Types.Mixed,
    expireAt: Date,
  },
  { collection: 'traffic', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ at: 1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function trafficModel(connection: Connection): Model<TrafficMinute> {
  return modelFor(connection, 'Traffic', schema);
}
