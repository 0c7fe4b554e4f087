/** The number of requests of an API key in one minute, or of mails to a payer in one hour. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface RateWindowDocument {
  /** `<key id>:<minutes since 1970>`, or the name of a count of mails and the hours since 1970. */
  _id: string;
  used: number;
  expireAt: Date;
}

const rateWindowSchema = new Schema<RateWindowDocument>(
  {
    _id: { type: String, required: true },
    used: { type: Number, required: true },
    expireAt: { type: Date, required: true },
  },
  { collection: 'rateWindows', strict: 'throw', versionKey: false, autoIndex: false },
);
rateWindowSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function rateWindowModel(connection: Connection): Model<RateWindowDocument> {
  return modelFor(connection, 'RateWindow', rateWindowSchema);
}
