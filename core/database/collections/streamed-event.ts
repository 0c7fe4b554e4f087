/** A test event of an owner that listens to the event stream and has no address for test events. Kept for a day. */
import { Schema, type Connection, type Model } from 'mongoose';
import { modelFor } from '../model.ts';

export interface StreamedEvent {
  /** `<payment request>-<sequence>`, like the id of a notification. */
  readonly _id: string;
  readonly ownerId: number;
  readonly type: string;
  /** The UTF-8 bytes of this text are signed. */
  readonly body: string;
  readonly createdAt: Date;
  readonly expireAt: Date;
}

const schema = new Schema<StreamedEvent>(
  {
    _id: { type: String, required: true },
    ownerId: { type: Number, required: true },
    type: { type: String, required: true },
    body: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expireAt: { type: Date, required: true },
  },
  { collection: 'streamedEvents', strict: 'throw', versionKey: false, autoIndex: false },
);
schema.index({ ownerId: 1, createdAt: 1 });
schema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export function streamedEventModel(connection: Connection): Model<StreamedEvent> {
  return modelFor(connection, 'StreamedEvent', schema);
}
