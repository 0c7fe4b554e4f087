/** The recent times of the events that a velocity rule counts: one document per rule, owner and value. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface Velocity {
  /** Fingerprint of rule, owner and value. The value itself is not stored. */
  readonly _id: string;
  /** In ascending order; never more entries than the rule needs. */
  readonly times: readonly Date[];
  readonly expireAt: Date;
}

const schema = new Schema<Velocity>(
  { _id: String, times: [Date], expireAt: Date },
  { collection: 'velocities', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function velocityModel(connection: Connection): Model<Velocity> {
  return modelFor(connection, 'Velocity', schema);
}
