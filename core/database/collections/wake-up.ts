/**
 * Wake-ups from one host to another, in a capped collection that its readers follow. A lost wake-up only costs time.
 */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface WakeUp {
  /** The host whose workers must poll. */
  readonly to: string;
  readonly work: readonly string[];
}

const schema = new Schema<WakeUp>(
  { to: String, work: [String] },
  { collection: 'wakeUps', capped: { size: 1 << 20 }, strict: 'throw', versionKey: false, autoIndex: false },
);

export function wakeUpModel(connection: Connection): Model<WakeUp> {
  return modelFor(connection, 'WakeUp', schema);
}
