/** What a host did in a minute, added up over its processes: for the operators' console, kept for a day. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface TrafficMinute {
  /** The host and the minute; of `lastCallbacks` its name. */
  readonly _id: string;
  /** The minute's beginning; absent of `lastCallbacks`. */
  readonly at?: Date;
  /** By name, such as `callbacks|provider-a|accepted`. */
  readonly counts?: Readonly<Record<string, number>>;
  /** By queue: how long the longest due was so, at most within the minute; in seconds. Absent of a host of an earlier version. */
  readonly ages?: Readonly<Record<string, number>>;
  /** By adapter: when a callback last came, to the seconds between two looks. Only of `lastCallbacks`. */
  readonly seenAt?: Readonly<Record<string, Date>>;
  readonly expireAt?: Date;
}

const schema = new Schema<TrafficMinute>(
  {
    _id: { type: String, required: true },
    at: Date,
    counts: Schema.Types.Mixed,
    ages: Schema.Types.Mixed,
    seenAt: Schema.Types.Mixed,
    expireAt: Date,
  },
  { collection: 'traffic', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ at: 1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function trafficModel(connection: Connection): Model<TrafficMinute> {
  return modelFor(connection, 'Traffic', schema);
}
