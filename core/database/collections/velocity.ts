/** When what a velocity rule counts happened of late: one document per rule, owner and value. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface Velocity {
  /** Fingerprint of rule, owner and value; the value itself is kept nowhere. */
  readonly _id: string;
  /** Rising, never more than the rule needs. */
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
