/** One attempt as velocity rules count it: a keyed hash of what it is counted by, and when it was. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from './model.ts';

export interface RiskEvent {
  /** Fingerprint of rule, owner and value; the value itself is kept nowhere. */
  readonly key: string;
  readonly at: Date;
  readonly expireAt: Date;
}

const schema = new Schema<RiskEvent>(
  { key: String, at: Date, expireAt: Date },
  { collection: 'riskEvents', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ key: 1, at: 1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function riskEventModel(connection: Connection): Model<RiskEvent> {
  return modelFor(connection, 'RiskEvent', schema);
}
